"""What all tests share."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import pytest
from hypothesis import settings

# Kernels compile on their first call, so no example has a deadline; the same examples everywhere.
settings.register_profile("hypcse", deadline=None, max_examples=50, derandomize=True)
settings.load_profile("hypcse")


@pytest.fixture(scope="session")
def paper_data():
    """A loader of the paper's data sets; tests that need it skip where they are not at hand."""
    folder = os.environ.get("HYPCSE_DATA")
    if not folder:
        pytest.skip("HYPCSE_DATA is not set: the paper's data sets are not here")
    from hypcse.datasets.sources import describe, read_npz

    return cache(lambda name: read_npz(describe(name), Path(folder) / f"{name}.npz"))

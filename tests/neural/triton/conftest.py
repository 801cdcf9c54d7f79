"""Triton's kernels without a GPU: they run in its interpreter."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.util import find_spec

import pytest

from hypcse.neural import backend as _backend


@pytest.fixture
def interpreter(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """TRITON_INTERPRET=1, which Triton reads as a kernel is declared, and modules of kernels loaded anew."""
    if find_spec("triton") is None:
        pytest.skip("triton is not installed; it is part of the extra `dev` on Linux")
    monkeypatch.setenv("TRITON_INTERPRET", "1")
    _forget()
    yield
    monkeypatch.undo()
    _forget()


def _forget() -> None:
    _backend.missing_for_triton.cache_clear()
    for name in [
        name for name in sys.modules if name.startswith(("hypcse.neural.triton.", "hypcse.neural.losses.fused"))
    ]:
        del sys.modules[name]

"""What all tests use: the paper's data, when it is here, the command, and one hypothesis profile."""

from __future__ import annotations

import os
import signal
import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from types import SimpleNamespace

# Triton's own functions are compiled or interpreted as this says when they are loaded, and torch loads them.
os.environ["TRITON_INTERPRET"] = "1"
with suppress(ImportError):
    import triton.language  # noqa: F401
del os.environ["TRITON_INTERPRET"]

import numba
import numpy as np
import pytest
from hypothesis import settings
from numpy.typing import NDArray

# What a first run says of its compilation is no part of what other tests read.
os.environ["HYPCSE_QUIET"] = "1"

# Derandomized, so that a failure seen once is seen again by everybody.
settings.register_profile("hypcse", deadline=None, max_examples=50, derandomize=True)
settings.load_profile("hypcse")

# A shell starts what runs in the background with Ctrl-C ignored; tests that interrupt want it heard.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# The tests already run in as many processes as there are cores. Those about threads ask for more themselves.
numba.set_num_threads(1)
# Tests that train import torch themselves; the others run without the extra `train` too.
with suppress(ImportError):
    import torch

    torch.set_num_threads(1)


@pytest.fixture(scope="session")
def paper_data() -> Callable[[str], tuple[NDArray[np.float64], NDArray[np.int64]]]:
    """Loader name -> (X, y) that reads each of the paper's data sets once."""
    if not os.environ.get("HYPCSE_DATA"):
        pytest.skip("HYPCSE_DATA is not set: the paper's data sets are not here")
    from hypcse.datasets import load

    return cache(load)


@pytest.fixture
def command(tmp_path, monkeypatch, capsys):
    """Run the command in an empty folder within this process, which is faster: for the many ways to be wrong."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.delenv("HYPCSE_DATA", raising=False)
    # The command sets both for the whole process; this brings them back afterwards.
    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)

    from hypcse.cli import main

    def run(*words: str) -> SimpleNamespace:
        monkeypatch.setattr(sys, "argv", ["hypcse", *words])
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        said = capsys.readouterr()
        return SimpleNamespace(returncode=ended.value.code or 0, stdout=said.out, stderr=said.err)

    return run


@pytest.fixture
def tasks_here(monkeypatch):
    """Run tasks within this process instead of workers, whose start takes longer than a small task."""
    from hypcse.paper.measure import run_task

    def run(tasks, n_jobs):
        return (run_task(task) for task in tasks)

    monkeypatch.setattr("hypcse.paper.runner.run_in_workers", run)

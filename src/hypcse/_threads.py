"""How many threads work, for as long as a piece of work lasts."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

FEW_POINTS = 1000


@contextmanager
def worker_threads(n_jobs: int | None, n_points: int, *, trains: bool = False) -> Iterator[None]:
    """Kernels on `n_jobs` threads (None: as many as now, one for few points; -1: as many as there are), torch on one.

    Kernels give the same answer at any number of threads. Torch's matrix products do not, and their threads would wait
    for those of the kernels on a busy machine. Threads wait for each other at the end of every kernel, which for few
    points takes longer than the kernel.

    trains : whether torch is used, and so is imported here where it is not yet.
    """
    import numba

    if trains:
        import hypcse._torch  # noqa: F401
    torch = sys.modules.get("torch")

    if n_jobs is not None and n_jobs != -1 and n_jobs < 1:
        raise ValueError(f"n_jobs={n_jobs} must be a number of threads, -1 for all, or None.")
    most = int(numba.config.NUMBA_NUM_THREADS)  # type: ignore[attr-defined]
    before = numba.get_num_threads(), 1 if torch is None else torch.get_num_threads()
    if n_jobs is None:
        wanted = 1 if n_points < FEW_POINTS else before[0]
    else:
        wanted = most if n_jobs == -1 else min(n_jobs, most)
    numba.set_num_threads(wanted)
    if torch is not None:
        torch.set_num_threads(1)
    try:
        yield
    finally:
        numba.set_num_threads(before[0])
        if torch is not None:
            torch.set_num_threads(before[1])

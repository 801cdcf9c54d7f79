"""Milliseconds of work on a device, without the time that launching takes where it can be kept out."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import torch

N_WARM, N_TIMED = 5, 30
# Seconds after which slow work is not repeated.
PATIENCE = 2.0


def milliseconds(work: Callable[[], Any], n_timed: int = N_TIMED) -> float:
    """Median over single calls, each from an idle device to an idle device: what a caller waits."""
    start = time.perf_counter()
    for _ in range(N_WARM):
        work()
        if time.perf_counter() - start > PATIENCE:
            break
    found: list[float] = []
    while len(found) < n_timed and sum(found) < 1000 * PATIENCE:
        wait()
        began = time.perf_counter()
        work()
        wait()
        found.append(1000 * (time.perf_counter() - began))
    return statistics.median(found)


def device_milliseconds(work: Callable[[], Any], n_timed: int = N_TIMED) -> float:
    """Median time of one call on the device alone, by replays of a graph of ten calls; of calls where there is none."""
    if not torch.cuda.is_available():
        return milliseconds(work, n_timed)
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(3):
            work()
    wait()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(10):
            work()
    found = []
    for _ in range(n_timed):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        graph.replay()
        end.record()
        end.synchronize()
        found.append(begin.elapsed_time(end) / 10)
    return statistics.median(found)


def wait() -> None:
    """Until the device is idle."""
    if torch.cuda.is_available():
        torch.cuda.synchronize()


def text(value: float) -> str:
    """Milliseconds to three digits."""
    return f"{value:.3g}" if value < 100 else f"{value:.0f}"

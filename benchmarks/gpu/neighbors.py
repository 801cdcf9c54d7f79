"""Exact neighbors with the help of a device: how long they take, and whether they are those of the CPU."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from benchmarks.million import grouped
from benchmarks.sheet import Sheet
from hypcse.graph.neighbors.exact import Queries, brute_force
from hypcse.graph.neighbors.gpu import nearest_on_gpu

K, N_CHECKED = 10, 2_000


def sheets(device: str, small: bool) -> Iterator[Sheet]:
    """Tables of 16 and of 384 columns, whole and as new points."""
    sizes = ((20_000, 4_000) if small else (1_000_000, 200_000)) + (1_000 if small else 100_000,)
    nearest_on_gpu(grouped(2_000)[0], K, device=device)
    low, high = grouped(sizes[0])[0], wide(sizes[1])
    new = grouped(sizes[0] + sizes[2])[0][-sizes[2] :]
    rows = (
        measured(f"{len(low):,} x {low.shape[1]}", low, None, device),
        measured(f"{len(high):,} x {high.shape[1]}", high, None, device),
        measured(f"{len(high):,} x {high.shape[1]}, unit rows (cosine)", unit(high), None, device),
        measured(f"{len(new):,} new points among {len(low):,} x {low.shape[1]}", low, new, device),
    )
    columns = ("table", "seconds", f"of {N_CHECKED:,} rows those as on the CPU, bit for bit")
    yield Sheet(f"The {K} nearest neighbors, exactly, on {device}", columns, rows)


def measured(name: str, X: NDArray[np.float32], new: NDArray[np.float32] | None, device: str) -> tuple[str, str, str]:
    """Seconds, and how many of a sample of rows equal those of brute force."""
    wanted = None if new is None else Queries.new(new)
    began = time.perf_counter()
    found = nearest_on_gpu(X, K, wanted, device=device)
    seconds = time.perf_counter() - began
    if found is None:
        return name, f"{seconds:.1f}", "not searched: too many rows stay open in single precision"
    rows = np.sort(np.random.default_rng(1).choice(len(found[0]), min(N_CHECKED, len(found[0])), replace=False))
    indices, squared = brute_force(X, K, Queries.rows(X, rows) if wanted is None else wanted.part(rows))
    right = (indices == found[0][rows]).all(axis=1) & (squared == found[1][rows]).all(axis=1)
    return name, f"{seconds:.1f}", f"{int(right.sum()):,} of {len(rows):,}"


def wide(n_points: int) -> NDArray[np.float32]:
    """Points like those of a text encoder: many directions, most of them noise, around some hundred topics."""
    rng = np.random.default_rng(2)
    topics = rng.normal(size=(300, 384)).astype(np.float32)
    noise = rng.standard_normal(size=(n_points, 384), dtype=np.float32)
    return topics[rng.integers(300, size=n_points)] + 0.7 * noise


def unit(X: NDArray[np.float32]) -> NDArray[np.float32]:
    """Rows of length 1."""
    return X / np.linalg.norm(X, axis=1, keepdims=True)

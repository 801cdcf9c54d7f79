"""Neighbors that a device proposes are those of brute force, to the last bit; here the device is the CPU."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from hypcse import HypcseWarning
from hypcse.graph import nearest_neighbors
from hypcse.graph.neighbors import gpu as on_gpu
from hypcse.graph.neighbors import search
from hypcse.graph.neighbors.exact import Queries, brute_force
from hypcse.graph.neighbors.gpu import _search_cells, find_gpu, nearest_on_gpu
from hypcse.graph.neighbors.search import neighbors_among

RNG = np.random.default_rng(0)
CENTERS = 3 * RNG.normal(size=(20, 16))
POINTS = CENTERS[RNG.integers(20, size=1500)] + 0.3 * RNG.normal(size=(1500, 16))
TABLES = {
    "clusters": POINTS,
    "single": POINTS.astype(np.float32),
    "copies": np.repeat(POINTS[:300], 4, axis=0),
    "grid": RNG.integers(0, 3, size=(900, 8)).astype(float),
    "shifted": POINTS[:900] + 1e6,
    "tiny": 1e-30 * POINTS[:900],
    "wide": RNG.normal(size=(700, 300)),
    "few": POINTS[:20],
}


def same(found: tuple[NDArray, NDArray] | None, expected: tuple[NDArray, NDArray]) -> bool:
    return found is not None and all(np.array_equal(one, two) for one, two in zip(found, expected, strict=True))


@pytest.mark.parametrize("name", TABLES)
def test_they_are_those_of_brute_force(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """In many blocks, and with open rows searched again."""
    monkeypatch.setattr(on_gpu, "BLOCK_BYTES", 2**20)
    monkeypatch.setattr(on_gpu, "MEASURED", 257)
    monkeypatch.setattr(on_gpu, "MAX_OPEN", 1.0)
    X = np.ascontiguousarray(TABLES[name])
    assert same(nearest_on_gpu(X, 7, device="cpu"), brute_force(X, 7))


TIGHT = np.vstack([RNG.normal(size=(1400, 8)), 100 + 1e-4 * RNG.normal(size=(20, 8))])


@pytest.mark.parametrize("name", ["clusters", "single", "copies", "grid", "wide", "tight"])
def test_cells_near_their_own_hold_the_neighbors_of_points(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """In several blocks; each distance is exact, whichever neighbor it is of."""
    for option, value in {"MAX_ALL": 600, "CELL": 60, "BLOCK_BYTES": 2**22, "MEASURED": 257, "MOST": 1.0}.items():
        monkeypatch.setattr(on_gpu, option, value)
    X = np.ascontiguousarray(TABLES.get(name, TIGHT))
    compared = []
    monkeypatch.setattr(on_gpu, "_search_cells", lambda *known: compared.append(_search_cells(*known)) or compared[0])
    found, expected = nearest_on_gpu(X, 7, device="cpu"), brute_force(X, 7)
    assert compared and same(found, compared[0])
    assert (found[1] <= expected[1][:, -1:]).mean() > 0.99
    again = ((X[:, None].astype(float) - X[found[0]]) ** 2).sum(axis=2)
    assert np.allclose(found[1], again) and (found[0] != np.arange(len(X))[:, None]).all()


def test_new_points_far_ones_among_them() -> None:
    new = np.vstack([POINTS[:300] + 0.05, 1e30 * POINTS[:2]])
    assert same(nearest_on_gpu(POINTS, 5, Queries.new(new), device="cpu"), brute_force(POINTS, 5, Queries.new(new)))


def test_a_table_that_single_precision_cannot_resolve_is_left_to_others() -> None:
    X = POINTS.copy()
    X[0] *= 1e9
    assert nearest_on_gpu(X, 5, device="cpu") is None


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_a_card_is_used_where_there_is_one(metric: str, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def watched(*given, **options):
        calls.append(options["device"])
        return nearest_on_gpu(*given, **options)

    monkeypatch.setattr(search, "nearest_on_gpu", watched)
    monkeypatch.setattr(search, "MAX_EXACT", 500)
    monkeypatch.setattr(search, "find_gpu", lambda: "cpu")
    found = nearest_neighbors(POINTS, 5, metric=metric)
    expected = nearest_neighbors(POINTS, 5, metric=metric, algorithm="brute")
    assert calls == ["cpu"] and same(found, expected)
    assert same(neighbors_among(POINTS, POINTS[:600] + 0.1, 4), _by_hand(POINTS, POINTS[:600] + 0.1, 4))
    assert len(calls) == 2
    nearest_neighbors(POINTS, 5, metric=metric, algorithm="brute")
    assert len(calls) == 2


def _by_hand(X: NDArray, points: NDArray, k: int) -> tuple[NDArray, NDArray]:
    indices, squared = brute_force(X, k, Queries.new(points))
    return indices, np.sqrt(squared)


@pytest.mark.parametrize("error", [RuntimeError("no kernel image\nfor this GPU"), MemoryError()])
def test_a_card_that_cannot_be_used_leaves_the_search_to_the_cpu(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*given):
        raise error

    monkeypatch.setattr(on_gpu._Table, "__init__", broken)
    monkeypatch.setattr(search, "MAX_EXACT", 500)
    monkeypatch.setattr(search, "find_gpu", lambda: "cpu")
    reason = "no kernel image" if str(error) else "MemoryError"
    text = f"^the GPU was not used for neighbors: {reason}; the CPU is used.$"
    with pytest.warns(HypcseWarning, match=text):
        found = nearest_neighbors(POINTS, 5)
    assert np.mean(found.indices == nearest_neighbors(POINTS, 5, algorithm="brute").indices) > 0.98
    new = POINTS[:600] + 0.1
    with pytest.warns(HypcseWarning, match=text):
        assert same(neighbors_among(POINTS, new, 4), _by_hand(POINTS, new, 4))


def test_precision_that_the_program_chose_stays() -> None:
    kept = torch.get_float32_matmul_precision()
    try:
        torch.set_float32_matmul_precision("high")
        nearest_on_gpu(POINTS[:100], 5, device="cpu")
        assert torch.get_float32_matmul_precision() == "high"
    finally:
        torch.set_float32_matmul_precision(kept)


def test_without_a_gpu_none_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert find_gpu() is None
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert find_gpu() == "cuda"

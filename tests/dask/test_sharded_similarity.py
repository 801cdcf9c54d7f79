"""The sharded similarity graph: equal to the one in memory where there is one shard, near it where there are more."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dask.array as da
import numpy as np
import pytest
from sklearn.datasets import load_digits

import hypcse
from hypcse._progress import Progress, Stopped
from hypcse.dask import similarity_graph
from hypcse.dask.edge_files import Edges
from hypcse.dask.similarity.blocks import column_facts, join_columns, learn_scaling

ONE_SHARD: list[dict[str, Any]] = [
    {},
    {"bandwidth": "median"},
    {"bandwidth": "median", "n_neighbors": 7, "metric": "cosine", "scale": "none"},
    {"scale": "rank"},
    {"bandwidth": "auto", "scale": "rank"},
    {"scale": "standard", "algorithm": "brute", "bandwidth": 2.0},
]


def blobs(n: int, d: int = 8) -> np.ndarray:
    rng = np.random.default_rng(1)
    return rng.normal(size=(12, d))[rng.integers(0, 12, n)] * 4 + rng.normal(size=(n, d))


@pytest.mark.parametrize("options", ONE_SHARD, ids=str)
def test_one_shard_gives_the_graph_in_memory(options: dict[str, Any], client: Any) -> None:
    """Of a table with exact copies, in one block and in several, in one part and in several."""
    X = np.vstack([load_digits().data[:300], np.repeat(load_digits().data[:1], 14, axis=0)])
    expected = hypcse.similarity_graph(X, **options)
    for chunks, n_parts in ((len(X), 1), (100, 3)):
        if options.get("scale") == "standard" and chunks == 100:
            continue
        result = similarity_graph(da.from_array(X, chunks=(chunks, -1)), n_parts=n_parts, client=client, **options)
        assert result.to_graph() == expected
        assert result.n_parts == n_parts


def test_a_bandwidth_too_small_is_replaced_as_in_memory(client: Any) -> None:
    X = load_digits().data[:200]
    with pytest.warns(hypcse.HypcseWarning, match="median"):
        expected = hypcse.similarity_graph(X, bandwidth=0.01)
    with pytest.warns(hypcse.HypcseWarning, match="median"):
        assert similarity_graph(X, bandwidth=0.01, client=client).to_graph() == expected


def test_columns_are_scaled_alike_however_rows_are_cut(client: Any) -> None:
    X = np.random.default_rng(0).normal(size=(500, 3)).astype(np.float32) * [1, 100, 0] + [0, 5, 7]
    whole = hypcse.graph.scale_features(X, "standard")
    rows = da.from_array(X, chunks=(70, -1))
    facts = join_columns(column_facts(X[first : first + 70], first) for first in range(0, 500, 70))
    assert facts.n_rows == 500
    scaling = learn_scaling(client, rows, "standard", "euclidean", facts, X)
    np.testing.assert_allclose(scaling.apply(X), whole, rtol=1e-6, atol=1e-6)


def test_many_shards_find_most_neighbors(client: Any, tmp_path: Path) -> None:
    X = blobs(3000)
    result = similarity_graph(da.from_array(X, chunks=(700, -1)), shard_rows=600, folder=tmp_path, client=client)
    exact = hypcse.similarity_graph(X, algorithm="brute")
    W, V = result.to_graph().to_scipy(), exact.to_scipy()
    shared = (W.minimum(V)).sum() / V.sum()
    assert shared > 0.97 and abs(W - W.T).max() == 0
    assert np.array_equal(result.self_weights, np.ones(3000))
    assert not list(tmp_path.glob("work-*"))


def test_empty_blocks_are_passed_over(client: Any) -> None:
    X = blobs(10)
    result = similarity_graph(da.from_array(X, chunks=((0, 6, 0, 4), -1)), 3, client=client)
    assert result.to_graph() == hypcse.similarity_graph(X, 3)


def test_a_shard_of_copies_is_searched_in_slices(client: Any, tmp_path: Path) -> None:
    """Sixty of a hundred rows are the same; the largest search is still about as large as any."""
    X = blobs(2000)
    X[np.random.default_rng(0).permutation(2000)[:1200]] = X[0]
    options: dict[str, Any] = {"shard_rows": 100, "client": client}
    with pytest.raises(Stopped):
        similarity_graph(X, folder=tmp_path, callback=lambda progress: progress.stage == "best neighbors", **options)
    rows = [np.unique(Edges.read(path).source).size for path in tmp_path.glob("work-*/neighbors-*.parquet")]
    assert max(rows) <= 400 and sum(rows) >= 4000 - 2
    result = similarity_graph(X, folder=tmp_path, **options)
    assert result.volume > 0.99 * hypcse.similarity_graph(X, algorithm="brute").volume
    assert result.to_graph() == similarity_graph(da.from_array(X, chunks=(300, -1)), **options).to_graph()
    same = similarity_graph(np.ones((1000, 2)), shard_rows=100, client=client)
    assert same.n_edges >= 5000


def test_shards_of_fewer_rows_than_probes(client: Any) -> None:
    assert similarity_graph(blobs(40), 2, shard_rows=2, n_probes=3, client=client).n_edges > 20


def test_what_was_stopped_goes_on_and_what_ended_is_not_repeated(client: Any, tmp_path: Path) -> None:
    X = blobs(3000)
    options: dict[str, Any] = {"shard_rows": 1000, "folder": tmp_path, "client": client}
    with pytest.raises(Stopped, match="kept in"):
        similarity_graph(X, callback=lambda progress: progress.stage == "best neighbors", **options)
    searched = {path: path.stat().st_mtime_ns for path in tmp_path.glob("work-*/neighbors-*.parquet")}
    assert len(searched) == 6
    stages: list[Progress] = []

    def unchanged(expected: Progress) -> None:
        stages.append(expected)
        if expected.stage == "weights":
            assert all(path.stat().st_mtime_ns == time for path, time in searched.items())

    result = similarity_graph(X, callback=unchanged, **options)
    assert {expected.stage for expected in stages} >= {"scaling", "shards", "neighbors", "weights", "edges"}
    stages.clear()
    assert similarity_graph(X, callback=stages.append, **options).to_graph() == result.to_graph()
    assert {expected.stage for expected in stages} == {"scaling"}
    with pytest.raises(ValueError, match="another table"):
        similarity_graph(X, 5, **options)


def test_what_was_cut_otherwise_goes_on_all_the_same(client: Any, tmp_path: Path) -> None:
    """In other blocks; the parts are those of the first call."""
    X = np.round(blobs(400) * 8) / 8
    options: dict[str, Any] = {"shard_rows": 100, "client": client, "scale": "none", "bandwidth": 9.0}
    expected = similarity_graph(da.from_array(X, chunks=(256, -1)), **options).to_graph()
    for first, then in ((5, 2), (2, 5), (5, None)):
        folder = tmp_path / f"{first}-{then}"
        with pytest.raises(Stopped):
            similarity_graph(
                da.from_array(X, chunks=(256, -1)),
                n_parts=first,
                folder=folder,
                callback=lambda progress: progress.stage == "best neighbors",
                **options,
            )
        result = similarity_graph(da.from_array(X, chunks=(128, -1)), n_parts=then, folder=folder, **options)
        assert result.to_graph() == expected and result.n_parts == first


def test_what_is_wrong_is_said_in_one_line(client: Any) -> None:
    X = blobs(50)
    X[33, 2] = np.nan
    with pytest.raises(ValueError, match=r"\(33, 2\)"):
        similarity_graph(da.from_array(X, chunks=(10, -1)), client=client)
    with pytest.raises(ValueError, match="precomputed"):
        similarity_graph(blobs(50), metric="precomputed", client=client)
    with pytest.raises(ValueError, match="two-dimensional"):
        similarity_graph(da.zeros(5), client=client)

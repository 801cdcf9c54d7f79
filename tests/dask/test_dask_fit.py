"""A fit on a cluster: the answer of the estimator in memory, labels in the chunks of the table, and a restart."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dask.array as da
import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.metrics import adjusted_rand_score

import hypcse
from hypcse._progress import Progress, Stopped
from hypcse.dask import DistributedGraph, fit
from hypcse.dask.fitting import LEAST, edges_within
from hypcse.dask.linkage import MEMORY_LIMIT


def test_a_fit_is_that_of_the_estimator(client: Any) -> None:
    """Of a table of one shard and a graph that fits one worker: the same tree, and the levels that its edges say."""
    X = load_digits().data[:700]
    seen: list[Progress] = []
    result = fit(da.from_array(X, chunks=((300, 150, 250), -1)), callback=seen.append, client=client)
    expected = hypcse.EntropyClustering().fit(X)
    assert np.array_equal(result.tree.parent, expected.tree_.parent)
    by_edges = hypcse.levels(expected.tree_, expected.graph_)
    assert len(result.levels) == len(by_edges) and result.main == by_edges.main
    assert all(adjusted_rand_score(*pair) == 1 for pair in zip(result.levels, by_edges, strict=True))
    assert result.labels.chunks == ((300, 150, 250),)
    assert result.main is not None and np.array_equal(result.labels.compute(), result.levels[result.main])
    assert result.entropy == pytest.approx(expected.entropy_, rel=1e-9)
    assert result.structure.found == expected.structure_.found
    assert {one.stage for one in seen} >= {"scaling", "neighbors", "components", "levels"}


def test_linkage_in_rounds_and_a_number_of_clusters(client: Any, tmp_path: Path) -> None:
    X = load_digits().data[:700]
    options: dict[str, Any] = {"n_clusters": 10, "refine": False, "linkage": "paris"}
    result = fit(X, memory_limit=1000, folder=tmp_path, client=client, **options)
    expected = hypcse.EntropyClustering(**options).fit(X)
    assert np.array_equal(result.tree.parent, expected.tree_.parent)
    assert np.array_equal(result.labels.compute(), expected.labels_) and result.main is None
    assert {path.name for path in tmp_path.iterdir()} == {"graph"}


def test_a_graph_is_clustered_as_it_is(client: Any, tmp_path: Path) -> None:
    graph = hypcse.similarity_graph(load_digits().data[:300], 20)
    result = fit(DistributedGraph.from_graph(graph, tmp_path, 2), client=client)
    expected = hypcse.EntropyClustering().fit(graph)
    assert result.entropy == pytest.approx(expected.entropy_, rel=1e-9)
    assert result.labels.size == 300 and result.labels.numblocks == (2,)


def test_a_fit_that_was_stopped_goes_on(client: Any, tmp_path: Path) -> None:
    X = load_digits().data[:300]
    with pytest.raises(Stopped):
        fit(X, folder=tmp_path, client=client, callback=lambda progress: progress.stage == "components")
    stages: list[str] = []
    result = fit(X, folder=tmp_path, client=client, callback=lambda progress: stages.append(progress.stage))
    assert "neighbors" not in stages and "levels" in stages
    assert result.tree.n_leaves == 300


def test_what_is_wrong_is_said_before_any_work(client: Any) -> None:
    with pytest.raises(ValueError, match="linkage"):
        fit(np.zeros((5, 2)), linkage="entropy", client=client)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="refine"):
        fit(np.zeros((5, 2)), refine="hard", client=client)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="n_clusters=6 must be between 1 and 5"):
        fit(np.zeros((5, 2)), 6, client=client, callback=lambda progress: pytest.fail(progress.stage))


def test_labels_keep_empty_chunks(client: Any) -> None:
    result = fit(da.from_array(load_digits().data[:60], chunks=((0, 40, 20), -1)), client=client)
    assert result.labels.chunks == ((0, 40, 20),) and result.labels.compute().shape == (60,)


def test_threads_of_a_worker_share_its_memory() -> None:
    class Workers:
        def __init__(self, *limits: tuple[int, int]) -> None:
            self.limits = limits

        def scheduler_info(self, n_workers: int) -> dict[str, Any]:
            return {"workers": {k: {"memory_limit": a, "nthreads": b} for k, (a, b) in enumerate(self.limits)}}

    for limits, edges in (([(2 * 10**9, 1), (10**10, 8)], 2187500), ([(10**8, 4)], LEAST), ([(0, 1)], MEMORY_LIMIT)):
        assert edges_within(Workers(*limits)) == edges  # type: ignore[arg-type]

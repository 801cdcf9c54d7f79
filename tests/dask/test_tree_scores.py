"""Scores and levels by partial sums are those in memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dask.array as da
import numpy as np
import pytest
from sklearn.datasets import load_digits

import hypcse
from hypcse import Graph, Tree
from hypcse.dask import DistributedGraph, levels, score
from hypcse.dask.client import run_tasks
from hypcse.dask.fitting import gather_blocks, join_by_features
from hypcse.dask.tree_scores import meeting_weights, outline_graph, read_tree
from hypcse.entropy import lca_weights
from hypcse.graph.scaling import fit_scaling
from hypcse.search.join import gather_points


@pytest.fixture(scope="module")
def digits() -> tuple[np.ndarray, Graph, Tree]:
    """Digits, a graph with several components, and its tree."""
    X = load_digits().data[:600]
    graph = hypcse.similarity_graph(X, 4)
    assert graph.components().max() > 0
    return X, graph, hypcse.graph_linkage(graph)


@pytest.fixture(scope="module")
def parts(digits: tuple[np.ndarray, Graph, Tree], tmp_path_factory: pytest.TempPathFactory) -> DistributedGraph:
    return DistributedGraph.from_graph(digits[1], tmp_path_factory.mktemp("digits"), 3)


@pytest.mark.parametrize("self_loops", ["paper", "exact", "drop"])
def test_scores_are_those_in_memory(self_loops: Any, digits: Any, parts: DistributedGraph, client: Any) -> None:
    _, graph, tree = digits
    expected = hypcse.score(tree, graph=graph, self_loops=self_loops)
    assert score(tree, parts, self_loops, client) == pytest.approx(expected, rel=1e-9)
    multiway = hypcse.compress(tree, graph, 3)
    assert score(multiway, parts, self_loops) == pytest.approx(
        hypcse.score(multiway, graph=graph, self_loops=self_loops), rel=1e-9
    )


def test_an_outline_meets_where_the_graph_does(digits: Any, parts: DistributedGraph, client: Any) -> None:
    """On the tree and on contracted ones; its degrees are the graph's."""
    _, graph, tree = digits
    np.testing.assert_allclose(meeting_weights(tree, parts, client), lca_weights(tree, graph), rtol=1e-12)
    outline = outline_graph(tree, parts, client, parts.components(client))
    assert outline.n_edges < tree.n_leaves and outline.volume == pytest.approx(graph.volume)
    assert np.array_equal(outline.degrees, graph.degrees)
    for other in (tree, hypcse.compress(tree, graph, 3), hypcse.compress(tree, graph, 6)):
        np.testing.assert_allclose(lca_weights(other, outline), lca_weights(other, graph), rtol=1e-9, atol=1e-12)
    assert outline.scaled(2.0).volume == pytest.approx(2 * graph.volume)


def test_the_tree_is_read_from_files_that_are_gone_in_the_end(
    digits: Any, parts: DistributedGraph, client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Scattered data would be lost with the workers that hold them."""
    monkeypatch.setattr(type(client), "scatter", None)
    seen: list[bool] = []

    def watched(*given: Any, **shared: Any) -> Any:
        seen.append(any(parts.folder.glob(".tree-*/parent.npy")))
        return run_tasks(*given, **shared)

    monkeypatch.setattr("hypcse.dask.tree_scores.run_tasks", watched)
    meeting_weights(digits[2], parts, client)
    assert seen == [True] and not list(parts.folder.glob(".tree-*"))
    assert not any(client.run(lambda: read_tree.cache_info().currsize).values())


WISHES: list[dict[str, Any]] = [
    {},
    {"n_levels": 4},
    {"n_clusters": [3, 12]},
    {"n_clusters": 40, "min_size": 1},
    {"min_size": 10},
    {"resolution": 1.0},
]


@pytest.mark.parametrize("wishes", WISHES, ids=str)
def test_levels_are_those_in_memory(wishes: dict[str, Any], digits: Any, parts: DistributedGraph, client: Any) -> None:
    _, graph, tree = digits
    for one in (tree, hypcse.compress(tree, graph, 5)):
        result, expected = levels(one, parts, client=client, **wishes), hypcse.levels(one, graph, **wishes)
        same = [any(np.array_equal(labels, other) for other in expected) for labels in result]
        # Without wishes, levels are chosen around the main one, whose stability is that of the graph in memory.
        assert all(same) if wishes else sum(same) >= len(expected) / 2


def test_components_are_joined_as_in_memory(digits: Any, parts: DistributedGraph, client: Any) -> None:
    X, graph, tree = digits
    scaling, scaled = fit_scaling(X)
    rows = da.from_array(X, chunks=(170, -1))
    groups = np.arange(len(X)) % 7
    result, expected = gather_blocks(client, rows, groups, scaling, "euclidean"), gather_points(scaled, groups)
    for name in ("sizes", "means", "squares"):
        np.testing.assert_allclose(getattr(result, name), getattr(expected, name), rtol=1e-9)
    joined, outline = join_by_features(tree, parts, rows, scaling, "euclidean", client)
    in_memory = hypcse.join_components(tree, graph, X, bridges=True)
    assert np.array_equal(joined.parent, in_memory.parent)
    np.testing.assert_allclose(joined.height, in_memory.height, rtol=1e-9)
    np.testing.assert_allclose(lca_weights(joined, outline), lca_weights(joined, graph), rtol=1e-9, atol=1e-12)


def test_what_does_not_fit_is_said(digits: Any, parts: DistributedGraph, client: Any, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="600 vertices"):
        score(Tree([-1], [0.0]), parts)
    with pytest.raises(TypeError, match="linkage matrix"):
        levels(digits[2].to_linkage(), parts)

"""Subtrees refined side by side: the tree is never worse, and does not depend on the partitioning."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypcse import Graph, Tree, graph_linkage, robinson_foulds, similarity_graph, structural_entropy
from hypcse.dask import DistributedGraph, refine
from hypcse.dask.subtree_search import cut_subtrees


def of_points(n: int) -> Graph:
    rng = np.random.default_rng(0)
    return similarity_graph(rng.normal(size=(n, 4)) + 4 * rng.integers(0, 4, size=(n, 1)), n_neighbors=6)


@given(n=st.integers(2, 40), limit=st.integers(0, 80), seed=st.integers(0, 99))
def test_a_tree_taken_apart_and_put_together_is_the_same(n: int, limit: int, seed: int) -> None:
    """Whatever the limit: subtrees have all leaves once, and top and subtrees make the tree."""
    rng = np.random.default_rng(seed)
    W = np.triu(rng.uniform(size=(n, n)) * (rng.random((n, n)) < 0.3), 1)
    graph = Graph.from_scipy(W + W.T)
    tree, counts = graph_linkage(graph), np.diff(graph.indptr)
    cut = cut_subtrees(tree, counts, limit)
    assert cut.size.sum() == n and np.array_equal(np.sort(cut.order), np.arange(n))
    parent = cut.joined(cut.top(), [])
    assert robinson_foulds(Tree(parent, np.maximum(np.arange(parent.size) - n + 1.0, 0.0)), tree) == 0


@pytest.mark.parametrize("start", ["single", "average"])
def test_never_worse_and_the_same_for_every_partitioning(start: Any, client: Any, tmp_path: Path) -> None:
    graph = of_points(400)
    tree = graph_linkage(graph, start)
    result = []
    for n_parts in (2, 5):
        over = DistributedGraph.from_graph(graph, tmp_path / str(n_parts), n_parts)
        expected: list[Any] = []
        result.append(refine(tree, over, memory_limit=graph.n_edges // 3, client=client, callback=expected.append))
        assert len(expected) >= 2
    assert structural_entropy(result[0], graph) < structural_entropy(tree, graph)
    assert np.array_equal(result[0].parent, result[1].parent)
    assert result[0].is_binary and result[0].n_leaves == 400


def test_what_stops_and_what_is_refused(client: Any, tmp_path: Path) -> None:
    graph = of_points(120)
    tree, over = graph_linkage(graph, "single"), DistributedGraph.from_graph(graph, tmp_path / "120")
    stopped = refine(tree, over, memory_limit=graph.n_edges // 3, client=client, callback=lambda progress: True)
    assert structural_entropy(stopped, graph) <= structural_entropy(tree, graph) + 1e-12
    with pytest.raises(ValueError, match="120 leaves, but the graph has 50 vertices|has 50"):
        refine(tree, DistributedGraph.from_graph(of_points(50), tmp_path / "50"), client=client)
    flat = Tree(np.append(np.full(120, 120), -1), np.append(np.zeros(120), 1.0))
    with pytest.raises(ValueError, match="Pass a binary one"):
        refine(flat, over, memory_limit=10, client=client)

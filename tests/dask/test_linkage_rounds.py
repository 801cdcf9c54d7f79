"""Linkage in rounds finds the tree of linkage in memory, for every partitioning, also where almost all is a tie."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hypcse import Graph, Tree, robinson_foulds, similarity_graph
from hypcse import graph_linkage as linkage_in_memory
from hypcse.dask import DistributedGraph, graph_linkage

METHODS = ("average", "paris")


def grid(side: int) -> Graph:
    """An unweighted grid, numbered row by row."""
    ids = np.arange(side * side).reshape(side, side)
    across, down = (ids[:, :-1].ravel(), ids[:, 1:].ravel()), (ids[:-1].ravel(), ids[1:].ravel())
    return Graph.from_edges(*(np.concatenate(ends) for ends in zip(across, down, strict=True)))


def complete(n: int) -> Graph:
    """All pairs, at equal weights whose multiples are no short fractions."""
    return Graph.from_scipy(np.full((n, n), 0.1))


def several_components() -> Graph:
    """Equal rings, pairs and vertices by themselves."""
    ring = np.arange(12)
    i = np.concatenate([ring + 12 * k for k in range(5)] + [np.arange(60, 80, 2)])
    j = np.concatenate([(ring + 1) % 12 + 12 * k for k in range(5)] + [np.arange(61, 81, 2)])
    return Graph.from_edges(i, j, np.where(i % 3 == 0, 0.3, 0.1), 85)


def of_categories() -> Graph:
    """Points of few distinct rows: sums of a handful of weights, over and over."""
    return similarity_graph(np.random.default_rng(5).integers(0, 3, size=(150, 4)).astype(float), n_neighbors=8)


def of_points() -> Graph:
    """Points in groups, with loops."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4)) + 4 * rng.integers(0, 4, size=(300, 1))
    W = similarity_graph(X, n_neighbors=6).to_scipy().tolil()
    W.setdiag(rng.uniform(0, 1, 300))
    return Graph.from_scipy(W.tocsr())


GRAPHS = {"grid": grid(14), "complete": complete(26), "components": several_components()}
GRAPHS |= {"categories": of_categories(), "points": of_points()}


def assert_same(result: Tree, expected: Tree) -> None:
    assert robinson_foulds(result, expected) == 0
    assert np.array_equal(result.parent, expected.parent)
    np.testing.assert_allclose(result.height, expected.height, atol=1e-9)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", GRAPHS)
def test_every_partitioning_gives_the_tree_in_memory(name: str, method: Any, client: Any, tmp_path: Path) -> None:
    graph = GRAPHS[name]
    expected, rounds = linkage_in_memory(graph, method), []
    for n_parts, share in ((2, 2), (3, 4), (7, 3)):
        over = DistributedGraph.from_graph(graph, tmp_path / str(n_parts), n_parts)
        told: list[Any] = []
        limit = graph.n_edges // share
        assert_same(graph_linkage(over, method, memory_limit=limit, client=client, callback=told.append), expected)
        rounds.append(len(told) - 1)
    assert min(rounds) >= 1

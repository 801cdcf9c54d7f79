"""The complete graph's entropy against the graph itself."""

from __future__ import annotations

import numpy as np
import pytest

from hypcse import Graph, graph_linkage, similarity_graph, structural_entropy
from hypcse.entropy.structural import CompleteGraph


@pytest.mark.parametrize("n", [1, 2, 3, 40])
def test_equals_the_entropy_on_the_matrix(n):
    X = np.random.default_rng(n).normal(size=(n, 3)).astype(np.float32)
    D = np.square(X[:, None].astype(float) - X[None].astype(float)).sum(axis=2)
    graph = Graph.from_scipy(np.exp(-D))
    complete = CompleteGraph(X)
    assert complete.degrees == pytest.approx(graph.degrees)
    tree = graph_linkage(similarity_graph(X) if n > 1 else graph)
    assert complete.entropy(tree) == pytest.approx(structural_entropy(tree, graph))


def test_sizes_must_fit():
    tree = graph_linkage(Graph.from_edges([0], [1]))
    with pytest.raises(ValueError, match="2 leaves, but there are 3 points"):
        CompleteGraph(np.eye(3)).entropy(tree)

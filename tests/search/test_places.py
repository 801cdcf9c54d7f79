"""Where a new vertex adds least structural entropy: against all nodes of the tree."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from graph_strategies import graphs_with_trees
from hypcse import Graph, Tree, structural_entropy
from hypcse.graph.similarity import Links
from hypcse.search.places import cheapest_places


@st.composite
def cases(draw):
    """A graph, a tree, and the links of one new vertex."""
    graph, tree = draw(graphs_with_trees())
    n = graph.n_vertices
    ends = draw(st.lists(st.integers(0, n - 1), unique=True, min_size=1, max_size=n))
    weights = draw(st.lists(st.floats(0.01, 10), min_size=len(ends), max_size=len(ends)))
    return graph, tree, ends, weights


def links(ends, weights):
    return Links(np.array([ends]), np.zeros((1, len(ends))), np.array([weights]))


def with_vertex(graph, ends, weights):
    """The graph with one more vertex."""
    n = graph.n_vertices
    i, j, w = graph.edges()
    loops = np.flatnonzero(graph.self_weights)
    rows = np.concatenate([i, loops, np.full(len(ends), n)])
    columns = np.concatenate([j, loops, ends])
    return Graph.from_edges(rows, columns, np.concatenate([w, graph.self_weights[loops], weights]), n + 1)


@given(cases())
def test_no_other_node_is_cheaper(case):
    """The entropy of the grown graph on the grown tree, over every node beside which the leaf could stand."""
    graph, tree, ends, weights = case
    grown = with_vertex(graph, ends, weights)
    entropies = [structural_entropy(tree.attach([node]), grown) for node in range(tree.n_nodes)]
    place = int(cheapest_places(tree, graph, links(ends, weights))[0])
    assert entropies[place] <= min(entropies) + 1e-9


def test_a_leaf_may_belong_above_its_neighbors():
    """One that is weakly linked to a tight pair stands beside the pair, not inside it."""
    graph = Graph.from_edges([0, 2], [1, 3], [100.0, 100.0])
    tree = Tree([4, 4, 5, 5, 6, 6, -1], [0, 0, 0, 0, 1, 1, 2])
    assert cheapest_places(tree, graph, links([0, 1], [1.0, 1.0])).tolist() == [4]
    assert cheapest_places(tree, graph, links([0, 2], [90.0, 1e-3])).tolist() == [0]


def test_a_long_chain_and_company():
    """No walk is recursive, and a vertex is placed as if it were alone."""
    n = 20_000
    parent = np.concatenate([[n], np.arange(n, 2 * n - 1), np.arange(n + 1, 2 * n - 1), [-1]])
    chain = Tree(parent, np.concatenate([np.zeros(n), np.arange(1.0, n)]))
    graph = Graph.from_edges(np.arange(n - 1), np.arange(1, n))
    rng = np.random.default_rng(0)
    ends = np.stack([rng.choice(n, 5, replace=False) for _ in range(20)])
    both = Links(ends, np.ones(ends.shape), rng.random(ends.shape))
    together = cheapest_places(chain, graph, both)
    alone = [cheapest_places(chain, graph, both.part(slice(k, k + 1)))[0] for k in range(20)]
    assert together.tolist() == alone

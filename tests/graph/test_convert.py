"""Graphs of other libraries go wherever a Graph goes, and their names survive."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

import hypcse
from hypcse import Graph, Tree
from hypcse.graph import as_graph

NETWORK = nx.les_miserables_graph()
GRAPH = Graph.from_networkx(NETWORK)
NAMES = tuple(map(str, NETWORK.nodes))
BARE = hypcse.graph_linkage(GRAPH)
LABELS = np.arange(77) % 3

# Every public function of a graph, called with one.
OF_GRAPH = {
    "best_cut": lambda g: hypcse.best_cut(BARE, g),
    "beyond_chance": lambda g: hypcse.beyond_chance(g),
    "compress": lambda g: hypcse.compress(BARE, g, 3),
    "dasgupta_cost": lambda g: hypcse.dasgupta_cost(BARE, g),
    "entropy_report": lambda g: hypcse.entropy_report(BARE, g).node_entropy,
    "join_components": lambda g: hypcse.join_components(BARE, g),
    "levels": lambda g: np.stack(hypcse.levels(BARE, g)),
    "main_level": lambda g: hypcse.main_level(BARE, g),
    "normalized_entropy": lambda g: hypcse.normalized_entropy(BARE, g),
    "one_dimensional_entropy": lambda g: hypcse.one_dimensional_entropy(g),
    "refine": lambda g: hypcse.refine(BARE, g),
    "respect_labels": lambda g: hypcse.respect_labels(g, LABELS),
    "score": lambda g: hypcse.score(BARE, graph=g),
    "stability": lambda g: hypcse.stability([LABELS], g, n_resamples=1),
    "structural_entropy": lambda g: hypcse.structural_entropy(BARE, g),
    "binarize": lambda g: hypcse.search.binarize(hypcse.compress(BARE, GRAPH, 2), g),
    "entropy_by_cuts": lambda g: hypcse.entropy.entropy_by_cuts(BARE, g),
    "entropy_lower_bound": lambda g: hypcse.entropy.entropy_lower_bound(BARE, g),
    "lca_weights": lambda g: hypcse.entropy.lca_weights(BARE, g),
    "node_cuts": lambda g: hypcse.entropy.node_cuts(BARE, g),
}


@pytest.mark.parametrize("name", sorted(OF_GRAPH))
def test_other_graphs_go_wherever_a_graph_goes(name: str) -> None:
    """networkx, a sparse and a dense matrix give what the Graph gives; a dense one may be features instead."""
    call, expected = OF_GRAPH[name], OF_GRAPH[name](GRAPH)
    others = [NETWORK, GRAPH.to_scipy(), sparse.coo_matrix(GRAPH.to_scipy())]
    for other in others if name == "beyond_chance" else [*others, GRAPH.to_scipy().toarray()]:
        found = call(other)
        if isinstance(expected, np.ndarray):
            assert_array_equal(found, expected)
        else:
            assert found == expected


@pytest.mark.parametrize("method", ["average", "paris", "entropy", "single", "multilevel"])
def test_nodes_name_the_leaves(method: str) -> None:
    tree = hypcse.graph_linkage(NETWORK, method)
    assert tree.names == NAMES
    assert hypcse.graph_linkage(GRAPH.to_scipy(), method) == hypcse.graph_linkage(GRAPH, method)
    assert Tree(tree.parent, tree.height) == hypcse.graph_linkage(GRAPH, method)


def test_names_stay() -> None:
    """Through refinement and the joining of components, of which this graph has two."""
    two = nx.disjoint_union(nx.path_graph(4), nx.path_graph(5))
    two = nx.relabel_nodes(two, {k: f"node {k}" for k in range(9)})
    tree = hypcse.graph_linkage(two)
    refined = hypcse.refine(tree, two)
    joined = hypcse.join_components(refined, two, np.arange(9.0)[:, None])
    assert tree.names == refined.names == joined.names == hypcse.compress(joined, two, 2).names == tuple(two.nodes)


def test_nodes_are_matched_to_the_names_of_the_leaves() -> None:
    """In whatever order a networkx graph has its nodes; without names, and for other numbers, by position."""
    tree, turned = hypcse.graph_linkage(NETWORK), nx.Graph()
    turned.add_nodes_from(reversed(list(NETWORK.nodes)))
    turned.add_edges_from(NETWORK.edges(data=True))
    assert hypcse.structural_entropy(tree, turned) == pytest.approx(hypcse.structural_entropy(BARE, GRAPH))
    numbered = nx.convert_node_labels_to_integers(NETWORK)
    assert as_graph(numbered, NAMES) == GRAPH
    assert as_graph(numbered, tuple(map(str, reversed(range(77))))) == GRAPH.subgraph(np.arange(77)[::-1])[0]
    with pytest.raises(ValueError, match=r"are not the leaves of the tree \('Napoleon', \.\.\.\). Rename them"):
        hypcse.structural_entropy(tree, nx.relabel_nodes(NETWORK, {"Napoleon": "Bonaparte"}))


def test_what_is_no_graph() -> None:
    with pytest.raises(TypeError, match="a networkx graph or a symmetric matrix, got list"):
        hypcse.graph_linkage([[0, 1], [1, 0]])
    with pytest.raises(ValueError, match="the graph has 5 vertices"):
        hypcse.structural_entropy(BARE, nx.path_graph(5))
    with pytest.raises(TypeError, match="the tree is a ndarray"):
        hypcse.levels(BARE.to_linkage(), NETWORK)


def test_plots_take_other_graphs() -> None:
    pytest.importorskip("matplotlib").use("Agg")
    assert hypcse.plot.dendrogram(BARE, graph=NETWORK, n_clusters=4) is not None

"""Groups that vertices move into, and the start that they give."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx
from sklearn.metrics import normalized_mutual_info_score

from brute import modularity
from graph_strategies import graphs_with_trees, planted_partition
from hypcse import Graph, graph_linkage, levels, refine, structural_entropy
from hypcse.search.multilevel import multilevel_groups, multilevel_tree
from hypcse.search.run import BUDGETS, STARTS


def saving(graph: Graph, labels: np.ndarray) -> float:
    """What a partition saves of two-dimensional entropy, times V / 2."""
    total = 0.0
    for k in range(labels.max() + 1):
        members = labels == k
        inside = graph.to_scipy().toarray()[np.ix_(members, members)].sum() / 2 + graph.self_weights[members].sum() / 2
        volume = graph.degrees[members].sum()
        total += inside * np.log2(graph.volume / volume) if volume > 0 else 0.0
    return total


@given(graphs_with_trees(min_leaves=2, max_leaves=12), st.sampled_from([0.0, 0.5, 1.0, 2.0]))
def test_no_single_vertex_would_rather_be_elsewhere(case, resolution):
    """The first round ends where no move of one vertex to a neighbor's group pays, and later rounds only gain."""
    graph, _ = case
    labels = multilevel_groups(graph, resolution)
    alone = np.arange(graph.n_vertices)
    value = (
        (lambda found: saving(graph, found)) if resolution == 0 else (lambda found: scored(graph, found, resolution))
    )
    assert value(labels) >= value(alone) - 1e-9
    assert labels.tolist() == multilevel_groups(graph, resolution).tolist()
    firsts = [int(np.flatnonzero(labels == k)[0]) for k in range(labels.max() + 1)]
    assert firsts == sorted(firsts)


def scored(graph: Graph, labels: np.ndarray, resolution: float) -> float:
    W, d, V = graph.to_scipy().toarray(), graph.degrees, max(graph.volume, 1e-300)
    return ((W - resolution * np.outer(d, d) / V) / V)[labels[:, None] == labels].sum()


def test_modularity_is_as_high_as_louvain_s():
    network = nx.karate_club_graph()
    graph = Graph.from_networkx(network)
    theirs = np.empty(34, np.int64)
    for number, members in enumerate(nx.community.louvain_communities(network, seed=0)):
        theirs[list(members)] = number
    assert modularity(multilevel_groups(graph), graph) > modularity(theirs, graph) - 0.01


@given(graphs_with_trees(min_leaves=1, max_leaves=12), st.sampled_from([0.0, 1.0]))
def test_groups_are_nodes_of_the_tree_where_edges_join_them(case, resolution):
    graph, _ = case
    tree, labels = multilevel_tree(graph, resolution), multilevel_groups(graph, resolution)
    assert tree.is_binary and tree.n_leaves == graph.n_vertices
    sets = {frozenset(tree.leaves(node).tolist()) for node in range(tree.n_nodes)}
    within = Graph.from_edges(*(part[same(graph, labels)] for part in graph.edges()), graph.n_vertices).components()
    for piece in range(within.max() + 1):
        assert frozenset(np.flatnonzero(within == piece).tolist()) in sets


def same(graph: Graph, labels: np.ndarray) -> np.ndarray:
    i, j, _ = graph.edges()
    return labels[i] == labels[j]


@pytest.mark.parametrize(("case", "least"), [((20, 50, 0.3, 0.02), 0.97), ((10, 100, 0.15, 0.03), 0.95)])
def test_planted_partitions_are_levels(case, least):
    graph, y = planted_partition(*case)
    tree = refine(graph_linkage(graph), graph)
    assert max(normalized_mutual_info_score(y, labels) for labels in levels(tree, graph)) >= least


def test_the_lowest_of_all_starts_is_taken():
    graph, _ = planted_partition(6, 20, 0.5, 0.08, seed=3)
    starts = [make_start(graph) for make_start in STARTS]
    found = structural_entropy(refine(graph_linkage(graph, "single"), graph), graph)
    assert found <= min(structural_entropy(start, graph) for start in starts)
    assert found == approx(structural_entropy(refine(starts[0], graph), graph), rel=0.01)


def test_large_graphs_begin_from_the_given_tree_alone(monkeypatch):
    graph, _ = planted_partition(20, 30, 0.3, 0.06)
    small = BUDGETS["fast"]
    every = structural_entropy(refine(graph_linkage(graph), graph), graph)
    monkeypatch.setitem(BUDGETS, "fast", type(small)(small.n_sweeps, small.largest, max_whole=10))
    alone = structural_entropy(refine(graph_linkage(graph), graph), graph)
    assert every <= alone < structural_entropy(graph_linkage(graph), graph)

"""DPClusterHSBM: planted block models."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster.hierarchy import linkage
from sklearn.cluster import KMeans

import hypcse
from graph_strategies import graphs
from hypcse import Tree, methods
from hypcse.paper.methods.spectral import join_blocks
from planted import has_cluster, nested_blocks


def run(graph, **options):
    return methods.run("dp-cluster-hsbm", graph=graph, **options)


def found_all(tree, *levels):
    return all(has_cluster(tree, level == k) for level in levels for k in set(level.tolist()))


@given(k=st.integers(2, 9), seed=st.integers(0, 1000))
def test_blocks_are_joined_as_average_linkage_joins(k, seed):
    """Blocks of one vertex each: UPGMA of the negative weights."""
    rng = np.random.default_rng(seed)
    weights = np.triu(rng.random((k, k)), 1)
    weights = weights + weights.T
    members = [{a} for a in range(k)]
    result = set()
    for first, second in join_blocks(weights, np.ones(k)):
        members[first] |= members[second]
        result.add(frozenset(members[first]))
    Z = linkage(1 - weights[np.triu_indices(k, 1)], "average")
    tree = Tree.from_linkage(Z)
    assert result == {frozenset(tree.leaves(node).tolist()) for node in range(k, tree.n_nodes)}


@pytest.mark.parametrize("seed", range(5))
def test_blocks_are_k_means_of_the_best_low_rank_part(seed):
    """Of NumPy's matrix itself, row by row, by scikit-learn."""
    k = 3
    graph, _, _ = nested_blocks(seed, size=12, inside=0.5, pair=0.3, far=0.2)
    values, vectors = np.linalg.eigh(graph.to_scipy().toarray())
    rows = (vectors[:, -k:] * values[-k:]) @ vectors[:, -k:].T
    theirs = KMeans(k, n_init=50, random_state=seed).fit(rows).labels_
    assert found_all(run(graph, n_blocks=k, n_init=50), theirs)


@pytest.mark.parametrize("inner", ["random", "average"])
@given(seed=st.integers(0, 30))
def test_planted_hierarchy_is_recovered_in_any_order(inner, seed):
    graph, block, pair = nested_blocks(seed, size=30, inside=0.9)
    assert found_all(run(graph, n_blocks=4, inner=inner, random_state=seed), block, pair)
    assert hypcse.dendrogram_purity(run(graph), pair) == 1
    order = np.random.default_rng(seed).permutation(graph.n_vertices)
    shuffled = run(graph.subgraph(order)[0], n_blocks=4, inner=inner, random_state=seed)
    assert found_all(shuffled, block[order], pair[order])


@given(st.data(), st.integers(1, 12), st.sampled_from(["random", "average"]))
def test_any_graph_gives_a_binary_tree(data, n, inner):
    graph = data.draw(graphs(n))
    k = data.draw(st.none() | st.integers(1, max(1, n - 1)))
    tree = run(graph, n_blocks=k, inner=inner)
    assert tree.n_leaves == n and tree.is_binary


def test_progress_limits_and_errors():
    graph, _, _ = nested_blocks(0)
    facts = []
    assert run(graph, n_blocks=4, callback=facts.append) == run(graph, n_blocks=4)
    assert [step.share for step in facts] == [0.0, 0.25, 0.5, 0.75, 1.0]
    with pytest.raises(TimeoutError, match="dp-cluster-hsbm .* max_seconds"):
        run(graph, max_seconds=1e-9)
    with pytest.raises(ValueError, match="n_blocks=160 must be between 1 and 159"):
        run(graph, n_blocks=160)
    with pytest.raises(ValueError, match="inner='ward'"):
        run(graph, inner="ward")

"""Trees of halves, and trees made of clusters."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hypcse import Graph
from hypcse.kernels.linkage.merges import merge_parents
from hypcse.methods.linkages import halved
from hypcse.methods.options import Clock
from hypcse.paper.methods.spectral import tree_of_clusters


@given(st.integers(2, 200), st.integers(0, 1000))
def test_halving_is_balanced_and_of_runs(n, seed):
    order = np.random.default_rng(seed).permutation(n)
    merges = np.array(halved(order))
    parent = merge_parents(*np.ascontiguousarray(merges.T), n)
    depth, place = np.zeros(parent.size, int), np.argsort(order)
    ends = np.concatenate([np.stack([place, place]), np.full((2, n - 1), -1)], axis=1)
    for node in range(parent.size - 2, -1, -1):
        depth[node] = depth[parent[node]] + 1
    assert depth.max() == int(np.ceil(np.log2(n)))
    for node in range(n, parent.size):
        (low, left), (right, high) = sorted(ends[:, child].tolist() for child in np.flatnonzero(parent == node))
        assert right == left + 1
        ends[:, node] = low, high


@given(st.integers(1, 6), st.integers(0, 1000))
def test_clusters_and_their_merges_are_in_the_tree(n_clusters, seed):
    rng = np.random.default_rng(seed)
    labels = rng.permutation(np.repeat(np.arange(n_clusters), rng.integers(1, 6, n_clusters)))
    alive, pairs, members = list(range(n_clusters)), [], [set(np.flatnonzero(labels == k)) for k in range(n_clusters)]
    wanted = [set(part) for part in members]
    while len(alive) > 1:
        first, second = (int(k) for k in rng.choice(alive, 2, replace=False))
        alive.remove(second)
        members[first] = members[first] | members[second]
        pairs.append((first, second))
        wanted.append(members[first])
    graph = Graph.from_edges(*np.triu_indices(labels.size, 1), n=labels.size)
    tree = tree_of_clusters(graph, labels, halved, lambda weights, sizes: pairs, Clock("test", None, None))
    assert tree.is_binary
    clusters = [set(tree.leaves(node).tolist()) for node in range(tree.n_nodes)]
    assert all(cluster in clusters for cluster in wanted)

"""Pairs of adjacent clusters while these merge: their search trees, their table and their weights."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from graph_strategies import hubby_graphs
from hypcse import Graph
from hypcse.kernels.linkage.adjacency import Clusters
from hypcse.kernels.linkage.pairs import (
    DEGREE,
    LEAST,
    LEFT,
    MASS,
    MOST,
    NAME,
    NONE,
    OLDEST,
    OTHER,
    RANK,
    RESTING,
    RIGHT,
    ROOT,
    UP,
    WEIGHT,
    Pairs,
)
from hypcse.kernels.linkage.stretching import start_pairs, start_stretching, stretch


def stretching(graph: Graph, n_merges: int) -> Iterator[tuple[Clusters, Pairs, int]]:
    """The linkage of HCSE in search trees alone, after every so many merges."""
    at = start_stretching(graph.indptr, graph.indices, graph.weights, graph.degrees, patience=0)
    whole = graph.degrees.sum()
    pairs, left = start_pairs(at, whole), True
    while left:
        left = stretch(at, pairs, whole, at.status[0] + n_merges)
        yield at.clusters, pairs, int(at.status[0])


def in_order(pairs: Pairs, cluster: int) -> list[int]:
    """The ends in the search tree of a cluster."""
    ends: list[int] = []

    def walk(node: int, above: int) -> None:
        if node != NONE:
            assert pairs.link[node, UP] == above
            walk(pairs.link[node, LEFT], node)
            ends.append(node)
            walk(pairs.link[node, RIGHT], node)

    walk(int(pairs.tree[cluster, ROOT]), NONE)
    return ends


def at_rest(pairs: Pairs, cluster: int) -> list[int]:
    ends, end = [], int(pairs.tree[cluster, RESTING])
    while end != NONE:
        ends.append(end)
        end = int(pairs.link[end, RIGHT])
    return ends


def under(pairs: Pairs, node: int) -> list[int]:
    if node == NONE:
        return []
    return [node, *under(pairs, pairs.link[node, LEFT]), *under(pairs, pairs.link[node, RIGHT])]


def check_order(pairs: Pairs, cluster: int) -> None:
    """Largest rank first, then the least mass, then the least name; every node sums up what is under it."""
    ends = in_order(pairs, cluster)
    keys = [(-pairs.value[e, RANK], pairs.value[e, MASS], pairs.link[e, NAME]) for e in ends]
    assert keys == sorted(keys)
    for end in ends:
        below = under(pairs, end)
        assert pairs.value[end, MOST] == pairs.value[below, RANK].max()
        assert pairs.value[end, LEAST] == pairs.value[below, MASS].min()
        assert pairs.link[end, OLDEST] == pairs.link[below, NAME].min()


def check_ends(pairs: Pairs, cluster: int, cuts: dict[int, float]) -> None:
    """One end for every neighbor, with the weight between them; what was last seen is never too bad."""
    resting = at_rest(pairs, cluster)
    ends = in_order(pairs, cluster) + resting
    others = pairs.link[ends, OTHER].tolist()
    assert len(ends) == pairs.tree[cluster, DEGREE]
    assert dict(zip(others, pairs.value[ends, WEIGHT].tolist(), strict=True)) == cuts
    for end, other in zip(ends, others, strict=True):
        assert pairs.link[end ^ 1, OTHER] == cluster
        key = min(cluster, other) * pairs.tree.shape[0] + max(cluster, other)
        assert (pairs.table[pairs.table[:, 0] == key, 1] == end >> 1).all() and key in pairs.table[:, 0]
        if end in resting:
            assert pairs.name[other] > pairs.name[cluster]
        else:
            assert pairs.value[end, RANK] == pairs.value[end, WEIGHT]
            assert pairs.value[end, MASS] <= pairs.mass[other] and pairs.link[end, NAME] <= pairs.name[other]


def cuts_between(graph: Graph, member: np.ndarray) -> dict[int, dict[int, float]]:
    """The weight between clusters, each named by a vertex."""
    cuts: dict[int, dict[int, float]] = {int(c): {} for c in np.unique(member)}
    for i, j, w in zip(*graph.edges(), strict=True):
        a, b = int(member[i]), int(member[j])
        if a != b:
            cuts[a][b] = cuts[a].get(b, 0.0) + w
            cuts[b][a] = cuts[b].get(a, 0.0) + w
    return cuts


@given(graph=hubby_graphs(24), n_merges=st.integers(1, 4))
def test_pairs_are_those_of_the_clusters(graph, n_merges):
    """After any number of merges."""
    for clusters, pairs, done in stretching(graph, n_merges):
        member = np.arange(graph.n_vertices)
        for keeper, gone in zip(clusters.first[:done], clusters.second[:done], strict=True):
            member[member == gone] = keeper
        for cluster, cuts in cuts_between(graph, member).items():
            check_order(pairs, cluster)
            check_ends(pairs, cluster, cuts)


def test_a_table_that_fills_up_is_written_anew():
    """A sparse graph, most of whose pairs change hands again and again: the count of places taken falls."""
    n, rng = 2_700, np.random.default_rng(0)
    ends = rng.integers(0, n, size=(2, 2 * n))
    graph = Graph.from_edges(*ends[:, ends[0] != ends[1]], None, n)
    seen = [(done, int(pairs.used[0])) for _, pairs, done in stretching(graph, 10)]
    assert min(np.diff([used for _, used in seen])) < 0
    assert seen[-1][0] == n - np.unique(graph.components()).size

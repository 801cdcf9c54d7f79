"""Pairs of adjacent clusters while these merge: their heaps, their table and their weights."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from graph_strategies import hubby_graphs
from hypcse import Graph
from hypcse.kernels.linkage.adjacency import Clusters
from hypcse.kernels.linkage.hubs import ACTIVE, AT_REST, NONE, RESTING, Pairs
from hypcse.kernels.linkage.stretching import start_pairs, start_stretching, stretch


def stretching(graph: Graph, n_merges: int) -> Iterator[tuple[Clusters, Pairs, int]]:
    """The linkage of HCSE in heaps alone, after every so many merges."""
    at = start_stretching(graph.indptr, graph.indices, graph.weights, graph.degrees, patience=0)
    whole = graph.degrees.sum()
    pairs, left = start_pairs(at, whole), True
    while left:
        left = stretch(at, pairs, whole, at.status[0] + n_merges)
        yield at.clusters, pairs, int(at.status[0])


def in_heap(pairs: Pairs, cluster: int, side: int) -> list[int]:
    """The ends in a heap of a cluster."""
    ends: list[int] = []
    waiting = [(int(pairs.heap[cluster, side]), NONE)]
    while waiting:
        end, above = waiting.pop()
        if end != NONE:
            assert pairs.ends[end]["up"] == above
            ends.append(end)
            waiting += [(int(pairs.ends[end][child]), end) for child in ("left", "right")]
    return ends


def check_order(pairs: Pairs, cluster: int) -> None:
    """Largest rank first, then the least mass, then the least name; no end promises less than is under it."""
    for end in in_heap(pairs, cluster, ACTIVE):
        own = pairs.ends[end]
        for child in (int(own["left"]), int(own["right"])):
            if child == NONE:
                continue
            below = pairs.ends[child]
            assert (-own["rank"], own["mass"], own["name"]) < (-below["rank"], below["mass"], below["name"])
            assert own["least"] <= min(below["mass"], below["least"]) and own["lower"] >= below["lower"]
            assert own["lower"] >= below["rank"] or own["rank"] == below["rank"]


def check_ends(pairs: Pairs, cluster: int, cuts: dict[int, float]) -> None:
    """One end for every neighbor, with the weight between them; what was last seen is never too bad."""
    resting = in_heap(pairs, cluster, RESTING)
    ends = in_heap(pairs, cluster, ACTIVE) + resting
    others = pairs.ends[ends]["other"].tolist()
    assert len(ends) == pairs.degree[cluster]
    assert dict(zip(others, pairs.ends[ends]["weight"].tolist(), strict=True)) == cuts
    for end, other in zip(ends, others, strict=True):
        assert pairs.ends[end ^ 1]["other"] == cluster
        key = min(cluster, other) * pairs.degree.size + max(cluster, other)
        assert (pairs.table[pairs.table[:, 0] == key, 1] == end >> 1).all() and key in pairs.table[:, 0]
        own = pairs.ends[end]
        if end in resting:
            assert own["rank"] == AT_REST and pairs.name[other] > pairs.name[cluster]
        else:
            assert own["rank"] == own["weight"]
            assert own["mass"] <= pairs.mass[other] and own["name"] <= pairs.name[other]


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


def test_a_hub_of_two_kinds_of_neighbors_is_not_looked_through():
    """Heavy edges to large neighbors above light ones to small neighbors: d^2 steps would take minutes."""
    n = 60_000
    leaves = np.arange(1, n)
    heavy = leaves[: n // 2]
    ends = np.append(np.zeros(n - 1, np.int64), heavy), np.append(leaves, n - 1 + heavy)
    graph = Graph.from_edges(*ends, np.append(np.where(leaves <= n // 2, 1.0, 0.5), np.full(n // 2, 0.9)))
    at = start_stretching(graph.indptr, graph.indices, graph.weights, graph.degrees, patience=0)
    whole = graph.degrees.sum()
    stretch(at, start_pairs(at, whole), whole, graph.n_vertices)
    assert at.status[0] == graph.n_vertices - 1

"""Scores of a tree, and the lowest common ancestors they rest on."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

import hypcse
from benchmarks.case import Rng, Workload, case

N_CLASSES = 10
N_PAIRS = 1_000_000
NOTHING_CACHED = "a new Tree and Graph a call, over arrays made before"

Arrays: TypeAlias = tuple[NDArray[np.int64], NDArray[np.float64]]


@case(sizes=(100_000, 1_000_000), growth="n log n")
def score_balanced(n_points: int, rng: Rng) -> Workload:
    """All scores of a balanced binary tree, about 7 n edges, 10 classes."""
    order = rng.permutation(n_points)
    return _scoring(balanced(order), local_graph(order, rng), rng)


@case(sizes=(100_000, 1_000_000), growth="n log n")
def score_chain(n_points: int, rng: Rng) -> Workload:
    """All scores of a chain over a random order, about 7 n edges, 10 classes."""
    graph = local_graph(rng.permutation(n_points), rng)
    return _scoring(chain(rng.permutation(n_points)), graph, rng)


@case(sizes=(10_992,), growth="n log n", max_growth=None)
def score_pen_digits_like(n_points: int, rng: Rng) -> Workload:
    """All scores at the size of PenDigits: 10,992 points, about 77,000 edges, a random binary tree."""
    return _scoring(random_binary(n_points, rng), local_graph(rng.permutation(n_points), rng), rng)


@case(sizes=(100_000, 1_000_000), growth="n + pairs")
def lca_pairs(n_points: int, rng: Rng) -> Workload:
    """Lowest common ancestors of a million random pairs of leaves in a random binary tree."""
    parent, height = random_binary(n_points, rng)
    i, j = rng.integers(n_points, size=(2, N_PAIRS))
    return Workload(
        run=lambda: hypcse.Tree(parent, height).lca(i, j),
        note="a new Tree a call: its index is built each time",
    )


def _scoring(tree: Arrays, graph: hypcse.Graph, rng: Rng) -> Workload:
    parent, height = tree
    labels = rng.integers(N_CLASSES, size=graph.n_vertices)
    rows = graph.indptr, graph.indices, graph.weights, graph.self_weights
    return Workload(
        run=lambda: hypcse.score(hypcse.Tree(parent, height), graph=hypcse.Graph(*rows), labels=labels),
        note=NOTHING_CACHED,
        facts=lambda row: {**row, "n_edges": graph.n_edges},
    )


def local_graph(order: NDArray[np.int64], rng: Rng, per_point: int = 7) -> hypcse.Graph:
    """Each position k joined to one random position of each of the next `per_point` sevens; its vertex is order[k]."""
    position = np.repeat(np.arange(order.size), per_point)
    seven = np.tile(np.arange(per_point), order.size)
    other = position + 7 * seven + rng.integers(1, 8, size=position.size)
    inside = other < order.size
    weights = rng.uniform(0.1, 1.0, size=position.size)
    ends = order[position[inside]], order[other[inside]]
    return hypcse.Graph.from_edges(*ends, weights[inside], order.size)


def balanced(order: NDArray[np.int64]) -> Arrays:
    """Neighbors in `order` joined level by level, at height = level; an odd last one waits a level."""
    parent, height = _bare_nodes(order.size)
    current, next_id, level = order, order.size, 0
    while current.size > 1:
        level += 1
        pairs = current[: current.size // 2 * 2].reshape(-1, 2)
        joined = np.arange(next_id, next_id + len(pairs))
        parent[pairs] = joined[:, None]
        height[joined] = level
        current = np.concatenate([joined, current[2 * len(pairs) :]])
        next_id += len(pairs)
    return parent, height


def chain(order: NDArray[np.int64]) -> Arrays:
    """Leaves joined one by one in `order`, join k at height k: as deep as a tree can be."""
    n_leaves = order.size
    parent, height = _bare_nodes(n_leaves)
    parent[order] = np.maximum(np.arange(n_leaves) - 1, 0) + n_leaves
    parent[n_leaves:-1] = np.arange(n_leaves + 1, parent.size)
    height[n_leaves:] = np.arange(1, n_leaves)
    return parent, height


def random_binary(n_leaves: int, rng: Rng) -> Arrays:
    """Two random clusters of those that are left joined at a time, join k at height k."""
    parent, height = _bare_nodes(n_leaves)
    height[n_leaves:] = np.arange(1, n_leaves)
    left = list(range(n_leaves))
    draws = rng.random((n_leaves - 1, 2)).tolist()
    for node, pair in enumerate(draws, start=n_leaves):
        for draw in pair:
            place = int(draw * len(left))
            left[place], left[-1] = left[-1], left[place]
            parent[left.pop()] = node
        left.append(node)
    return parent, height


def _bare_nodes(n_leaves: int) -> Arrays:
    n_nodes = 2 * n_leaves - 1
    return np.full(n_nodes, -1, np.int64), np.zeros(n_nodes)

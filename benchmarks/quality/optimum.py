"""Refinement against the least entropy of all binary trees, on graphs small enough to try each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

import hypcse
from benchmarks.quality.sheet import Sheet
from hypcse._choices import Effort

N_GRAPHS = 100
N_VERTICES = 7
EDGE_PROBABILITY = 0.6
EFFORTS: tuple[Effort, ...] = get_args(Effort)
# Two sums of the same terms in another order differ by less.
TOLERANCE = 1e-9


class AllTrees(NamedTuple):
    """Every binary tree over n leaves by its internal nodes; bit k of a node is set where leaf k is under it.

    nodes, parents : (n_trees, n - 1) each internal node and the node above it, the root last with 0 above it.
    """

    nodes: NDArray[np.int64]
    parents: NDArray[np.int64]


@dataclass(frozen=True)
class OptimumRow:
    """One way over all graphs: how many optima it found, and how far it stayed above the optimum at worst."""

    way: str
    n_graphs: int
    n_optima: int
    worst_gap: float
    mean_gap: float


def all_trees(n_leaves: int) -> AllTrees:
    """All (2 n - 3)!! rooted binary trees.

    >>> all_trees(4).nodes.shape
    (15, 3)
    """
    return _trees_over((1 << n_leaves) - 1)


@cache
def _trees_over(leaves: int) -> AllTrees:
    """The trees over a set of leaves: each of a side that holds the last leaf with each of the other side."""
    if leaves.bit_count() == 1:
        return AllTrees(np.empty((1, 0), np.int64), np.empty((1, 0), np.int64))
    found = [_joined(leaves, side) for side in _sides(leaves)]
    return AllTrees(*(np.concatenate(arrays) for arrays in zip(*found, strict=True)))


def _sides(leaves: int) -> list[int]:
    """Proper subsets of the leaves that hold the last of them."""
    last = 1 << (leaves.bit_length() - 1)
    rest = leaves ^ last
    return [last | part for part in range(rest) if part & rest == part]


def _joined(leaves: int, side: int) -> AllTrees:
    left, right = _trees_over(side), _trees_over(leaves ^ side)
    n_left, n_right = len(left.nodes), len(right.nodes)
    root = np.full((n_left * n_right, 1), leaves)
    nodes, parents = (
        np.hstack([np.repeat(ours, n_right, axis=0), np.tile(theirs, (n_left, 1))])
        for ours, theirs in zip(left, right, strict=True)
    )
    # What had 0 above it is now under this root.
    parents[parents == 0] = leaves
    return AllTrees(np.hstack([nodes, root]), np.hstack([parents, np.zeros_like(root)]))


def entropies(trees: AllTrees, graph: hypcse.Graph) -> NDArray[np.float64]:
    """Structural entropy of every tree, (n_trees,).

    The weight that meets at node v is inside(v) less inside of its children. Gathered by inside, entropy is

        (2 sum_v inside(v) (log2 vol(v) - log2 vol(parent of v)) - sum_i d_i log2 d_i) / V

    over internal nodes, without the second logarithm at the root, and each term is read off a table of 2^n sets.
    """
    member = (np.arange(1 << graph.n_vertices)[:, None] >> np.arange(graph.n_vertices)) & 1
    W = graph.without_loops().to_scipy().toarray()
    inside = np.einsum("si,ij,sj->s", member, W, member) / 2
    bits = _log2(member @ graph.degrees)
    meeting = (inside[trees.nodes] * (bits[trees.nodes] - bits[trees.parents])).sum(axis=1)
    return (2 * meeting - graph.degrees @ _log2(graph.degrees)) / graph.volume


def random_graph(rng: np.random.Generator, n_vertices: int = N_VERTICES) -> hypcse.Graph:
    """Each pair an edge with probability 0.6, its weight between 0.1 and 1."""
    i, j = np.triu_indices(n_vertices, k=1)
    chosen = rng.random(i.size) < EDGE_PROBABILITY
    return hypcse.Graph.from_edges(i[chosen], j[chosen], rng.uniform(0.1, 1.0, size=chosen.sum()), n_vertices)


def optimum_rows(n_graphs: int = N_GRAPHS, n_vertices: int = N_VERTICES) -> list[OptimumRow]:
    """Linkage and both efforts from it, against the optimum of so many random graphs."""
    rng = np.random.default_rng(0)
    trees = all_trees(n_vertices)
    gaps = np.array([_gaps(random_graph(rng, n_vertices), trees) for _ in range(n_graphs)])
    ways = ["graph-average", *(f"refine {effort}" for effort in EFFORTS)]
    return [
        OptimumRow(way, n_graphs, int((np.abs(gap) < TOLERANCE).sum()), float(gap.max()), float(gap.mean()))
        for way, gap in zip(ways, gaps.T, strict=True)
    ]


def _gaps(graph: hypcse.Graph, trees: AllTrees) -> list[float]:
    """How far linkage and each effort stay above the optimum."""
    start = hypcse.graph_linkage(graph)
    found = [start, *(hypcse.refine(start, graph, effort=effort) for effort in EFFORTS)]
    least = entropies(trees, graph).min()
    return [hypcse.structural_entropy(tree, graph) - least for tree in found]


def optimum_sheet(rows: Sequence[OptimumRow], n_vertices: int = N_VERTICES) -> Sheet:
    """The rows as text."""
    n_trees = len(all_trees(n_vertices).nodes)
    return Sheet(
        "Small graphs",
        ("way", "graphs", "optima found", "worst gap", "mean gap"),
        tuple(
            (row.way, str(row.n_graphs), str(row.n_optima), f"{row.worst_gap:.5f}", f"{row.mean_gap:.5f}")
            for row in rows
        ),
        (
            f"Random graphs of {n_vertices} vertices: each pair an edge with probability {EDGE_PROBABILITY}, weights "
            f"between 0.1 and 1. The optimum is the least structural entropy of all {n_trees:,} binary trees.",
        ),
    )


def _log2(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """log2 with 0 for 0, where what it multiplies is 0, and for the empty set above the root."""
    return np.log2(values, where=values > 0, out=np.zeros_like(values))

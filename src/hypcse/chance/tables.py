"""How far apart the parts of a table are, and which column alone sets them apart."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hypcse.discrete.linking.linkage import graph_linkage
from hypcse.entropy import node_cuts, node_volumes
from hypcse.graph import Graph
from hypcse.graph.neighbors import nearest_neighbors
from hypcse.graph.neighbors.precomputed import distance_blocks

N_NEIGHBORS, NEAR = 15, 5
"""Number of neighbours in the graph, and which of them sets the unit of distance around a point."""
LEAST_PART = 10
"""Smaller parts do not count: single points lie far out in any long tail."""
LEAST = 1e-12
"""Smallest share of a part's weight that counts as leaving it; less is a rounding error."""
TELLING = 0.5
"""Share of the mixing of a part with the rest that a column removes if it alone can set the part apart."""


class Separation(NamedTuple):
    """How far apart the parts of a table are.

    values : (s,) of all parts of at least 10, 20, 40, ... points, the greatest separation.
    part   : (n,) which points are in the part of the greatest.
    """

    values: NDArray[np.float64]
    part: NDArray[np.bool_]


def separation(points: NDArray[np.float64], n_scales: int | None = None) -> Separation:
    """How little weight leaves the parts of the Paris tree of the neighbour graph, in doublings.

    Distances are measured in units of the distance to the fifth neighbour, so that a sparse tail is as well connected
    as a dense centre. Noise that fills few dimensions leaks less than noise that fills many: of a part of s points
    about s^(-1/dimension), which is taken off.
    """
    n = len(points)
    graph, dimension = local_similarity(points)
    tree = graph_linkage(graph, "paris")
    volumes, total = node_volumes(tree, graph.degrees), graph.volume
    sizes = np.minimum(tree.sizes, n - tree.sizes)
    inner = sizes >= min(LEAST_PART, n / 3)
    leaving = node_cuts(tree, graph)[inner] * total / (volumes[inner] * (total - volumes[inner]))
    values = -np.log2(np.maximum(leaving, LEAST)) - np.log2(sizes[inner] / N_NEIGHBORS) / dimension
    # Every binary tree has a part of at least a third, and at most two thirds, of the leaves.
    least = LEAST_PART * 2.0 ** np.arange(count_scales(n) if n_scales is None else n_scales)
    greatest = [values[sizes[inner] >= min(size, n / 3)].max() for size in least]
    part = np.zeros(n, np.bool_)
    part[tree.leaves(int(np.flatnonzero(inner)[values.argmax()]))] = True
    return Separation(np.array(greatest), part)


def count_scales(n_points: int) -> int:
    """Number of sizes of parts that are compared."""
    return max(int(np.log2(n_points / 3 / LEAST_PART)) + 1, 1)


def local_similarity(points: NDArray[np.float64]) -> tuple[Graph, float]:
    """A neighbour graph that is as dense everywhere, and the number of dimensions that the points fill.

    The weights are exp(-d / d_5) at distance d, where d_5 is that of the fifth neighbour, summed both ways. The
    dimension is the median of Levina and Bickel's estimate.
    """
    indices, distances = nearest_neighbors(points.astype(np.float32), N_NEIGHBORS, algorithm="brute")
    distances = np.maximum(distances.astype(np.float64), np.finfo(np.float32).tiny)
    weights = np.maximum(np.exp(-distances / distances[:, NEAR - 1 : NEAR]), LEAST**2)
    logs = np.log(distances)
    inverse = np.median((logs[:, -1:] - logs[:, :-1]).sum(axis=1) / (N_NEIGHBORS - 2))
    graph = Graph.from_edges(np.repeat(np.arange(len(points)), N_NEIGHBORS), indices.ravel(), weights.ravel())
    return graph, 1 / max(float(inverse), 1 / N_NEIGHBORS**2)


def telling_columns(points: NDArray[np.float64], part: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The columns each of which alone tells a part from the rest, best first.

    Column by column, rows are put into bins of neighbouring values, and Goodman and Kruskal's tau says how much less
    part and rest mix inside the bins than in the whole table.
    """
    n, share = len(part), part.mean()
    width = max(int(min(part.sum(), n - part.sum()) / 4), 5)
    ordered = np.sort(points, axis=0)[::width]
    removed = np.empty(points.shape[1])
    for k, column in enumerate(points.T):
        bins = np.searchsorted(np.unique(ordered[:, k]), column, side="right")
        size, inside = np.bincount(bins), np.bincount(bins, part)
        mixing = np.sum(inside * (1 - np.divide(inside, size, where=size > 0, out=np.zeros(size.size))))
        removed[k] = 1 - mixing / (n * share * (1 - share))
    best = np.argsort(-removed, kind="stable")
    return best[removed[best] >= TELLING]


def classical_coordinates(distances: Any, max_points: int, rng: np.random.Generator) -> NDArray[np.float64] | None:
    """Points that approximate the given distances, by classical scaling; None for sparse distances.

    The largest distance becomes 1, so that no square overflows. At most `max_points` points are sampled. All distances
    are read and checked, some rows at a time.
    """
    if sparse.issparse(distances):
        return None
    n, blocks = distance_blocks(distances)
    some = np.sort(rng.permutation(n)[:max_points])
    own = ((rows, some[(start <= some) & (some < start + len(rows))] - start) for start, rows in blocks)
    square = np.concatenate([rows[np.ix_(drawn, some)] for rows, drawn in own])
    squares = np.square(square / (square.max() or 1.0))
    inner = -0.5 * (squares - squares.mean(axis=0) - squares.mean(axis=1)[:, None] + squares.mean())
    values, axes = np.linalg.eigh(inner)
    # Values ascend; the last one is kept even if all points are equal.
    used = values > 1e-9 * max(float(values[-1]), 0.0)
    used[-1] = True
    return axes[:, used] * np.sqrt(np.maximum(values[used], 0.0))

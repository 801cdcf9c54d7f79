"""How far apart the parts of a table are, and which column alone sets them apart."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypcse.discrete.linking.linkage import graph_linkage
from hypcse.entropy import node_cuts, node_volumes
from hypcse.graph import Graph
from hypcse.graph.neighbors import nearest_neighbors

N_NEIGHBORS, NEAR = 15, 5
"""Number of neighbours in the graph, and which of them sets the unit of distance around a point."""
LEAST_PART = 10
"""Smaller parts do not count: single points lie far out in any long tail."""
LEAST = 1e-12
"""Smallest share of a part's weight that counts as leaving it; less is a rounding error."""
TELLING = 0.8
"""Share of the mixing of a part with the rest that a column removes if it alone can set the part apart."""


class Separation(NamedTuple):
    """How far apart the parts of a table are.

    values    : (s,) of all parts of at least 10, 20, 40, ... points, the greatest separation.
    part      : (n,) which points are in the part of the greatest.
    dimension : number of dimensions that the points fill.
    """

    values: NDArray[np.float64]
    part: NDArray[np.bool_]
    dimension: float


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
    return Separation(np.array(greatest), part, dimension)


def count_scales(n_points: int) -> int:
    """Number of sizes of parts that are compared."""
    return max(int(np.log2(n_points / 3 / LEAST_PART)) + 1, 1)


def local_similarity(points: NDArray[np.float64]) -> tuple[Graph, float]:
    """A neighbour graph that is as dense everywhere, and the number of dimensions that the points fill.

    The weights are exp(-d / s) at distance d, where s is the geometric mean of both points' distances to their fifth
    neighbours, and twice that between mutual neighbours. The dimension is the median of Levina and Bickel's estimate.
    """
    indices, distances = nearest_neighbors(points.astype(np.float32), N_NEIGHBORS, algorithm="brute")
    n, n_neighbors = indices.shape
    distances = np.maximum(distances.astype(np.float64), np.finfo(np.float32).tiny)
    unit = np.sqrt(distances[:, min(NEAR, n_neighbors) - 1])
    weights = np.maximum(np.exp(-distances / (unit[:, None] * unit[indices])), LEAST**2)
    logs = np.log(distances)
    inverse = np.median((logs[:, -1:] - logs[:, :-1]).sum(axis=1) / max(n_neighbors - 2, 1))
    graph = Graph.from_edges(np.repeat(np.arange(n), n_neighbors), indices.ravel(), weights.ravel())
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

"""Noise with the columns of a table: one cloud, whatever groups the table holds."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import isotonic_regression
from scipy.special import ndtr, ndtri
from scipy.stats import rankdata

from hypcse.entropy.volumes import cuts_from_weights, meeting_weights, node_volumes
from hypcse.graph import Graph
from hypcse.graph.neighbors.search import nearest_neighbors
from hypcse.graph.scaling import FEW_VALUES
from hypcse.search.linkage import link_graph

N_KNOTS = 40
"""About how many quantiles describe a column."""
SHORTEST = 8
"""The mode of a column lies in the shortest interval that holds one in so many values."""


class Cloud(NamedTuple):
    """A normal distribution whose columns are bent to the shapes of other columns: a Gaussian copula.

    axes      : (r, d) r independent normal numbers times these have the correlations of the table's normal scores.
    quantiles : for each column, values and the shares of the noise below them; linear in between.
    """

    axes: NDArray[np.float64]
    quantiles: tuple[tuple[NDArray[np.float64], NDArray[np.float64]], ...]

    def draw(self, n: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """A table of n rows."""
        shares = ndtr(rng.normal(size=(n, len(self.axes))) @ self.axes)
        return np.column_stack(
            [np.interp(u, below, values) for u, (values, below) in zip(shares.T, self.quantiles, strict=True)]
        )


def cloud_like(points: NDArray[np.float64]) -> Cloud:
    """One cloud as like a table as one cloud can be.

    Each column has the unimodal distribution nearest to that of the table's column. A column of few different values
    keeps them, so that the steps between its values are no structure. Rank correlations are those of the table.
    O(n d min(n, d)).
    """
    n, d = points.shape
    scores = ndtri((rankdata(points, axis=0) - 0.5) / n)
    deviation = scores.std(axis=0)
    scores = (scores - scores.mean(axis=0)) / np.where(deviation > 0, deviation, 1.0) / np.sqrt(n)
    if d <= n:
        variances, directions = np.linalg.eigh(scores.T @ scores)
        scores = (directions * np.sqrt(np.maximum(variances, 0.0))).T
    return Cloud(scores, tuple(_unimodal(column) for column in np.sort(points, axis=0).T))


def dip(column: NDArray[np.float64]) -> float:
    """How far values are from one mode: the largest difference to the shares of the nearest unimodal distribution.

    In doublings. Nearly the dip of Hartigan and Hartigan, whose unimodal distribution is the nearest in this sense.
    """
    ordered = np.sort(column)
    knots, below = _unimodal(ordered)
    values = np.unique(ordered)
    return float(np.log2(np.abs(_shares(ordered, values) - np.interp(values, knots, below)).max()))


def _shares(ordered: NDArray[np.float64], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The share of sorted numbers below each value, equal ones by half."""
    below, up_to = (np.searchsorted(ordered, values, side=side) for side in ("left", "right"))
    return (below + up_to) / (2 * ordered.size)


def _unimodal(column: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Quantiles of the unimodal distribution nearest to sorted values."""
    values, counts = np.unique(column, return_counts=True)
    if values.size <= FEW_VALUES:
        share = np.repeat(np.cumsum(_up_and_down(counts, np.ones(counts.size), int(counts.argmax()))), 2)
        return np.repeat(values, 2), np.append(0.0, share[:-1])
    last = column.size - 1
    ranks = np.linspace(0, last, N_KNOTS + 1).astype(np.int64)
    # Knots at the ends of a long tail too, or it would be drawn too heavy.
    tail = 2 ** np.arange(int(np.log2(ranks[1] + 1)) + 1) - 1
    knots = np.unique(column[np.concatenate([ranks, tail, last - tail])])
    window = column.size // SHORTEST
    middle = column[int(np.argmin(column[window:] - column[:-window])) + window // 2]
    mode = min(int(np.searchsorted(knots, middle, side="right")) - 1, knots.size - 2)
    share = np.cumsum(_up_and_down(np.diff(_shares(column, knots)), np.diff(knots), mode))
    return knots, np.append(0.0, share)


def _up_and_down(counts: NDArray[Any], widths: NDArray[np.float64], mode: int) -> NDArray[np.float64]:
    """Shares of the bins with the nearest density that increases up to one bin and decreases after it."""
    density = counts / widths
    up = isotonic_regression(density[: mode + 1], weights=widths[: mode + 1]).x
    down = isotonic_regression(density[mode:], weights=widths[mode:], increasing=False).x
    mass = np.append(np.append(up[:-1], max(up[-1], down[0])), down[1:]) * widths
    return mass / mass.sum()


N_NEIGHBORS, NEAR = 15, 5
"""Number of neighbors in the graph, and which of them sets the unit of distance around a point."""
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
    """How little weight leaves the parts of the Paris tree of the neighbor graph, in doublings.

    Distances are measured in units of the distance to the fifth neighbor, so that a sparse tail is as well connected
    as a dense center. Noise that fills few dimensions leaks less than noise that fills many: of a part of s points
    about s^(-1/dimension), which is taken off.
    """
    n = len(points)
    graph, dimension = local_similarity(points)
    tree = link_graph(graph, "paris")
    volumes, total = node_volumes(tree, graph.degrees), graph.volume
    sizes = np.minimum(tree.sizes, n - tree.sizes)
    inner = sizes >= min(LEAST_PART, n / 3)
    cuts = cuts_from_weights(tree, graph, meeting_weights(tree, graph))[inner]
    leaving = cuts * total / (volumes[inner] * (total - volumes[inner]))
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
    """A neighbor graph that is as dense everywhere, and the number of dimensions that the points fill.

    The weights are exp(-d / s) at distance d, where s is the geometric mean of both points' distances to their fifth
    neighbors, and twice that between mutual neighbors. The dimension is the median of Levina and Bickel's estimate.
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

    Column by column, rows are put into bins of neighboring values, and Goodman and Kruskal's tau says how much less
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

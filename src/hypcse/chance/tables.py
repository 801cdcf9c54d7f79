"""How far apart the parts of a table are, compared with noise of the same shape."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial.distance import cdist

from hypcse._choices import NeighborSearch
from hypcse.discrete.cutting.stretches import by_conductance
from hypcse.discrete.leaving import leaving_parts
from hypcse.discrete.linking.linkage import graph_linkage
from hypcse.graph import Graph
from hypcse.graph.edges import with_edges
from hypcse.graph.neighbors import unit_rows
from hypcse.graph.neighbors.precomputed import distance_blocks
from hypcse.graph.similarity import scaled_similarity

N_DRAWS = 20
N_NEIGHBORS = 10
SEARCH: NeighborSearch = "brute"
"""Neighbour search for the graphs: for so few points, brute force is fastest."""
BITS = np.array([0.5, 0.75, 0.95, 1.5, 2.0, 3.0])
"""Entropies of the part sizes at which partitions are compared."""
LEAST = 1e-12
"""Smallest weight that counts as leaving a part; less is a rounding error."""


def table_separations(
    points: NDArray[np.floating], on_sphere: bool, rng: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The `separations` of points, (6,), and those of draws of noise, (20, 6).

    Noise fills a box along the principal components evenly, with the points' variance along each.
    """
    turned, offset = principal_coordinates(points)
    # Single precision has limits and separations have no unit; scaling by a power of two is exact.
    power = -np.frexp(np.abs(offset + turned).max())[1]
    turned, offset = np.ldexp(turned, power), np.ldexp(offset, power)
    spread = np.sqrt(3.0) * turned.std(axis=0)
    draws = [offset + rng.uniform(-spread, spread, turned.shape) for _ in range(N_DRAWS)]
    found = [separations(unit_rows(table) if on_sphere else table) for table in (offset + turned, *draws)]
    return found[0], np.array(found[1:])


def separations(points: NDArray[np.floating]) -> NDArray[np.float64]:
    """How little weight leaves the parts, at each of the `BITS`: in doublings below chance.

    Of all partitions with at least that entropy in the Paris tree of the neighbour graph, the one that leaks least.
    """
    graph = connected_similarity(points.astype(np.float32))
    tree = graph_linkage(graph, "paris")
    stairs = by_conductance(tree, graph, leaving_parts(tree, graph, LEAST))
    limits = np.append(np.maximum(stairs.limits, LEAST), 1.0)
    return -np.log2(limits[np.searchsorted(stairs.entropy, BITS)])


def connected_similarity(points: NDArray[np.float32]) -> Graph:
    """The similarity graph, with its components joined by the shortest possible edges.

    The weights of these edges show how far apart the components are. O(n^2) for a sample.
    """
    graph, width = scaled_similarity(points, min(N_NEIGHBORS, len(points) - 1), "median", algorithm=SEARCH)
    components = graph.components()
    if components.max() == 0:
        return graph
    order = np.argsort(components, kind="stable")
    starts = np.searchsorted(components[order], np.arange(components.max() + 1))
    squares = cdist(points[order], points[order], "sqeuclidean")
    gaps = np.minimum.reduceat(np.minimum.reduceat(squares, starts, axis=0), starts, axis=1)
    bridges = minimum_spanning_tree(np.maximum(gaps, np.finfo(np.float64).tiny)).tocoo()
    i, j, weights = graph.edges()
    first = order[starts]
    copies = squares[components[order][:, None] == components[order]].max() == 0
    bridge_weights = np.full(bridges.nnz, LEAST) if copies else np.maximum(np.exp(-bridges.data / width**2), LEAST)
    return with_edges(
        graph, np.append(i, first[bridges.row]), np.append(j, first[bridges.col]), np.append(weights, bridge_weights)
    )


def principal_coordinates(points: NDArray[np.floating]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Centred points along their principal components, and the position of their mean.

    The last coordinate is the mean's direction outside the components, so that angles at the origin are kept.
    """
    mean = points.mean(axis=0, dtype=np.float64)
    centred = points - mean
    n, d = centred.shape
    values, axes = np.linalg.eigh(centred.T @ centred if d <= n else centred @ centred.T)
    used = values > 1e-9 * max(float(values.max()), np.finfo(float).tiny)
    axes = axes[:, used] if d <= n else centred.T @ axes[:, used] / np.sqrt(values[used])
    inside = mean @ axes
    outside = np.sqrt(max(float(mean @ mean - inside @ inside), 0.0))
    return np.column_stack([centred @ axes, np.zeros(n)]), np.append(inside, outside)


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

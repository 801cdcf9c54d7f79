"""Ward's method on centroids, by nearest-neighbour chains, in memory linear in the points."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypcse.kernels.compile import kernel
from hypcse.kernels.linkage.ward_cells import Cells, make_cells, move_cluster, nearest_cluster, remove_cluster

Ids = NDArray[np.int64]
Reals = NDArray[np.float64]


class WardChain(NamedTuple):
    """Where Ward's method stands; a cluster is named by one of its points.

    center (n, d), size (n,)  : of each cluster.
    active, place (n,)        : the clusters, only as many as there are; and where each is among them.
    chain (n,)                : nearest neighbours, each of the one before.
    first, second, height (n - 1,) : the merges.
    status (3,)               : how many clusters there are, how long the chain is, how many merges are done.
    """

    center: Reals
    size: Reals
    active: Ids
    place: Ids
    chain: Ids
    first: Ids
    second: Ids
    height: Reals
    status: Ids


def start_ward(X: Reals) -> WardChain:
    """Every point a cluster."""
    n = len(X)
    ids = np.arange(n)
    merges = np.empty(n - 1, np.int64), np.empty(n - 1, np.int64), np.empty(n - 1)
    # One copy, in rows: the kernel moves the centers.
    center = np.array(X, np.float64, order="C")
    return WardChain(center, np.ones(n), ids, ids.copy(), np.empty(n, np.int64), *merges, np.array([n, 0, 0]))


def cells_of(at: WardChain) -> Cells:
    """A k-d tree over the clusters as they are now."""
    return make_cells(at.center, at.size, np.sort(at.active[: at.status[0]]))


@kernel
def _drop(active: Ids, place: Ids, n_active: int, gone: int) -> int:
    last = active[n_active - 1]
    active[place[gone]] = last
    place[last] = place[gone]
    return n_active - 1


@kernel
def ward_merges(at: WardChain, cells: Cells, n_steps: int, n_least: int) -> None:
    """Take the next `n_steps` steps of a nearest-neighbour chain, at most until `n_least` clusters are left.

    About two or three steps make a merge. The height sqrt(2 |A| |B| / (|A| + |B|)) |c_A - c_B| is SciPy's. A step is
    O(n d) at worst.
    """
    n_active, length, done = at.status
    center, size, chain = at.center, at.size, at.chain
    while n_active > max(n_least, 1) and n_steps > 0:
        n_steps -= 1
        if length == 0:
            chain[0], length = at.active[0], 1
        top = chain[length - 1]
        below = chain[length - 2] if length > 1 else -1
        nearest, gap = nearest_cluster(cells, center, size, top, below)
        if nearest != below:
            chain[length] = nearest
            length += 1
            continue
        at.first[done], at.second[done], at.height[done] = below, top, np.sqrt(gap)
        center[below] = (size[below] * center[below] + size[top] * center[top]) / (size[below] + size[top])
        size[below] += size[top]
        remove_cluster(cells, top)
        move_cluster(cells, center, below, size[below])
        n_active = _drop(at.active, at.place, n_active, top)
        length -= 2
        done += 1
    at.status[0], at.status[1], at.status[2] = n_active, length, done

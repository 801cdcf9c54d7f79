"""Vertices that move between groups while a partition gets better."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hypcse.kernels.arrays import Ids, Reals, ShortIds
from hypcse.kernels.compile import helper, kernel, reading_kernel
from hypcse.kernels.search.working_tree import Rows


class Groups(NamedTuple):
    """A partition under way; a group is named by a number below the number of vertices.

    label  : (n,) the group of each vertex.
    volume : (n,) of each group: the degrees of its vertices.
    inside : (n,) twice the weight of the edges inside each group, loops once.
    """

    label: Ids
    volume: Reals
    inside: Reals


@helper
def _entropy_term(inside: float, volume: float, total: float) -> float:
    """Return what a group saves of the entropy of the star, times V: its inside times log2(V / volume)."""
    return inside * np.log2(total / volume) if volume > 0 and inside > 0 else 0.0


@helper
def _gain(
    groups: Groups, group: int, link: float, degree: float, loop: float, total: float, resolution: float
) -> float:
    """Return what a vertex, taken out of its group, adds to another: by modularity, or at resolution 0 by entropy."""
    if resolution > 0:
        return 2 * (link - resolution * degree * groups.volume[group] / total)
    volume, inside = groups.volume[group], groups.inside[group]
    joined = _entropy_term(inside + 2 * link + loop, volume + degree, total)
    return joined - _entropy_term(inside, volume, total) - _entropy_term(loop, degree, total)


@reading_kernel
def move_vertices(rows: Rows, loops: Reals, degrees: Reals, max_sweeps: int, resolution: float) -> Ids:
    """Return groups of vertices: from single ones, each vertex moves to the neighboring group where it adds most.

    Sweeps until none moves; ties stay, then go to the smaller group number. Raises modularity of that resolution, or at
    resolution 0 what two-dimensional structural entropy saves over the star. O(m) per sweep.
    """
    n = degrees.size
    total = degrees.sum()
    # Gains closer than this differ by rounding.
    margin = 1e-12 * total
    groups = Groups(np.arange(n), degrees.copy(), loops.copy())
    link = np.zeros(n)
    touched = np.empty(n, np.int64)
    for _ in range(max_sweeps):
        moved = 0
        for vertex in range(n):
            own, n_touched = groups.label[vertex], 0
            for k in range(rows.indptr[vertex], rows.indptr[vertex + 1]):
                other = groups.label[rows.indices[k]]
                if link[other] == 0.0:
                    touched[n_touched] = other
                    n_touched += 1
                link[other] += rows.weights[k]
            degree, loop = degrees[vertex], loops[vertex]
            groups.volume[own] -= degree
            groups.inside[own] -= 2 * link[own] + loop
            best, most = own, _gain(groups, own, link[own], degree, loop, total, resolution)
            least = most + margin
            for k in range(n_touched):
                other = touched[k]
                gain = _gain(groups, other, link[other], degree, loop, total, resolution)
                if gain > least and (gain > most + margin or (gain > most - margin and other < best)):
                    best, most = other, gain
            groups.label[vertex] = best
            groups.volume[best] += degree
            groups.inside[best] += 2 * link[best] + loop
            moved += best != own
            link[own] = 0.0
            for k in range(n_touched):
                link[touched[k]] = 0.0
        if moved == 0:
            break
    return groups.label


@kernel
def grow_sets(indptr: Ids, indices: ShortIds, order: Ids, ends: Ids, n_seeds: int) -> Ids:
    """Return all vertices, set after set; set s ends at `ends[s]`, and the last of `ends` is the number of vertices.

    A set starts from the first `n_seeds` unused vertices of `order`, adds the unused neighbors of its vertices, and new
    seeds whenever none is left. O(n + m).
    """
    members = np.empty(order.size, np.int64)
    used = np.zeros(order.size, np.bool_)
    size = head = walked = 0
    for end in ends:
        head = size
        while size < end:
            if head == size:
                stop = min(size + n_seeds, end)
                while size < stop:
                    if not used[order[walked]]:
                        used[order[walked]] = True
                        members[size] = order[walked]
                        size += 1
                    walked += 1
            vertex = members[head]
            head += 1
            for entry in range(indptr[vertex], indptr[vertex + 1]):
                if size == end:
                    break
                if not used[indices[entry]]:
                    used[indices[entry]] = True
                    members[size] = indices[entry]
                    size += 1
    return members

"""The minimum spanning tree of points by Boruvka's rounds on a k-d tree, plain or with cores.

Edges are ordered by (squared length, squared distance, smaller id, larger id), so that the tree is unique: other
libraries leave open which of several shortest trees comes out. A round gives each part of the forest but the largest
its shortest edge out. Each point has a list of the nearest points outside its part, and a *floor*: an edge to a point
outside that is not in the list is at least that long. The tree is searched again only if a list has run out and the
floor does not exceed the best edge of the part, and only for edges up to the length of this one.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from hypcse.kernels.arrays import Flags, Ids, Reals
from hypcse.kernels.compile import helper, kernel
from hypcse.kernels.points.kdtree import PointTree, edge_length, point_distance
from hypcse.kernels.points.nearest_lists import N_NEAREST, Lists, no_lists
from hypcse.kernels.points.outside import nearest_outside
from hypcse.kernels.union_find import find

# A round searches some leaves of each part first, then this many times more, within the limits found so far.
_STEP = 4


class Offers(NamedTuple):
    """The shortest edge out of each part so far: its squared length, two ids in order, and two positions."""

    squared: Reals
    ids: Ids
    ends: Ids


def boruvka(
    tree: PointTree, first: Ids, second: Ids, lists: Lists | None = None, tell: Callable[[int], None] | None = None
) -> tuple[Ids, Ids]:
    """Return the ends of the edges that join a forest, with the edges (first, second), to one tree of least length.

    The points must all be different. `lists` may hold nearest points that are known already. `tell` is called with the
    number of edges so far, after every search. O(n d) memory. O(n log n) time if the tree prunes, O(n^2 d) per round at
    worst.
    """
    n = tree.ids.size
    place = np.argsort(tree.ids)
    part, n_parts = _parts_of_forest(place[first], place[second], n)
    lists = lists or no_lists(n, min(N_NEAREST, n - 1))
    joined = [np.empty((0, 2), np.int64)]
    visits = np.inf
    while n_parts > 1:
        largest = int(np.argmax(np.bincount(part)))
        report = partial(tell, n - n_parts) if tell is not None else None
        offers, visits = _shortest_edges(tree, part, largest, lists, visits, report)
        part, n_parts, edges = _join(part, largest, offers)
        joined.append(edges)
    ends = np.concatenate(joined)
    return ends[:, 0], ends[:, 1]


def _shortest_edges(
    tree: PointTree, part: Ids, largest: int, lists: Lists, visits: float, report: Callable[[], None] | None
) -> tuple[Offers, float]:
    """Return the shortest edge out of every part but the largest, and the mean visits of a leaf in the last search."""
    n_parts = int(part.max()) + 1
    offers = Offers(np.full(n_parts, np.inf), np.full((n_parts, 2), -1), np.full((n_parts, 2), -1))
    _offer_lists(tree, part, lists, offers)
    single, node_part = n_parts == part.size, _node_parts(tree, part)
    if not single:
        _offer_neighbors_in_order(tree, part, offers)
    queries = _query_leaves(tree, part, largest, lists, offers)
    begin, step = 0, queries.size if single else n_parts
    while begin < queries.size:
        leaves = queries[begin : begin + step]
        wanted = _mark_wanted(tree, part, largest, lists, offers, leaves)
        visits = nearest_outside(tree, part, node_part, leaves, wanted, lists[:2], visits).mean()
        _offer_new_lists(tree, part, lists, offers, leaves, wanted)
        begin, step = begin + step, _STEP * step
        if report is not None:
            report()
    return offers, visits


@kernel
def _parts_of_forest(first: Ids, second: Ids, n: int) -> tuple[Ids, int]:
    root = np.arange(n)
    for e in range(first.size):
        root[find(root, first[e])] = find(root, second[e])
    return _number_parts(root)


@helper
def _number_parts(root: Ids) -> tuple[Ids, int]:
    """Return the set of each member, numbered from 0 by its first member, and the number of sets."""
    number = np.full(root.size, -1, np.int64)
    part = np.empty(root.size, np.int64)
    count = 0
    for p in range(root.size):
        top = find(root, p)
        if number[top] < 0:
            number[top] = count
            count += 1
        part[p] = number[top]
    return part, count


@helper
def _before(tree: PointTree, offers: Offers, own: int, p: int, q: int, i: int, j: int) -> bool:
    """Whether the edge between two positions, with the ids i and j, comes before the equally long one of a part."""
    gap = point_distance(tree.points, p, q)
    rival = point_distance(tree.points, offers.ends[own, 0], offers.ends[own, 1])
    return gap < rival or (gap == rival and (i, j) < (offers.ids[own, 0], offers.ids[own, 1]))


@helper
def _offer(tree: PointTree, part: Ids, offers: Offers, p: int, q: int, squared: float) -> None:
    """Offer the edge between two positions to the parts of both."""
    i, j = tree.ids[p], tree.ids[q]
    if i > j:
        i, j, p, q = j, i, q, p
    for own in (part[p], part[q]):
        best = offers.squared[own]
        if squared < best or (squared == best and _before(tree, offers, own, p, q, i, j)):
            offers.squared[own] = squared
            offers.ids[own, 0], offers.ids[own, 1] = i, j
            offers.ends[own, 0], offers.ends[own, 1] = p, q


@kernel
def _offer_lists(tree: PointTree, part: Ids, lists: Lists, offers: Offers) -> None:
    """Offer the first of each list that is still outside, and skip those that are not. O(n k) over all rounds."""
    k = lists.found.shape[1]
    for p in range(part.size):
        while lists.head[p] < k:
            q = lists.found[p, lists.head[p]]
            if q < 0:
                lists.head[p] = k
            elif part[q] == part[p]:
                lists.head[p] += 1
            else:
                _offer(tree, part, offers, p, q, lists.squared[p, lists.head[p]])
                break


@kernel
def _offer_neighbors_in_order(tree: PointTree, part: Ids, offers: Offers) -> None:
    """Offer the edges between successive positions of different parts, so that every part has some limit."""
    for p in range(part.size - 1):
        a, b = part[p], part[p + 1]
        if a != b and (offers.squared[a] == np.inf or offers.squared[b] == np.inf):
            _offer(tree, part, offers, p, p + 1, edge_length(tree, p, p + 1))


@kernel
def _node_parts(tree: PointTree, part: Ids) -> Ids:
    """Return the part of each node whose points are all of one part, -1 at others."""
    n_leaves = tree.start.size - 1
    whole = np.empty(2 * n_leaves - 1, np.int64)
    for leaf in range(n_leaves):
        own = part[tree.start[leaf]]
        for p in range(tree.start[leaf] + 1, tree.start[leaf + 1]):
            if part[p] != own:
                own = -1
        whole[n_leaves - 1 + leaf] = own
    for node in range(n_leaves - 2, -1, -1):
        a, b = whole[2 * node + 1], whole[2 * node + 2]
        whole[node] = a if a == b else -1
    return whole


@helper
def _is_wanted(tree: PointTree, part: Ids, largest: int, lists: Lists, offers: Offers, p: int) -> bool:
    out_of_list = lists.head[p] == lists.found.shape[1]
    return part[p] != largest and out_of_list and max(lists.floor[p], tree.core[p]) <= offers.squared[part[p]]


@kernel
def _query_leaves(tree: PointTree, part: Ids, largest: int, lists: Lists, offers: Offers) -> Ids:
    """Return leaves with points to search for, first those at the best edge of each part, then by rank in the part."""
    n, n_leaves = part.size, tree.start.size - 1
    seen = np.zeros(offers.squared.size, np.int64)
    rank = np.full(n_leaves, -1, np.int64)
    for leaf in range(n_leaves):
        for p in range(tree.start[leaf], tree.start[leaf + 1]):
            if _is_wanted(tree, part, largest, lists, offers, p):
                if rank[leaf] < 0 or seen[part[p]] < rank[leaf]:
                    rank[leaf] = seen[part[p]]
                seen[part[p]] += 1
    leaves = np.flatnonzero(rank >= 0)
    for own in range(offers.squared.size):
        for end in offers.ends[own]:
            if end >= 0 and part[end] == own:
                rank[((end + 1) * n_leaves - 1) // n] = 0
    return leaves[np.argsort(rank[leaves], kind="mergesort")]


@kernel
def _mark_wanted(tree: PointTree, part: Ids, largest: int, lists: Lists, offers: Offers, leaves: Ids) -> Flags:
    """Mark the points of some leaves to search for, and empty their lists, up to the best edge of their part."""
    wanted = np.zeros(part.size, np.bool_)
    for leaf in leaves:
        for p in range(tree.start[leaf], tree.start[leaf + 1]):
            if _is_wanted(tree, part, largest, lists, offers, p):
                wanted[p] = True
                lists.found[p] = -1
                lists.squared[p] = offers.squared[part[p]]
    return wanted


@kernel
def _offer_new_lists(tree: PointTree, part: Ids, lists: Lists, offers: Offers, leaves: Ids, wanted: Flags) -> None:
    """Offer the first of each new list. The floor is its last length, or just above the limit if it is not full."""
    for leaf in leaves:
        for p in range(tree.start[leaf], tree.start[leaf + 1]):
            if wanted[p]:
                floor = lists.squared[p, -1]
                lists.floor[p] = floor if lists.found[p, -1] >= 0 else np.nextafter(floor, np.inf)
                if lists.found[p, 0] >= 0:
                    lists.head[p] = 0
                    _offer(tree, part, offers, p, lists.found[p, 0], lists.squared[p, 0])


@kernel
def _join(part: Ids, largest: int, offers: Offers) -> tuple[Ids, int, Ids]:
    """Take the edges of all parts but the largest; return the new partition, and these edges, each once."""
    n_parts = offers.squared.size
    root = np.arange(n_parts)
    edges = np.empty((n_parts - 1, 2), np.int64)
    done = 0
    for own in range(n_parts):
        if own == largest:
            continue
        a, b = find(root, part[offers.ends[own, 0]]), find(root, part[offers.ends[own, 1]])
        # Two parts may choose the same edge; by the order of edges no other circle can close.
        if a != b:
            root[a] = b
            edges[done] = offers.ids[own]
            done += 1
    number, count = _number_parts(root)
    joined = np.empty_like(part)
    for p in range(part.size):
        joined[p] = number[part[p]]
    return joined, count, edges[:done]

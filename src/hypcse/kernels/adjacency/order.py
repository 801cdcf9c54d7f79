"""The pairs of a hub in order, as a search tree: largest rank first, then the least mass, then the least name.

A treap: a node's priority, spread by its number, is above those below it, so that about O(log d) of d nodes lie on the
way to any of them.
"""

from __future__ import annotations

from hypcse.kernels._compile import helper
from hypcse.kernels.adjacency.pairs import NONE, Pairs

_SPREAD = 0x1E3779B97F4A7C15


@helper
def _priority(node: int) -> int:
    spread = (node + 1) * _SPREAD
    spread = (spread ^ (spread >> 29)) * _SPREAD
    return spread ^ (spread >> 32)


@helper
def _before(pairs: Pairs, a: int, b: int) -> bool:
    if pairs.rank[a] != pairs.rank[b]:
        return pairs.rank[a] > pairs.rank[b]
    if pairs.mass[a] != pairs.mass[b]:
        return pairs.mass[a] < pairs.mass[b]
    return pairs.name[a] < pairs.name[b]


@helper
def _sum_up(pairs: Pairs, node: int) -> None:
    """What holds for the subtree of a node, from the nodes below it."""
    most, least, oldest = pairs.rank[node], pairs.mass[node], pairs.name[node]
    left, right = pairs.left[node], pairs.right[node]
    if left != NONE:
        most = pairs.most[left]
        least, oldest = min(least, pairs.least[left]), min(oldest, pairs.oldest[left])
    if right != NONE:
        least, oldest = min(least, pairs.least[right]), min(oldest, pairs.oldest[right])
    pairs.most[node], pairs.least[node], pairs.oldest[node] = most, least, oldest


@helper
def plant(pairs: Pairs, root: int, node: int) -> int:
    """Put a node, which has its rank, mass and name, into a tree; the root, then. O(log d)."""
    if root == NONE:
        pairs.left[node] = pairs.right[node] = NONE
        _sum_up(pairs, node)
        return node
    if _before(pairs, node, root):
        below = plant(pairs, pairs.left[root], node)
        pairs.left[root] = below
        if _priority(below) > _priority(root):
            pairs.left[root], pairs.right[below] = pairs.right[below], root
            root, below = below, root
            _sum_up(pairs, below)
    else:
        below = plant(pairs, pairs.right[root], node)
        pairs.right[root] = below
        if _priority(below) > _priority(root):
            pairs.right[root], pairs.left[below] = pairs.left[below], root
            root, below = below, root
            _sum_up(pairs, below)
    _sum_up(pairs, root)
    return root


@helper
def join_trees(pairs: Pairs, first: int, second: int) -> int:
    """The root of one tree of two, all of the first before all of the second. O(log d)."""
    if first == NONE:
        return second
    if second == NONE:
        return first
    if _priority(first) > _priority(second):
        pairs.right[first] = join_trees(pairs, pairs.right[first], second)
        _sum_up(pairs, first)
        return first
    pairs.left[second] = join_trees(pairs, first, pairs.left[second])
    _sum_up(pairs, second)
    return second


@helper
def uproot(pairs: Pairs, root: int, node: int) -> int:
    """Take a node out of a tree; the root, then. O(log d)."""
    if root == node:
        return join_trees(pairs, pairs.left[node], pairs.right[node])
    if _before(pairs, node, root):
        pairs.left[root] = uproot(pairs, pairs.left[root], node)
    else:
        pairs.right[root] = uproot(pairs, pairs.right[root], node)
    _sum_up(pairs, root)
    return root


@helper
def first_of(pairs: Pairs, root: int) -> int:
    """The first node of a tree that is not empty."""
    while pairs.left[root] != NONE:
        root = pairs.left[root]
    return root


@helper
def last_of(pairs: Pairs, root: int) -> int:
    """The last node of a tree that is not empty."""
    while pairs.right[root] != NONE:
        root = pairs.right[root]
    return root

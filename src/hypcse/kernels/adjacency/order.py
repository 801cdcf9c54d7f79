"""The pairs of a cluster in order, as a search tree: largest rank first, then the least mass, then the least name.

A treap: a node's priority, spread by its number, is above those below it, so that about O(log d) of d nodes lie on the
way to any of them. Nodes know what is above them, and no walk recurses.
"""

from __future__ import annotations

from hypcse.kernels._compile import helper
from hypcse.kernels.adjacency.pairs import (
    LEAST,
    LEFT,
    MASS,
    MOST,
    NAME,
    NONE,
    OLDEST,
    RANK,
    RIGHT,
    UP,
    Pairs,
)

_SPREAD = 0x1E3779B97F4A7C15


@helper
def _priority(node: int) -> int:
    spread = (node + 1) * _SPREAD
    spread = (spread ^ (spread >> 29)) * _SPREAD
    return spread ^ (spread >> 32)


@helper
def _before(pairs: Pairs, a: int, b: int) -> bool:
    value = pairs.value
    if value[a, RANK] != value[b, RANK]:
        return value[a, RANK] > value[b, RANK]
    if value[a, MASS] != value[b, MASS]:
        return value[a, MASS] < value[b, MASS]
    return pairs.link[a, NAME] < pairs.link[b, NAME]


@helper
def _sum_up(pairs: Pairs, node: int) -> None:
    """What holds for the subtree of a node, from the nodes below it."""
    link, value = pairs.link, pairs.value
    most, least, oldest = value[node, RANK], value[node, MASS], link[node, NAME]
    left, right = link[node, LEFT], link[node, RIGHT]
    if left != NONE:
        most = value[left, MOST]
        least, oldest = min(least, value[left, LEAST]), min(oldest, link[left, OLDEST])
    if right != NONE:
        least, oldest = min(least, value[right, LEAST]), min(oldest, link[right, OLDEST])
    value[node, MOST], value[node, LEAST], link[node, OLDEST] = most, least, oldest


@helper
def _sum_up_from(pairs: Pairs, node: int) -> None:
    """The same from a node up to the root."""
    while node != NONE:
        _sum_up(pairs, node)
        node = pairs.link[node, UP]


@helper
def _put_below(pairs: Pairs, cluster: int, above: int, old: int, new: int) -> None:
    """Put a node, or none, in the place of one that is below another node, or is the root."""
    if above == NONE:
        pairs.root[cluster] = new
    elif pairs.link[above, LEFT] == old:
        pairs.link[above, LEFT] = new
    else:
        pairs.link[above, RIGHT] = new


@helper
def _turn(pairs: Pairs, cluster: int, node: int) -> None:
    """Turn a node and the one above it, which is then below it. The sums of the node itself are left to do."""
    link = pairs.link
    below = link[node, UP]
    side, far = (LEFT, RIGHT) if link[below, LEFT] == node else (RIGHT, LEFT)
    moved, above = link[node, far], link[below, UP]
    _put_below(pairs, cluster, above, below, node)
    link[below, side], link[node, far] = moved, below
    link[node, UP], link[below, UP] = above, node
    if moved != NONE:
        link[moved, UP] = below
    _sum_up(pairs, below)


@helper
def plant(pairs: Pairs, cluster: int, node: int) -> None:
    """Put a node, which has its rank, mass and name, into the tree of a cluster. O(log d)."""
    link = pairs.link
    above, below, side = NONE, pairs.root[cluster], LEFT
    while below != NONE:
        above = below
        side = LEFT if _before(pairs, node, above) else RIGHT
        below = link[above, side]
    link[node, UP], link[node, LEFT], link[node, RIGHT] = above, NONE, NONE
    if above == NONE:
        pairs.root[cluster] = node
    else:
        link[above, side] = node
    _sum_up(pairs, node)
    while link[node, UP] != NONE and _priority(node) > _priority(link[node, UP]):
        _turn(pairs, cluster, node)
    _sum_up_from(pairs, node)


@helper
def uproot(pairs: Pairs, cluster: int, node: int) -> None:
    """Take a node out of the tree of a cluster. O(log d)."""
    link = pairs.link
    while link[node, LEFT] != NONE or link[node, RIGHT] != NONE:
        left, right = link[node, LEFT], link[node, RIGHT]
        if right == NONE or (left != NONE and _priority(left) > _priority(right)):
            _turn(pairs, cluster, left)
        else:
            _turn(pairs, cluster, right)
    _put_below(pairs, cluster, link[node, UP], node, NONE)
    _sum_up_from(pairs, link[node, UP])


@helper
def fell(pairs: Pairs, cluster: int, node: int) -> tuple[int, int]:
    """Take a node with nothing below it out of a tree that is to be emptied, and see to no sums: that node, under the
    given one, and where to go on, NONE at the end. O(1), all nodes considered.
    """
    link = pairs.link
    while link[node, LEFT] != NONE or link[node, RIGHT] != NONE:
        node = link[node, LEFT] if link[node, LEFT] != NONE else link[node, RIGHT]
    _put_below(pairs, cluster, link[node, UP], node, NONE)
    return node, link[node, UP]


@helper
def first_of(pairs: Pairs, cluster: int) -> int:
    """The first node of a tree, NONE where it is empty."""
    node = pairs.root[cluster]
    while node != NONE and pairs.link[node, LEFT] != NONE:
        node = pairs.link[node, LEFT]
    return node


@helper
def last_of(pairs: Pairs, cluster: int) -> int:
    """The last node of a tree, NONE where it is empty."""
    node = pairs.root[cluster]
    while node != NONE and pairs.link[node, RIGHT] != NONE:
        node = pairs.link[node, RIGHT]
    return node


@helper
def next_subtree(pairs: Pairs, node: int) -> int:
    """Where a walk from parents to children, left before right, goes on when it is done with the subtree of a node."""
    link = pairs.link
    above = link[node, UP]
    while above != NONE:
        if link[above, LEFT] == node and link[above, RIGHT] != NONE:
            return link[above, RIGHT]
        node, above = above, link[above, UP]
    return NONE

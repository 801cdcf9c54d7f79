"""The pairs of a cluster in order, as a search tree: largest rank first, then the least mass, then the least name.

A treap: a node's priority, spread by its number, is above those below it, so that about O(log d) of d nodes lie on the
way to any of them. Nodes know what is above them, and no walk recurses.
"""

from __future__ import annotations

from hypcse.kernels.compile import bare_helper
from hypcse.kernels.linkage.adjacency import (
    LEAST,
    LEFT,
    MASS,
    MOST,
    NAME,
    NONE,
    OLDEST,
    RANK,
    RIGHT,
    ROOT,
    UP,
    Ids,
    Links,
    Reals,
)

_SPREAD = 0x1E3779B97F4A7C15


@bare_helper
def _priority(node: int) -> int:
    spread = (node + 1) * _SPREAD
    spread = (spread ^ (spread >> 29)) * _SPREAD
    return spread ^ (spread >> 32)


@bare_helper
def _before(link: Links, value: Reals, a: int, b: int) -> bool:
    if value[a, RANK] != value[b, RANK]:
        return value[a, RANK] > value[b, RANK]
    if value[a, MASS] != value[b, MASS]:
        return value[a, MASS] < value[b, MASS]
    return link[a, NAME] < link[b, NAME]


@bare_helper
def _sum_up(link: Links, value: Reals, node: int) -> bool:
    """What holds for the subtree of a node, from the nodes below it; whether that is new."""
    most, least, oldest = value[node, RANK], value[node, MASS], link[node, NAME]
    left, right = link[node, LEFT], link[node, RIGHT]
    if left != NONE:
        most = value[left, MOST]
        least, oldest = min(least, value[left, LEAST]), min(oldest, link[left, OLDEST])
    if right != NONE:
        least, oldest = min(least, value[right, LEAST]), min(oldest, link[right, OLDEST])
    if value[node, MOST] == most and value[node, LEAST] == least and link[node, OLDEST] == oldest:
        return False
    value[node, MOST], value[node, LEAST], link[node, OLDEST] = most, least, oldest
    return True


@bare_helper
def _sum_up_from(link: Links, value: Reals, node: int, at_least: int) -> None:
    """The same from a node up, for so many nodes, and then for as long as it is new."""
    while node != NONE:
        at_least -= 1
        if not _sum_up(link, value, node) and at_least <= 0:
            return
        node = link[node, UP]


@bare_helper
def _put_below(link: Links, tree: Ids, cluster: int, above: int, old: int, new: int) -> None:
    """Put a node, or none, in the place of one that is below another node, or is the root."""
    if above == NONE:
        tree[cluster, ROOT] = new
    elif link[above, LEFT] == old:
        link[above, LEFT] = new
    else:
        link[above, RIGHT] = new


@bare_helper
def _turn(link: Links, value: Reals, tree: Ids, cluster: int, node: int) -> None:
    """Turn a node and the one above it, which is then below it. The sums of the node itself are left to do."""
    below = link[node, UP]
    side, far = (LEFT, RIGHT) if link[below, LEFT] == node else (RIGHT, LEFT)
    moved, above = link[node, far], link[below, UP]
    _put_below(link, tree, cluster, above, below, node)
    link[below, side], link[node, far] = moved, below
    link[node, UP], link[below, UP] = above, node
    if moved != NONE:
        link[moved, UP] = below
    _sum_up(link, value, below)


@bare_helper
def plant(link: Links, value: Reals, tree: Ids, cluster: int, node: int) -> None:
    """Put a node, which has its rank, mass and name, into the tree of a cluster. O(log d)."""
    above, below, side = NONE, tree[cluster, ROOT], LEFT
    while below != NONE:
        above = below
        side = LEFT if _before(link, value, node, above) else RIGHT
        below = link[above, side]
    link[node, UP], link[node, LEFT], link[node, RIGHT] = above, NONE, NONE
    if above == NONE:
        tree[cluster, ROOT] = node
    else:
        link[above, side] = node
    _sum_up(link, value, node)
    while link[node, UP] != NONE and _priority(node) > _priority(link[node, UP]):
        _turn(link, value, tree, cluster, node)
    _sum_up_from(link, value, node, 2)


@bare_helper
def uproot(link: Links, value: Reals, tree: Ids, cluster: int, node: int) -> None:
    """Take a node out of the tree of a cluster. O(log d)."""
    turns = 0
    while link[node, LEFT] != NONE or link[node, RIGHT] != NONE:
        turns += 1
        left, right = link[node, LEFT], link[node, RIGHT]
        if right == NONE or (left != NONE and _priority(left) > _priority(right)):
            _turn(link, value, tree, cluster, left)
        else:
            _turn(link, value, tree, cluster, right)
    _put_below(link, tree, cluster, link[node, UP], node, NONE)
    _sum_up_from(link, value, link[node, UP], turns + 1)


@bare_helper
def fell(link: Links, tree: Ids, cluster: int, node: int) -> tuple[int, int]:
    """Take a node with nothing below it out of a tree that is to be emptied, and see to no sums: that node, under the
    given one, and where to go on, NONE at the end. O(1), all nodes considered.
    """
    while link[node, LEFT] != NONE or link[node, RIGHT] != NONE:
        node = link[node, LEFT] if link[node, LEFT] != NONE else link[node, RIGHT]
    _put_below(link, tree, cluster, link[node, UP], node, NONE)
    return node, link[node, UP]


@bare_helper
def first_of(link: Links, tree: Ids, cluster: int) -> int:
    """The first node of a tree, NONE where it is empty."""
    node = tree[cluster, ROOT]
    while node != NONE and link[node, LEFT] != NONE:
        node = link[node, LEFT]
    return node


@bare_helper
def next_subtree(link: Links, node: int) -> int:
    """Where a walk from parents to children, left before right, goes on when it is done with the subtree of a node."""
    above = link[node, UP]
    while above != NONE:
        if link[above, LEFT] == node and link[above, RIGHT] != NONE:
            return link[above, RIGHT]
        node, above = above, link[above, UP]
    return NONE

"""Pruning a subtree and regrafting it at one of its priced places."""

from __future__ import annotations

from hypcse.kernels._compile import helper, kernel
from hypcse.kernels.search.working_tree import (
    AMOUNT,
    CLOCK,
    LEFT,
    MARK,
    MEASURE,
    MEETING,
    N_FOUND,
    N_PATH,
    PARENT,
    PHI,
    RIGHT,
    WEIGHT,
    WorkingTree,
    phi_of,
)


@kernel
def move(tree: WorkingTree, top: int, target: int, logarithmic: bool) -> None:
    """Regraft the subtree just priced next to `target`, one of its places other than its sibling."""
    link, value = tree.link, tree.value
    on_path = tree.counts[CLOCK] - 1
    mu = value[top, MEASURE]
    joint = link[top, PARENT]
    sibling = link[joint, LEFT] + link[joint, RIGHT] - top
    hang(tree, link[joint, PARENT], joint, sibling)
    # Above the node where the ways to the old and the new place part nothing changes.
    fork = link[target, PARENT]
    while fork >= 0 and link[fork, MARK] < on_path:
        fork = link[fork, PARENT]
    node = link[sibling, PARENT]
    while node != fork:
        value[node, WEIGHT] -= value[node, MEETING]
        _set_measure(tree, node, max(value[node, MEASURE] - mu, 0.0), logarithmic)
        node = link[node, PARENT]
    hang(tree, link[target, PARENT], target, joint)
    link[joint, LEFT], link[joint, RIGHT] = top, target
    link[target, PARENT] = joint
    value[joint, WEIGHT] = value[target, AMOUNT]
    _set_measure(tree, joint, value[target, MEASURE] + mu, logarithmic)
    below, node = target, link[joint, PARENT]
    while node != fork:
        value[node, WEIGHT] += value[node, AMOUNT] - value[below, AMOUNT]
        _set_measure(tree, node, value[node, MEASURE] + mu, logarithmic)
        below, node = node, link[node, PARENT]
    # Above the priced part of the path all has met, so nothing changes there either.
    if fork >= 0 and target != tree.path[tree.counts[N_PATH] - 1]:
        value[fork, WEIGHT] += value[fork, AMOUNT] - value[below, AMOUNT] - value[fork, MEETING]
    _mark_stale(tree, top, sibling, fork)


@helper
def _mark_stale(tree: WorkingTree, top: int, sibling: int, fork: int) -> None:
    """Mark what a move has touched: the ways from the old and the new place to the fork, and what hangs on them."""
    for begin in (top, sibling):
        tree.stale[begin] = True
        node = tree.link[begin, PARENT]
        while node != fork:
            tree.stale[node] = True
            tree.stale[tree.link[node, LEFT]] = tree.stale[tree.link[node, RIGHT]] = True
            node = tree.link[node, PARENT]
    for k in range(tree.counts[N_FOUND]):
        node = tree.found[k]
        if tree.link[node, LEFT] < 0:
            tree.stale[node] = True


@helper
def hang(tree: WorkingTree, above: int, old: int, new: int) -> None:
    """Put `new` where `old` hangs; -1 above means that it becomes the root."""
    tree.link[new, PARENT] = above
    if above >= 0:
        tree.link[above, RIGHT if tree.link[above, RIGHT] == old else LEFT] = new


@helper
def _set_measure(tree: WorkingTree, node: int, measure: float, logarithmic: bool) -> None:
    tree.value[node, MEASURE] = measure
    tree.value[node, PHI] = phi_of(measure, logarithmic)

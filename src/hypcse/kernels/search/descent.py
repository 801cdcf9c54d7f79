"""Pruning a subtree and regrafting it at one of its priced places."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hypcse.kernels.arrays import Reals
from hypcse.kernels.compile import helper, kernel
from hypcse.kernels.search.pricing import find_cheapest, price_places, step_limit, sweep_credit
from hypcse.kernels.search.working_tree import (
    AMOUNT,
    CLOCK,
    COST,
    CREDIT,
    LEFT,
    MARK,
    MEASURE,
    MEETING,
    N_OFF_PATH,
    N_PATH,
    N_STEPS,
    PARENT,
    PHI,
    RIGHT,
    WEIGHT,
    Rows,
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
    for k in range(tree.counts[N_OFF_PATH]):
        node = tree.off_path[k]
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


@helper
def _place(tree: WorkingTree, k: int) -> int:
    """The k-th priced place, for k from 1: those on the path, then the others."""
    return tree.path[k] if k < tree.counts[N_PATH] else tree.off_path[k - tree.counts[N_PATH]]


@helper
def _best_place(tree: WorkingTree, sibling: int) -> int:
    """The cheapest place; staying wins ties, then the one found first."""
    best = sibling
    for k in range(1, tree.counts[N_PATH] + tree.counts[N_OFF_PATH]):
        place = _place(tree, k)
        if tree.value[place, COST] < tree.value[best, COST]:
            best = place
    return best


@kernel
def descend(
    tree: WorkingTree, rows: Rows, begin: int, max_steps: int, largest: int, least_gain: float, logarithmic: bool
) -> tuple[float, int, int]:
    """Offer each stale subtree, from node `begin` on, its best place once; return gain, moves and next node.

    Subtrees of more than `largest` leaves stay where they are, and so does what would gain at most `least_gain`. A
    sweep takes `PATIENCE` steps of walking for each node and each entry of the graph; after them, only subtrees that
    need few are offered a place, and the others wait for the next sweep. The call ends early, between two subtrees,
    after about `max_steps` steps.
    """
    gained, n_moves, n_steps = 0.0, 0, 0
    if begin == 0:
        tree.counts[CREDIT] = sweep_credit(tree, rows)
    for top in range(begin, tree.link.shape[0]):
        if n_steps > max_steps:
            return gained, n_moves, top
        n_steps += 1
        if tree.link[top, PARENT] < 0 or not tree.stale[top]:
            continue
        limit = step_limit(tree)
        sibling, best = find_cheapest(tree, rows, top, largest, least_gain, logarithmic)
        n_steps += tree.counts[N_STEPS]
        tree.counts[CREDIT] -= tree.counts[N_STEPS]
        # What takes too long now stays stale for the next sweep.
        tree.stale[top] = tree.counts[N_STEPS] > limit
        if sibling < 0:
            continue
        gain = tree.value[sibling, COST] - tree.value[best, COST]
        if gain > least_gain:
            move(tree, top, best, logarithmic)
            gained += gain
            n_moves += 1
    return gained, n_moves, tree.link.shape[0]


@helper
def _uniform(state: NDArray[np.uint64]) -> float:
    """The next number in [0, 1) of a SplitMix64 generator."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return (z >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@helper
def _draw_place(tree: WorkingTree, sibling: int, temperature: float, draw: float) -> int:
    """A place drawn with probability proportional to exp(-cost / temperature)."""
    least = tree.value[_best_place(tree, sibling), COST]
    total = np.exp((least - tree.value[sibling, COST]) / temperature)
    chosen = sibling
    # One pass: each place replaces the choice with probability (its share) / (sum so far), and what is left of the draw
    # is uniform again.
    for k in range(1, tree.counts[N_PATH] + tree.counts[N_OFF_PATH]):
        place = _place(tree, k)
        if place == sibling:
            continue
        share = np.exp((least - tree.value[place, COST]) / temperature)
        if share == 0.0:
            continue
        total += share
        if draw * total < share:
            chosen = place
            draw = draw * total / share
        else:
            draw = (draw * total - share) / (total - share)
    return chosen


@kernel
def anneal(
    tree: WorkingTree, rows: Rows, temperatures: Reals, state: NDArray[np.uint64], logarithmic: bool
) -> tuple[float, int]:
    """At each temperature one subtree, drawn at random, takes a place drawn by its cost; total gain and moves made."""
    gained, n_moves, n_nodes = 0.0, 0, tree.link.shape[0]
    tree.counts[CREDIT] = sweep_credit(tree, rows) // n_nodes * temperatures.size
    for temperature in temperatures:
        top = int(_uniform(state) * n_nodes)
        draw = _uniform(state)
        if tree.link[top, PARENT] < 0:
            continue
        sibling = price_places(tree, rows, top, n_nodes, logarithmic)
        tree.counts[CREDIT] -= tree.counts[N_STEPS]
        if sibling < 0:
            continue
        place = _draw_place(tree, sibling, temperature, draw)
        if place != sibling:
            gained += tree.value[sibling, COST] - tree.value[place, COST]
            move(tree, top, place, logarithmic)
            n_moves += 1
    return gained, n_moves

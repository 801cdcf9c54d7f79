"""Pruning a subtree and regrafting it at one of its priced places."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hypcse.kernels.arrays import Reals
from hypcse.kernels.compile import helper, kernel
from hypcse.kernels.search.pricing import find_cheapest, price_places, step_limit, sweep_credit
from hypcse.kernels.search.working_tree import Rows, WorkingTree, hang, phi_of


@kernel
def move(tree: WorkingTree, top: int, target: int, logarithmic: bool) -> None:
    """Regraft the subtree just priced next to `target`, one of its places other than its sibling."""
    link, value = tree.link, tree.value
    on_path = tree.counts[0].clock - 1
    mu = value[top].measure
    joint = link[top].parent
    sibling = link[joint].left + link[joint].right - top
    hang(tree, link[joint].parent, joint, sibling)
    # Above the node where the ways to the old and the new place part nothing changes.
    fork = link[target].parent
    while fork >= 0 and link[fork].mark < on_path:
        fork = link[fork].parent
    node = link[sibling].parent
    while node != fork:
        value[node].weight -= value[node].meeting
        _set_measure(tree, node, max(value[node].measure - mu, 0.0), logarithmic)
        node = link[node].parent
    hang(tree, link[target].parent, target, joint)
    link[joint].left, link[joint].right = top, target
    link[target].parent = joint
    value[joint].weight = value[target].amount
    _set_measure(tree, joint, value[target].measure + mu, logarithmic)
    below, node = target, link[joint].parent
    while node != fork:
        value[node].weight += value[node].amount - value[below].amount
        _set_measure(tree, node, value[node].measure + mu, logarithmic)
        below, node = node, link[node].parent
    # Above the priced part of the path all has met, so nothing changes there either.
    if fork >= 0 and target != tree.path[tree.counts[0].n_path - 1]:
        value[fork].weight += value[fork].amount - value[below].amount - value[fork].meeting
    _mark_stale(tree, top, sibling, fork)


@helper
def _mark_stale(tree: WorkingTree, top: int, sibling: int, fork: int) -> None:
    """Mark what a move has touched: the ways from the old and the new place to the fork, and what hangs on them."""
    for begin in (top, sibling):
        tree.stale[begin] = True
        node = tree.link[begin].parent
        while node != fork:
            tree.stale[node] = True
            tree.stale[tree.link[node].left] = tree.stale[tree.link[node].right] = True
            node = tree.link[node].parent
    for k in range(tree.counts[0].n_off_path):
        node = tree.off_path[k]
        if tree.link[node].left < 0:
            tree.stale[node] = True


@helper
def _set_measure(tree: WorkingTree, node: int, measure: float, logarithmic: bool) -> None:
    tree.value[node].measure = measure
    tree.value[node].phi = phi_of(measure, logarithmic)


@helper
def _place(tree: WorkingTree, k: int) -> int:
    """The k-th priced place, for k from 1: those on the path, then the others."""
    return tree.path[k] if k < tree.counts[0].n_path else tree.off_path[k - tree.counts[0].n_path]


@helper
def _best_place(tree: WorkingTree, sibling: int) -> int:
    """The cheapest place; staying wins ties, then the one found first."""
    best = sibling
    for k in range(1, tree.counts[0].n_path + tree.counts[0].n_off_path):
        place = _place(tree, k)
        if tree.value[place].cost < tree.value[best].cost:
            best = place
    return best


@kernel
def descend(
    tree: WorkingTree, rows: Rows, begin: int, max_steps: int, largest: int, least_gain: float, logarithmic: bool
) -> tuple[float, int, int]:
    """Offer each stale subtree, from node `begin` on, its best place once; return gain, moves and next node.

    Subtrees of more than `largest` leaves stay, and so does what would gain at most `least_gain`. Once a sweep has used
    `PATIENCE` steps for each node and entry of the graph, subtrees that need many wait for the next one. The call ends
    early, between two subtrees, after about `max_steps` steps.
    """
    gained, n_moves, n_steps = 0.0, 0, 0
    if begin == 0:
        tree.counts[0].credit = sweep_credit(tree, rows)
    for top in range(begin, tree.link.shape[0]):
        if n_steps > max_steps:
            return gained, n_moves, top
        n_steps += 1
        if tree.link[top].parent < 0 or not tree.stale[top]:
            continue
        limit = step_limit(tree)
        sibling, best = find_cheapest(tree, rows, top, largest, least_gain, logarithmic)
        n_steps += tree.counts[0].n_steps
        tree.counts[0].credit -= tree.counts[0].n_steps
        # What takes too long now stays stale for the next sweep.
        tree.stale[top] = tree.counts[0].n_steps > limit
        if sibling < 0:
            continue
        gain = tree.value[sibling].cost - tree.value[best].cost
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
    least = tree.value[_best_place(tree, sibling)].cost
    total = np.exp((least - tree.value[sibling].cost) / temperature)
    chosen = sibling
    # One pass: each place replaces the choice with probability (its share) / (sum so far), and what is left of the draw
    # is uniform again.
    for k in range(1, tree.counts[0].n_path + tree.counts[0].n_off_path):
        place = _place(tree, k)
        if place == sibling:
            continue
        share = np.exp((least - tree.value[place].cost) / temperature)
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
    tree.counts[0].credit = sweep_credit(tree, rows) // n_nodes * temperatures.size
    for temperature in temperatures:
        top = int(_uniform(state) * n_nodes)
        draw = _uniform(state)
        if tree.link[top].parent < 0:
            continue
        sibling = price_places(tree, rows, top, n_nodes, logarithmic)
        tree.counts[0].credit -= tree.counts[0].n_steps
        if sibling < 0:
            continue
        place = _draw_place(tree, sibling, temperature, draw)
        if place != sibling:
            gained += tree.value[sibling].cost - tree.value[place].cost
            move(tree, top, place, logarithmic)
            n_moves += 1
    return gained, n_moves

"""Pruning a subtree and regrafting it elsewhere, for objectives F = sum over nodes of weight * phi(measure).

`weight` is the total weight of the edges that meet at a node. `measure` adds up over leaves: degrees, with phi = log2,
give structural entropy; ones, with phi the identity, give Dasgupta's cost.

Let S be pruned, mu its measure, and A(v) the weight between S and the leaves under v. In what is left, let h(v) be phi
of v's measure and g(v) phi of that measure plus mu. Grafting S above the root costs A(root) g(root), and going down
from a node u to its child v changes the cost by

    weight(u) (g(u) - h(u)) + A(v) (g(v) - g(u)).

The first term is never negative, so only nodes with A(v) > 0, those above graph neighbours of S, can be worth a visit;
one walk up from each neighbour and one pass down price all of them.
"""

from __future__ import annotations

from hypcse.kernels._compile import helper, kernel
from hypcse.kernels.search.bench import (
    AMOUNT,
    CLOCK,
    COST,
    GAIN_PHI,
    LEFT,
    MARK,
    MEASURE,
    MEETING,
    N_FOUND,
    N_PATH,
    N_STEPS,
    PARENT,
    PASSING,
    PHI,
    RIGHT,
    WEIGHT,
    Bench,
    Rows,
    phi_of,
)

# Marks are 32 bits wide; after this one they start anew.
LAST_CLOCK = 2**31 - 16
# Places above the node where all edges of a subtree have met are worth little: so many of them are priced.
EXTRA_LEVELS = 8


@helper
def _mark_leaves(bench: Bench, top: int, n_leaves: int, inside: int, largest: int) -> int:
    """Mark the leaves under a node with `inside` and list them in `found`; their number, 0 if over `largest`."""
    bench.stack[0] = top
    depth, n_inside = 1, 0
    while depth > 0:
        depth -= 1
        node = bench.stack[depth]
        if node < n_leaves:
            if n_inside == largest:
                return 0
            bench.link[node, MARK] = inside
            bench.found[n_inside] = node
            n_inside += 1
        else:
            bench.stack[depth], bench.stack[depth + 1] = bench.link[node, LEFT], bench.link[node, RIGHT]
            depth += 2
    return n_inside


@helper
def _collect_neighbors(bench: Bench, rows: Rows, n_inside: int, inside: int, outside: int) -> int:
    """Add up the weight from the listed leaves to each leaf outside, and list those in `stack`; their number."""
    n_neighbors = 0
    for k in range(n_inside):
        leaf = bench.found[k]
        for e in range(rows.indptr[leaf], rows.indptr[leaf + 1]):
            other = rows.indices[e]
            if bench.link[other, MARK] == inside:
                continue
            if bench.link[other, MARK] != outside:
                bench.link[other, MARK] = outside
                bench.value[other, AMOUNT] = 0.0
                bench.stack[n_neighbors] = other
                n_neighbors += 1
            bench.value[other, AMOUNT] += rows.weights[e]
    return n_neighbors


@helper
def _list_path(bench: Bench, node: int, on_path: int) -> None:
    """List a node and all above it in `path`."""
    n_path = 0
    while node >= 0:
        bench.link[node, MARK] = on_path
        bench.path[n_path] = node
        n_path += 1
        node = bench.link[node, PARENT]
    bench.counts[N_PATH] = n_path


@helper
def _walk_up(bench: Bench, n_neighbors: int, outside: int, on_path: int) -> int:
    """Carry the amounts from the neighbours up to the path; list new nodes in `found`, parents before children.

    A node of the path where something meets gets the mark after `on_path`; their number.
    """
    n_found, n_met = 0, 0
    for k in range(n_neighbors):
        leaf = bench.stack[k]
        carried = bench.value[leaf, AMOUNT]
        begin = n_found
        bench.found[n_found] = leaf
        n_found += 1
        node = bench.link[leaf, PARENT]
        while bench.link[node, MARK] < on_path:
            if bench.link[node, MARK] != outside:
                bench.link[node, MARK] = outside
                bench.value[node, AMOUNT] = 0.0
                bench.found[n_found] = node
                n_found += 1
            bench.value[node, AMOUNT] += carried
            node = bench.link[node, PARENT]
            bench.counts[N_STEPS] += 1
        if bench.link[node, MARK] == on_path:
            bench.link[node, MARK] = on_path + 1
            bench.value[node, MEETING] = 0.0
            n_met += 1
        bench.value[node, MEETING] += carried
        low, high = begin, n_found - 1
        while low < high:
            bench.found[low], bench.found[high] = bench.found[high], bench.found[low]
            low, high = low + 1, high - 1
    bench.counts[N_FOUND] = n_found
    return n_met


@helper
def _trim_path(bench: Bench, n_met: int, on_path: int) -> None:
    """Add up what meets along the path, and end the path some levels above the node where all has met.

    Differences of cost below a node do not depend on what lies above it, so the rest of the path need not be priced.
    """
    total, n_path, spare = 0.0, 0, EXTRA_LEVELS
    while n_path < bench.counts[N_PATH] and spare > 0:
        node = bench.path[n_path]
        n_path += 1
        if bench.link[node, MARK] == on_path:
            bench.value[node, MEETING] = 0.0
        else:
            n_met -= 1
            total += bench.value[node, MEETING]
        if n_met == 0:
            spare -= 1
        bench.value[node, AMOUNT] = total
    bench.counts[N_PATH] = n_path


@helper
def _price_path(bench: Bench, mu: float, sibling: int, logarithmic: bool) -> None:
    """Costs at the old place and above it, from the top of the path down; only their differences mean anything."""
    value = bench.value
    value[sibling, AMOUNT] = value[bench.path[0], MEETING]
    above = -1
    for k in range(bench.counts[N_PATH] - 1, -1, -1):
        if k > 0:
            node = bench.path[k]
            rest = phi_of(max(value[node, MEASURE] - mu, 0.0), logarithmic)
            value[node, GAIN_PHI] = value[node, PHI]
            value[node, PASSING] = (value[node, WEIGHT] - value[node, MEETING]) * (value[node, PHI] - rest)
        else:
            node = sibling
            value[node, GAIN_PHI] = value[bench.path[0], PHI]
            value[node, PASSING] = value[node, WEIGHT] * (value[node, GAIN_PHI] - value[node, PHI])
        value[node, COST] = value[node, AMOUNT] * value[node, GAIN_PHI]
        if above >= 0:
            drop = value[node, GAIN_PHI] - value[above, GAIN_PHI]
            value[node, COST] = value[above, COST] + value[above, PASSING] + value[node, AMOUNT] * drop
        above = node


@helper
def _price_rest(bench: Bench, mu: float, sibling: int, logarithmic: bool) -> None:
    """Costs at the nodes above neighbours, off the path."""
    value = bench.value
    for k in range(bench.counts[N_FOUND]):
        node = bench.found[k]
        if node == sibling:
            continue
        above = bench.link[node, PARENT]
        value[node, GAIN_PHI] = phi_of(value[node, MEASURE] + mu, logarithmic)
        value[node, PASSING] = value[node, WEIGHT] * (value[node, GAIN_PHI] - value[node, PHI])
        drop = value[node, GAIN_PHI] - value[above, GAIN_PHI]
        value[node, COST] = value[above, COST] + value[above, PASSING] + value[node, AMOUNT] * drop


@kernel
def price_places(bench: Bench, rows: Rows, top: int, largest: int, logarithmic: bool) -> int:
    """Price every place worth a visit for the subtree `top`; its sibling, whose cost is that of staying.

    -1 when there is no such place, or when the subtree has more than `largest` leaves and nothing was done.
    The places are the first `counts[N_FOUND]` of `found` and, from the second on, the first `counts[N_PATH]` of `path`.
    """
    n_leaves = rows.indptr.size - 1
    if bench.counts[CLOCK] > LAST_CLOCK:
        bench.link[:, MARK] = 0
        bench.counts[CLOCK] = 0
    bench.counts[CLOCK] += 4
    inside, outside, on_path = bench.counts[CLOCK] - 3, bench.counts[CLOCK] - 2, bench.counts[CLOCK] - 1
    joint = bench.link[top, PARENT]
    sibling = bench.link[joint, LEFT] + bench.link[joint, RIGHT] - top
    n_inside = _mark_leaves(bench, top, n_leaves, inside, largest)
    bench.counts[N_STEPS] = n_inside if n_inside > 0 else largest
    n_neighbors = _collect_neighbors(bench, rows, n_inside, inside, outside)
    if n_neighbors == 0:
        return -1
    _list_path(bench, joint, on_path)
    bench.counts[N_STEPS] += bench.counts[N_PATH]
    n_met = _walk_up(bench, n_neighbors, outside, on_path)
    _trim_path(bench, n_met, on_path)
    mu = bench.value[top, MEASURE]
    _price_path(bench, mu, sibling, logarithmic)
    _price_rest(bench, mu, sibling, logarithmic)
    return sibling


@kernel
def move(bench: Bench, top: int, target: int, logarithmic: bool) -> None:
    """Regraft the subtree just priced next to `target`, one of its places other than its sibling."""
    link, value = bench.link, bench.value
    on_path = bench.counts[CLOCK] - 1
    mu = value[top, MEASURE]
    joint = link[top, PARENT]
    sibling = link[joint, LEFT] + link[joint, RIGHT] - top
    _hang(bench, link[joint, PARENT], joint, sibling)
    # Above the node where the ways to the old and the new place part nothing changes.
    fork = link[target, PARENT]
    while fork >= 0 and link[fork, MARK] < on_path:
        fork = link[fork, PARENT]
    node = link[sibling, PARENT]
    while node != fork:
        value[node, WEIGHT] -= value[node, MEETING]
        _set_measure(bench, node, max(value[node, MEASURE] - mu, 0.0), logarithmic)
        node = link[node, PARENT]
    _hang(bench, link[target, PARENT], target, joint)
    link[joint, LEFT], link[joint, RIGHT] = top, target
    link[target, PARENT] = joint
    value[joint, WEIGHT] = value[target, AMOUNT]
    _set_measure(bench, joint, value[target, MEASURE] + mu, logarithmic)
    below, node = target, link[joint, PARENT]
    while node != fork:
        value[node, WEIGHT] += value[node, AMOUNT] - value[below, AMOUNT]
        _set_measure(bench, node, value[node, MEASURE] + mu, logarithmic)
        below, node = node, link[node, PARENT]
    # Above the priced part of the path all has met, so nothing changes there either.
    if fork >= 0 and target != bench.path[bench.counts[N_PATH] - 1]:
        value[fork, WEIGHT] += value[fork, AMOUNT] - value[below, AMOUNT] - value[fork, MEETING]
    _mark_stale(bench, top, sibling, fork)


@helper
def _mark_stale(bench: Bench, top: int, sibling: int, fork: int) -> None:
    """Mark what a move has touched: the ways from the old and the new place to the fork, and what hangs on them."""
    for begin in (top, sibling):
        bench.stale[begin] = True
        node = bench.link[begin, PARENT]
        while node != fork:
            bench.stale[node] = True
            bench.stale[bench.link[node, LEFT]] = bench.stale[bench.link[node, RIGHT]] = True
            node = bench.link[node, PARENT]
    for k in range(bench.counts[N_FOUND]):
        node = bench.found[k]
        if bench.link[node, LEFT] < 0:
            bench.stale[node] = True


@helper
def _hang(bench: Bench, above: int, old: int, new: int) -> None:
    """Put `new` where `old` hangs; -1 above means that it becomes the root."""
    bench.link[new, PARENT] = above
    if above >= 0:
        bench.link[above, RIGHT if bench.link[above, RIGHT] == old else LEFT] = new


@helper
def _set_measure(bench: Bench, node: int, measure: float, logarithmic: bool) -> None:
    bench.value[node, MEASURE] = measure
    bench.value[node, PHI] = phi_of(measure, logarithmic)

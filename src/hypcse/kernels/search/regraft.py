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
from hypcse.kernels.search.working_tree import (
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
    Rows,
    WorkingTree,
    phi_of,
)

# Marks are 32 bits wide; after this one they start anew.
LAST_CLOCK = 2**31 - 16
# Places above the node where all edges of a subtree have met are worth little: so many of them are priced.
EXTRA_LEVELS = 8


@helper
def _mark_leaves(tree: WorkingTree, top: int, n_leaves: int, inside: int, largest: int) -> int:
    """Mark the leaves under a node with `inside` and list them in `found`; their number, 0 if over `largest`."""
    tree.stack[0] = top
    depth, n_inside = 1, 0
    while depth > 0:
        depth -= 1
        node = tree.stack[depth]
        if node < n_leaves:
            if n_inside == largest:
                return 0
            tree.link[node, MARK] = inside
            tree.found[n_inside] = node
            n_inside += 1
        else:
            tree.stack[depth], tree.stack[depth + 1] = tree.link[node, LEFT], tree.link[node, RIGHT]
            depth += 2
    return n_inside


@helper
def _collect_neighbors(tree: WorkingTree, rows: Rows, n_inside: int, inside: int, outside: int) -> int:
    """Add up the weight from the listed leaves to each leaf outside, and list those in `stack`; their number."""
    n_neighbors = 0
    for k in range(n_inside):
        leaf = tree.found[k]
        for e in range(rows.indptr[leaf], rows.indptr[leaf + 1]):
            other = rows.indices[e]
            if tree.link[other, MARK] == inside:
                continue
            if tree.link[other, MARK] != outside:
                tree.link[other, MARK] = outside
                tree.value[other, AMOUNT] = 0.0
                tree.stack[n_neighbors] = other
                n_neighbors += 1
            tree.value[other, AMOUNT] += rows.weights[e]
    return n_neighbors


@helper
def _list_path(tree: WorkingTree, node: int, on_path: int) -> None:
    """List a node and all above it in `path`."""
    n_path = 0
    while node >= 0:
        tree.link[node, MARK] = on_path
        tree.path[n_path] = node
        n_path += 1
        node = tree.link[node, PARENT]
    tree.counts[N_PATH] = n_path


@helper
def _walk_up(tree: WorkingTree, n_neighbors: int, outside: int, on_path: int) -> int:
    """Carry the amounts from the neighbours up to the path; list new nodes in `found`, parents before children.

    A node of the path where something meets gets the mark after `on_path`; their number.
    """
    n_found, n_met = 0, 0
    for k in range(n_neighbors):
        leaf = tree.stack[k]
        carried = tree.value[leaf, AMOUNT]
        begin = n_found
        tree.found[n_found] = leaf
        n_found += 1
        node = tree.link[leaf, PARENT]
        while tree.link[node, MARK] < on_path:
            if tree.link[node, MARK] != outside:
                tree.link[node, MARK] = outside
                tree.value[node, AMOUNT] = 0.0
                tree.found[n_found] = node
                n_found += 1
            tree.value[node, AMOUNT] += carried
            node = tree.link[node, PARENT]
            tree.counts[N_STEPS] += 1
        if tree.link[node, MARK] == on_path:
            tree.link[node, MARK] = on_path + 1
            tree.value[node, MEETING] = 0.0
            n_met += 1
        tree.value[node, MEETING] += carried
        low, high = begin, n_found - 1
        while low < high:
            tree.found[low], tree.found[high] = tree.found[high], tree.found[low]
            low, high = low + 1, high - 1
    tree.counts[N_FOUND] = n_found
    return n_met


@helper
def _trim_path(tree: WorkingTree, n_met: int, on_path: int) -> None:
    """Add up what meets along the path, and end the path some levels above the node where all has met.

    Differences of cost below a node do not depend on what lies above it, so the rest of the path need not be priced.
    """
    total, n_path, spare = 0.0, 0, EXTRA_LEVELS
    while n_path < tree.counts[N_PATH] and spare > 0:
        node = tree.path[n_path]
        n_path += 1
        if tree.link[node, MARK] == on_path:
            tree.value[node, MEETING] = 0.0
        else:
            n_met -= 1
            total += tree.value[node, MEETING]
        if n_met == 0:
            spare -= 1
        tree.value[node, AMOUNT] = total
    tree.counts[N_PATH] = n_path


@helper
def _price_path(tree: WorkingTree, mu: float, sibling: int, logarithmic: bool) -> None:
    """Costs at the old place and above it, from the top of the path down; only their differences mean anything."""
    value = tree.value
    value[sibling, AMOUNT] = value[tree.path[0], MEETING]
    above = -1
    for k in range(tree.counts[N_PATH] - 1, -1, -1):
        if k > 0:
            node = tree.path[k]
            rest = phi_of(max(value[node, MEASURE] - mu, 0.0), logarithmic)
            value[node, GAIN_PHI] = value[node, PHI]
            value[node, PASSING] = (value[node, WEIGHT] - value[node, MEETING]) * (value[node, PHI] - rest)
        else:
            node = sibling
            value[node, GAIN_PHI] = value[tree.path[0], PHI]
            value[node, PASSING] = value[node, WEIGHT] * (value[node, GAIN_PHI] - value[node, PHI])
        value[node, COST] = value[node, AMOUNT] * value[node, GAIN_PHI]
        if above >= 0:
            drop = value[node, GAIN_PHI] - value[above, GAIN_PHI]
            value[node, COST] = value[above, COST] + value[above, PASSING] + value[node, AMOUNT] * drop
        above = node


@helper
def _price_rest(tree: WorkingTree, mu: float, sibling: int, logarithmic: bool) -> None:
    """Costs at the nodes above neighbours, off the path."""
    value = tree.value
    for k in range(tree.counts[N_FOUND]):
        node = tree.found[k]
        if node == sibling:
            continue
        above = tree.link[node, PARENT]
        value[node, GAIN_PHI] = phi_of(value[node, MEASURE] + mu, logarithmic)
        value[node, PASSING] = value[node, WEIGHT] * (value[node, GAIN_PHI] - value[node, PHI])
        drop = value[node, GAIN_PHI] - value[above, GAIN_PHI]
        value[node, COST] = value[above, COST] + value[above, PASSING] + value[node, AMOUNT] * drop


@kernel
def price_places(tree: WorkingTree, rows: Rows, top: int, largest: int, logarithmic: bool) -> int:
    """Price every place worth a visit for the subtree `top`; its sibling, whose cost is that of staying.

    -1 when there is no such place, or when the subtree has more than `largest` leaves and nothing was done.
    The places are the first `counts[N_FOUND]` of `found` and, from the second on, the first `counts[N_PATH]` of `path`.
    """
    n_leaves = rows.indptr.size - 1
    if tree.counts[CLOCK] > LAST_CLOCK:
        tree.link[:, MARK] = 0
        tree.counts[CLOCK] = 0
    tree.counts[CLOCK] += 4
    inside, outside, on_path = tree.counts[CLOCK] - 3, tree.counts[CLOCK] - 2, tree.counts[CLOCK] - 1
    joint = tree.link[top, PARENT]
    sibling = tree.link[joint, LEFT] + tree.link[joint, RIGHT] - top
    n_inside = _mark_leaves(tree, top, n_leaves, inside, largest)
    tree.counts[N_STEPS] = n_inside if n_inside > 0 else largest
    n_neighbors = _collect_neighbors(tree, rows, n_inside, inside, outside)
    if n_neighbors == 0:
        return -1
    _list_path(tree, joint, on_path)
    tree.counts[N_STEPS] += tree.counts[N_PATH]
    n_met = _walk_up(tree, n_neighbors, outside, on_path)
    _trim_path(tree, n_met, on_path)
    mu = tree.value[top, MEASURE]
    _price_path(tree, mu, sibling, logarithmic)
    _price_rest(tree, mu, sibling, logarithmic)
    return sibling


@kernel
def move(tree: WorkingTree, top: int, target: int, logarithmic: bool) -> None:
    """Regraft the subtree just priced next to `target`, one of its places other than its sibling."""
    link, value = tree.link, tree.value
    on_path = tree.counts[CLOCK] - 1
    mu = value[top, MEASURE]
    joint = link[top, PARENT]
    sibling = link[joint, LEFT] + link[joint, RIGHT] - top
    _hang(tree, link[joint, PARENT], joint, sibling)
    # Above the node where the ways to the old and the new place part nothing changes.
    fork = link[target, PARENT]
    while fork >= 0 and link[fork, MARK] < on_path:
        fork = link[fork, PARENT]
    node = link[sibling, PARENT]
    while node != fork:
        value[node, WEIGHT] -= value[node, MEETING]
        _set_measure(tree, node, max(value[node, MEASURE] - mu, 0.0), logarithmic)
        node = link[node, PARENT]
    _hang(tree, link[target, PARENT], target, joint)
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
def _hang(tree: WorkingTree, above: int, old: int, new: int) -> None:
    """Put `new` where `old` hangs; -1 above means that it becomes the root."""
    tree.link[new, PARENT] = above
    if above >= 0:
        tree.link[above, RIGHT if tree.link[above, RIGHT] == old else LEFT] = new


@helper
def _set_measure(tree: WorkingTree, node: int, measure: float, logarithmic: bool) -> None:
    tree.value[node, MEASURE] = measure
    tree.value[node, PHI] = phi_of(measure, logarithmic)

"""The places of a pruned subtree and their prices, for objectives F = sum over nodes of weight * phi(measure).

`weight` is the total weight of the edges that meet at a node. `measure` adds up over leaves: degrees, with phi = log2,
give structural entropy; ones, with phi the identity, give Dasgupta's cost.

Let S be pruned, mu its measure, and A(v) the weight between S and the leaves under v. In what is left, let h(v) be phi
of v's measure and g(v) phi of that measure plus mu. Grafting S above the root costs A(root) g(root), and going down
from a node u to its child v changes the cost by

    weight(u) (g(u) - h(u)) + A(v) (g(v) - g(u)).

The first term is never negative, so only nodes with A(v) > 0, those above graph neighbors of S, can be worth a visit;
one walk up from the neighbors and one pass down price all of them. And since A only falls on the way down, while g
stays above phi(mu), no place at v or below it costs less than

    cost(u) + weight(u) (g(u) - h(u)) - A(v) (g(u) - phi(mu)),

so a search for the cheapest place alone leaves most branches out.
"""

from __future__ import annotations

import numpy as np

from hypcse.kernels.compile import helper, kernel
from hypcse.kernels.search.working_tree import Rows, WorkingTree, phi_of

# Marks are 32 bits wide; after this one they start anew.
LAST_CLOCK = 2**31 - 16
# Places above the node where all edges of a subtree have met are worth little: so many of them are priced.
EXTRA_LEVELS = 8
# Steps of walking that a sweep has for each node and each entry of the graph. Once they are used up, a survey may take
# no more than so many. On graphs without hubs a sweep takes a quarter of them; with hubs, trees are deep.
PATIENCE = 256


@helper
def sweep_credit(tree: WorkingTree, rows: Rows) -> int:
    """Steps of walking that a sweep over all subtrees has."""
    return PATIENCE * (tree.link.shape[0] + rows.indices.size)


@helper
def step_limit(tree: WorkingTree) -> int:
    """The most steps that the next survey may take."""
    return max(tree.counts[0].credit, PATIENCE)


@helper
def _mark_leaves(tree: WorkingTree, top: int, n_leaves: int, inside: int, largest: int) -> int:
    """Mark the leaves under a node with `inside` and list them in `off_path`; their number, 0 if over `largest`."""
    tree.stack[0] = top
    depth, n_inside = 1, 0
    while depth > 0:
        depth -= 1
        node = tree.stack[depth]
        if node < n_leaves:
            if n_inside == largest:
                return 0
            tree.link[node].mark = inside
            tree.off_path[n_inside] = node
            n_inside += 1
        else:
            tree.stack[depth], tree.stack[depth + 1] = tree.link[node].left, tree.link[node].right
            depth += 2
    return n_inside


@helper
def _collect_neighbors(tree: WorkingTree, rows: Rows, n_inside: int, inside: int, outside: int, limit: int) -> int:
    """Add up the weight from the listed leaves to each leaf outside, and list those in `stack`; their number."""
    n_neighbors = 0
    for k in range(n_inside):
        leaf = tree.off_path[k]
        tree.counts[0].n_steps += rows.indptr[leaf + 1] - rows.indptr[leaf]
        if tree.counts[0].n_steps > limit:
            return 0
        for e in range(rows.indptr[leaf], rows.indptr[leaf + 1]):
            other = rows.indices[e]
            if tree.link[other].mark == inside:
                continue
            if tree.link[other].mark != outside:
                tree.link[other].mark = outside
                tree.value[other].amount = 0.0
                tree.stack[n_neighbors] = other
                n_neighbors += 1
            tree.value[other].amount += rows.weights[e]
    return n_neighbors


@helper
def _list_path(tree: WorkingTree, node: int, on_path: int, limit: int) -> None:
    """List a node and all above it in `path`."""
    n_path = 0
    while node >= 0 and n_path <= limit:
        tree.link[node].mark = on_path
        tree.path[n_path] = node
        n_path += 1
        node = tree.link[node].parent
    tree.counts[0].n_path = n_path
    tree.counts[0].n_steps += n_path


@helper
def _walk_up(tree: WorkingTree, n_neighbors: int, outside: int, on_path: int, limit: int) -> int:
    """List the nodes from the neighbors up to the path in `off_path`, parents first, with amounts; how many met it."""
    n_off_path, n_met = 0, 0
    most = limit - tree.counts[0].n_steps
    for k in range(n_neighbors):
        begin = n_off_path
        node = tree.stack[k]
        tree.off_path[n_off_path] = node
        n_off_path += 1
        node = tree.link[node].parent
        while tree.link[node].mark < outside and n_off_path <= most:
            tree.link[node].mark = outside
            tree.value[node].amount = 0.0
            tree.off_path[n_off_path] = node
            n_off_path += 1
            node = tree.link[node].parent
        if n_off_path > most:
            tree.counts[0].n_steps += n_off_path
            return 0
        if tree.link[node].mark == on_path:
            tree.link[node].mark = on_path + 1
            tree.value[node].meeting = 0.0
            n_met += 1
        low, high = begin, n_off_path - 1
        while low < high:
            tree.off_path[low], tree.off_path[high] = tree.off_path[high], tree.off_path[low]
            low, high = low + 1, high - 1
    for k in range(n_off_path - 1, -1, -1):
        node = tree.off_path[k]
        above = tree.link[node].parent
        if tree.link[above].mark == outside:
            tree.value[above].amount += tree.value[node].amount
        else:
            tree.value[above].meeting += tree.value[node].amount
    tree.counts[0].n_off_path = n_off_path
    tree.counts[0].n_steps += n_off_path
    return n_met


@helper
def _trim_path(tree: WorkingTree, n_met: int, on_path: int) -> None:
    """Add up what meets along the path, and end it some levels above where all has met: the rest need not be priced."""
    total, n_path, spare = 0.0, 0, EXTRA_LEVELS
    while n_path < tree.counts[0].n_path and spare > 0:
        node = tree.path[n_path]
        n_path += 1
        if tree.link[node].mark == on_path:
            tree.value[node].meeting = 0.0
        else:
            n_met -= 1
            total += tree.value[node].meeting
        if n_met == 0:
            spare -= 1
        tree.value[node].amount = total
    tree.counts[0].n_path = n_path


@helper
def _price_path(tree: WorkingTree, mu: float, sibling: int, logarithmic: bool) -> None:
    """Costs at the old place and above it, from the top of the path down; only their differences mean anything."""
    value = tree.value
    value[sibling].amount = value[tree.path[0]].meeting
    above = -1
    for k in range(tree.counts[0].n_path - 1, -1, -1):
        if k > 0:
            node = tree.path[k]
            rest = phi_of(max(value[node].measure - mu, 0.0), logarithmic)
            value[node].gain_phi = value[node].phi
            value[node].passing = (value[node].weight - value[node].meeting) * (value[node].phi - rest)
        else:
            node = sibling
            value[node].gain_phi = value[tree.path[0]].phi
            value[node].passing = value[node].weight * (value[node].gain_phi - value[node].phi)
        value[node].cost = value[node].amount * value[node].gain_phi
        if above >= 0:
            drop = value[node].gain_phi - value[above].gain_phi
            value[node].cost = value[above].cost + value[above].passing + value[node].amount * drop
        above = node


@helper
def _price(tree: WorkingTree, node: int, mu: float, logarithmic: bool) -> float:
    """The cost at a node off the path whose parent is priced."""
    value, above = tree.value, tree.link[node].parent
    value[node].gain_phi = phi_of(value[node].measure + mu, logarithmic)
    value[node].passing = value[node].weight * (value[node].gain_phi - value[node].phi)
    drop = value[node].gain_phi - value[above].gain_phi
    value[node].cost = value[above].cost + value[above].passing + value[node].amount * drop
    return value[node].cost


@helper
def _survey(tree: WorkingTree, rows: Rows, top: int, largest: int, logarithmic: bool) -> int:
    """List the places of the subtree `top`, and price those on its path; as `price_places` answers."""
    n_leaves = rows.indptr.size - 1
    if tree.counts[0].clock > LAST_CLOCK:
        tree.link["mark"][:] = 0
        tree.counts[0].clock = 0
    tree.counts[0].clock += 4
    inside, outside, on_path = tree.counts[0].clock - 3, tree.counts[0].clock - 2, tree.counts[0].clock - 1
    joint = tree.link[top].parent
    sibling = tree.link[joint].left + tree.link[joint].right - top
    limit = step_limit(tree)
    n_inside = _mark_leaves(tree, top, n_leaves, inside, min(largest, limit))
    tree.counts[0].n_steps = n_inside if n_inside > 0 else min(largest, limit + 1)
    n_neighbors = _collect_neighbors(tree, rows, n_inside, inside, outside, limit)
    if n_neighbors == 0:
        return -1
    _list_path(tree, joint, on_path, limit)
    if tree.counts[0].n_steps > limit:
        return -1
    n_met = _walk_up(tree, n_neighbors, outside, on_path, limit)
    if tree.counts[0].n_steps > limit:
        return -1
    _trim_path(tree, n_met, on_path)
    _price_path(tree, tree.value[top].measure, sibling, logarithmic)
    return sibling


@kernel
def price_places(tree: WorkingTree, rows: Rows, top: int, largest: int, logarithmic: bool) -> int:
    """Price every place worth a visit for the subtree `top`; its sibling, whose cost is that of staying; -1 without a
    place, with more than `largest` leaves, or with more steps than `step_limit`. The places are the first `n_off_path`
    of `off_path`, and the first `n_path` of `path` but one.
    """
    sibling = _survey(tree, rows, top, largest, logarithmic)
    if sibling >= 0:
        for k in range(tree.counts[0].n_off_path):
            if tree.off_path[k] != sibling:
                _price(tree, tree.off_path[k], tree.value[top].measure, logarithmic)
    return sibling


@kernel
def find_cheapest(
    tree: WorkingTree, rows: Rows, top: int, largest: int, least_gain: float, logarithmic: bool
) -> tuple[int, int]:
    """The sibling of the subtree `top`, or -1, as `price_places` answers, and the cheapest of its places.

    Staying wins ties, to within `least_gain`, then the path, then the place found first.
    """
    sibling = _survey(tree, rows, top, largest, logarithmic)
    if sibling < 0:
        return -1, -1
    value = tree.value
    best = sibling
    for k in range(1, tree.counts[0].n_path):
        if value[tree.path[k]].cost < value[best].cost - least_gain:
            best = tree.path[k]
    least = value[best].cost - least_gain
    for k in range(tree.counts[0].n_off_path):
        node = tree.off_path[k]
        if node == sibling:
            continue
        above = tree.link[node].parent
        reach = value[node].amount * (value[above].gain_phi - value[top].phi)
        if value[above].cost + value[above].passing - reach >= least:
            # So are all below it: their bound is this one, with nothing left to reach.
            value[node].cost, value[node].passing, value[node].gain_phi = np.inf, 0.0, value[top].phi
        elif _price(tree, node, value[top].measure, logarithmic) < least:
            best, least = node, value[node].cost - least_gain
    return sibling, best

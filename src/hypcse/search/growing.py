"""Trees that learn new vertices: places for them, and a search only where something has changed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hypcse._progress import Callback, Reporter
from hypcse.entropy.volumes import meeting_weights, node_volumes
from hypcse.graph import Graph
from hypcse.graph.convert import in_range
from hypcse.kernels.search.descent import descend
from hypcse.kernels.trees.places import cheapest_nodes
from hypcse.kernels.trees.sweep import children_first, subtree_minima, subtree_sums
from hypcse.search.binary import binarize, searched_tree
from hypcse.search.linkage import link_graph
from hypcse.search.working import PART, start_search
from hypcse.tree import Tree

MOST_LINKS = 64
"""So many of the heaviest links of a new vertex, or of a group of them, decide where it goes."""

N_SWEEPS, LARGEST = 3, 256
"""How often moves are tried where a tree has changed, and leaves of the largest subtree that moves."""


def attach_vertices(tree: Tree, graph: Graph) -> Tree:
    """The binary tree with all vertices of the graph, of which it has the first so far; without names.

    A new vertex goes where it adds the least structural entropy. Those whose edges lead mostly to each other go
    together: each component of them is linked by itself, and placed as one.
    """
    n, m = tree.n_leaves, graph.n_vertices - tree.n_leaves
    known = graph.subgraph(np.arange(n))[0]
    begin = graph.indptr[n]
    own, other = np.repeat(np.arange(m), np.diff(graph.indptr[n:])), graph.indices[begin:].astype(np.int64)
    weight, is_old = graph.weights[begin:], graph.indices[begin:] < n
    together = np.bincount(own, np.where(is_old, -weight, weight), m) > 0
    members = np.flatnonzero(together)
    unit = np.empty(m, np.int64)
    inner = graph.subgraph(n + members)[0] if members.size else None
    groups = np.empty(0, np.int64) if inner is None else inner.components()
    n_groups = int(groups.max(initial=-1)) + 1
    unit[members], unit[~together] = groups, n_groups + np.arange(m - members.size)
    links = _heaviest_links(unit[own[is_old]], other[is_old], weight[is_old], n_groups + m - members.size)
    places = _places(tree, known, *links)
    outer = tree.with_names(None).attach(places)
    nodes = np.concatenate([np.arange(n), np.empty(places.size, np.int64), n + m + np.arange(outer.n_nodes)])
    nodes = nodes[: outer.n_nodes]
    nodes[n + places.size :] = n + m + np.arange(outer.n_nodes - n - places.size)
    nodes[n + n_groups : n + places.size] = n + np.flatnonzero(~together)
    below = np.full(0, -1) if inner is None else link_graph(inner, "average").parent
    ids, tops = _group_nodes(below, groups, n + members, n + m + outer.n_nodes - n - places.size)
    nodes[n : n + n_groups] = ids[tops]
    parent = np.full(n + m + outer.n_nodes - n - places.size + np.count_nonzero(ids[members.size :] >= 0), -1)
    inside = ids >= 0
    inside[tops] = False
    parent[ids[inside]] = ids[below[inside]]
    parent[nodes[:-1]] = nodes[outer.parent[:-1]]
    return binarize(searched_tree(children_first(parent, n + m), graph.degrees), graph)


def _heaviest_links(
    unit: NDArray[np.int64], leaf: NDArray[np.int64], weight: NDArray[np.float64], n_units: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Leaves and weights of the heaviest links of each unit, (units, k), padded with weight 0; -1 without a link."""
    n = int(leaf.max(initial=0)) + 1
    keys, pair = np.unique(unit * n + leaf, return_inverse=True)
    total = np.bincount(pair, weight, keys.size)
    order = np.lexsort((keys % n, -total, keys // n))
    owner, leaf, total = keys[order] // n, keys[order] % n, total[order]
    counts = np.bincount(owner, minlength=n_units)
    rank = np.arange(owner.size) - np.repeat(np.cumsum(counts) - counts, counts)
    stays = rank < MOST_LINKS
    leaves = np.full((n_units, int(rank[stays].max(initial=0)) + 1), -1)
    weights = np.zeros(leaves.shape)
    leaves[owner[stays], rank[stays]], weights[owner[stays], rank[stays]] = leaf[stays], total[stays]
    return np.where(leaves < 0, leaves[:, :1], leaves), weights


def _places(tree: Tree, graph: Graph, leaves: NDArray[np.int64], weights: NDArray[np.float64]) -> NDArray[np.int64]:
    """The node beside which each unit goes; the root for one without a link."""
    places = np.full(len(leaves), tree.root)
    linked = leaves[:, 0] >= 0
    volumes = node_volumes(tree, graph.degrees)
    places[linked] = cheapest_nodes(tree.parent, volumes, meeting_weights(tree, graph), leaves[linked], weights[linked])
    return places


def _group_nodes(
    parent: NDArray[np.int64], groups: NDArray[np.int64], leaves: NDArray[np.int64], begin: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Ids for the nodes of a tree over several groups, -1 for those above groups, and the top node of each group."""
    if groups.size == 0:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    mixed = subtree_minima(parent, groups) != -subtree_minima(parent, -groups)
    ids = np.where(mixed, -1, begin + np.cumsum(~mixed) - 1 - groups.size)
    ids[: groups.size] = leaves
    is_top = ~mixed & np.append(mixed[parent[:-1]], True)
    tops = np.flatnonzero(is_top)
    return ids, tops[np.argsort(subtree_minima(parent, groups)[tops])]


def settle(tree: Tree, graph: Graph, changed: NDArray[np.bool_], callback: Callback | None = None) -> Tree:
    """Descend, as `refine` does, where the surroundings of vertices have changed, and where that moves something."""
    graph, reporter = in_range(graph), Reporter(callback)
    if not changed.any() or graph.n_edges == 0 or tree.n_leaves < 3:
        return tree
    search = start_search(tree, graph, "entropy")
    parent = search.tree.link["parent"].astype(np.int64)
    holds = np.zeros(parent.size)
    holds[: changed.size] = changed[search.order]
    above = subtree_sums(parent, holds) > 0
    search.tree.stale[:] = above
    search.tree.stale[:-1] |= above[parent[:-1]]
    least_gain, n_nodes = 1e-9 * float(graph.weights.mean()), parent.size
    for sweep in range(N_SWEEPS):
        moved, node = 0, 0
        while node < n_nodes:
            _, n_moves, node = descend(search.tree, search.rows, node, PART, LARGEST, least_gain, search.logarithmic)
            moved += n_moves
            share = 1.0 if node == n_nodes and moved == 0 else (sweep + node / n_nodes) / N_SWEEPS
            if reporter.tell("descent", share, 1.0):
                return searched_tree(search.division().parent, graph.degrees)
        if moved == 0:
            break
    return searched_tree(search.division().parent, graph.degrees)

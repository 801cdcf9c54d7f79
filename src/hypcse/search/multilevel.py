"""A tree from groups found by moving vertices: a good start for noisy graphs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse

from hypcse.graph import Graph
from hypcse.graph.convert import in_range
from hypcse.kernels.arrays import Ids, Reals
from hypcse.kernels.linkage.chains import chain_merges
from hypcse.kernels.linkage.merges import first_ranks
from hypcse.kernels.search.communities import move_vertices
from hypcse.kernels.search.working_tree import Rows
from hypcse.search.binary import tree_of_merges
from hypcse.tree import Tree
from hypcse.tree.flat import by_leaf

MAX_SWEEPS = 20
"""Largest number of passes over the vertices, or over the groups of a later round."""
PATIENCE = 8
"""Once the rounds had so many vertices for each of the graph, later ones take theirs in a mixed order."""


class Contracted(NamedTuple):
    """A graph whose vertices are groups.

    rows    : (c, c) weights between groups, in compressed rows, nothing on the diagonal.
    loops   : (c,) twice the weight inside each group; loops count once.
    degrees : (c,) volumes of the groups.
    """

    rows: sparse.csr_array
    loops: Reals
    degrees: Reals


def multilevel_tree(graph: Graph, resolution: float = 1.0) -> Tree:
    """The binary tree of `multilevel_groups`, with average linkage inside the groups and between them."""
    graph = in_range(graph)
    labels = multilevel_groups(graph, resolution)
    whole = _whole(graph)
    within = whole.rows.copy()
    within.data = np.where(np.repeat(labels, np.diff(within.indptr)) == labels[within.indices], within.data, 0.0)
    within.eliminate_zeros()
    inside = _linked(within, np.ones(graph.n_vertices))
    above = _linked(_contracted(whole, labels).rows, np.bincount(labels).astype(np.float64))
    member = np.unique(labels, return_index=True)[1]
    first, second = (np.concatenate([lower, member[upper]]) for lower, upper in zip(inside, above, strict=True))
    return tree_of_merges(graph.degrees, first, second)


def multilevel_groups(graph: Graph, resolution: float = 1.0) -> Ids:
    """Groups of high modularity, labels numbered by smallest vertex; at resolution 0, of low two-dimensional entropy.

    Louvain's scheme, in the order of the vertices, so that nothing is random. O(m) per pass. Along a path of growing
    weights that order joins a few groups only per round; a mixed order then makes every round halve their number.
    """
    at = _whole(in_range(graph))
    labels, n_taken = np.arange(graph.n_vertices), 0
    while graph.n_edges > 0:
        rows = Rows(at.rows.indptr, at.rows.indices, at.rows.data)
        moved = move_vertices(rows, at.loops, at.degrees, MAX_SWEEPS, resolution)
        groups = by_leaf(moved)
        if groups.max() + 1 == groups.size:
            break
        n_taken += groups.size
        if n_taken > PATIENCE * graph.n_vertices:
            groups = np.argsort(first_ranks(int(groups.max()) + 1))[groups]
        labels, at = groups[labels], _contracted(at, groups)
    return by_leaf(labels)


def _whole(graph: Graph) -> Contracted:
    """The graph with every vertex a group."""
    shape = (graph.n_vertices, graph.n_vertices)
    rows = sparse.csr_array((graph.weights, graph.indices, graph.indptr), shape=shape)
    return Contracted(rows, np.array(graph.self_weights), np.array(graph.degrees))


def _contracted(at: Contracted, groups: Ids) -> Contracted:
    """The graph between groups (labels from 0)."""
    n, n_groups = groups.size, int(groups.max()) + 1
    member = sparse.csr_array((np.ones(n), groups, np.arange(n + 1)), shape=(n, n_groups))
    rows = sparse.csr_array(member.T @ at.rows @ member)
    inside = rows.diagonal()
    rows.setdiag(0.0)
    rows.eliminate_zeros()
    rows.sort_indices()
    loops, degrees = (np.bincount(groups, values, n_groups).astype(np.float64) for values in (at.loops, at.degrees))
    return Contracted(rows, loops + inside, degrees)


def _linked(rows: sparse.csr_array, sizes: Reals) -> tuple[Ids, Ids]:
    """The merges of average linkage between vertices of these sizes."""
    return chain_merges(rows.indptr.astype(np.int64), rows.indices.astype(np.int32), rows.data, sizes)

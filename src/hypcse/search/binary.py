"""Trees in the form that the search needs: binary, with heights by volume."""

from __future__ import annotations

import heapq
from collections import defaultdict
from dataclasses import replace

import numpy as np

from hypcse.entropy import graph_over
from hypcse.graph import Graph, GraphLike
from hypcse.graph.convert import in_range
from hypcse.kernels.arrays import Ids, Reals
from hypcse.kernels.linkage.chains import chain_merges
from hypcse.kernels.linkage.merges import join_roots, merge_parents
from hypcse.kernels.trees.sweep import children_first, lift_heights, subtree_minima, subtree_sums
from hypcse.tree import Tree
from hypcse.tree.numbering import renumber


def binary_form(tree: Tree) -> Tree:
    """The tree with multiway nodes split as by `to_linkage`."""
    if tree.is_binary:
        return tree
    split = Tree.from_linkage(tree.to_linkage())
    return replace(tree, parent=split.parent, height=split.height)


def binarize(tree: Tree, graph: GraphLike) -> Tree:
    """Make a tree binary: join the children of every multiway node by average linkage on the graph between them.

    Children without edges between them are joined last, smallest first. This never raises structural entropy or
    Dasgupta's cost. A binary tree is returned as it is.

    Parameters
    ----------
    tree
        The tree. Its leaf k is vertex k of the graph.
    graph
        A `Graph`, a networkx graph or a symmetric matrix, as for `structural_entropy`.

    Returns
    -------
    Tree
        A binary tree over the same leaves.

    Examples
    --------
    >>> from hypcse import Graph, Tree
    >>> star = Tree.from_newick("(0,1,2,3);")
    >>> binarize(star, Graph.from_edges([0, 1, 2], [1, 2, 3], [3.0, 1.0, 3.0])).cut(n_clusters=2).tolist()
    [0, 0, 1, 1]
    """
    graph = in_range(graph_over(tree, graph))
    if tree.is_binary or tree.n_leaves == 1:
        return tree
    children = np.flatnonzero(tree.n_children[tree.parent[:-1]] > 2)
    children = children[np.lexsort((tree.first_positions[children], tree.parent[children]))]
    between = _graph_between(tree, graph, children)
    merges = chain_merges(between.indptr, between.indices, between.weights, tree.sizes[children].astype(np.float64))
    parent = _expand(tree, children, list(zip(*(side.tolist() for side in merges), strict=True)))
    return searched_tree(children_first(parent, tree.n_leaves), graph.degrees, tree.names)


def _graph_between(tree: Tree, graph: Graph, children: Ids) -> Graph:
    """The graph whose vertices are the listed children, weighted by the cuts between siblings."""
    i, j, w = graph.edges()
    # Only leaves under such children can meet at their parents.
    change = np.zeros(tree.n_leaves + 1, np.int64)
    np.add.at(change, tree.first_positions[children], 1)
    np.add.at(change, tree.first_positions[children] + tree.sizes[children], -1)
    under = np.zeros(tree.n_leaves, np.bool_)
    under[tree.leaf_order()] = np.cumsum(change[:-1]) > 0
    both = under[i] & under[j]
    i, j, w = i[both], j[both], w[both]
    meeting = tree.lca(i, j)
    multiway = tree.n_children[meeting] > 2
    # The child above a leaf is the last one that starts at or before the leaf.
    width = tree.n_leaves + 1
    keys = tree.parent[children] * width + tree.first_positions[children]
    first, second = (
        np.searchsorted(keys, meeting[multiway] * width + tree.first_positions[end[multiway]], side="right") - 1
        for end in (i, j)
    )
    return Graph.from_edges(first, second, w[multiway], children.size)


def _expand(tree: Tree, children: Ids, merges: list[tuple[int, int]]) -> Ids:
    """Parents with a new node for every merge, except that the last merge of a multiway node is that node."""
    first, second = np.array(merges + _leftovers(tree, children, merges)).T
    above = merge_parents(first, second, children.size)
    is_new = above[children.size :] >= 0
    made = np.where(is_new, tree.root + np.cumsum(is_new), tree.parent[children[first]])
    number, joined = np.append(children, made), np.flatnonzero(above >= 0)
    parent = np.append(tree.parent, np.zeros(is_new.sum(), np.int64))
    parent[number[joined]] = number[above[joined]]
    return parent


def _leftovers(tree: Tree, children: Ids, merges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Merges among siblings without edges between them: the two smallest first, ties by position."""
    size = tree.sizes[children].tolist()
    alive = dict.fromkeys(range(children.size))
    for keeper, merged in merges:
        size[keeper] += size[merged]
        del alive[merged]
    groups: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for k in alive:
        groups[int(tree.parent[children[k]])].append((size[k], k))
    joined = []
    for group in groups.values():
        heapq.heapify(group)
        while len(group) > 1:
            small, keeper = heapq.heappop(group)
            other, merged = heapq.heappop(group)
            heapq.heappush(group, (small + other, keeper))
            joined.append((keeper, merged))
    return joined


def searched_tree(parent: Ids, degrees: Reals, names: tuple[str, ...] | None = None) -> Tree:
    """The tree of a search at its `volume_heights`, its internal nodes renumbered from low to high."""
    n, height = degrees.size, volume_heights(parent, degrees)
    order = np.concatenate([np.arange(n), n + np.argsort(height[n:], kind="stable")])
    return Tree(*renumber(parent, height, order), names, "volume")


def tree_of_merges(degrees: Reals, first: Ids, second: Ids) -> Tree:
    """The tree of the merges, each cluster named by one of its vertices, and of the merges between components."""
    return searched_tree(join_roots(merge_parents(first, second, degrees.size), degrees), degrees)


def volume_heights(parent: Ids, degrees: Reals) -> Reals:
    """log2 of each node's volume over its smallest leaf's, never decreasing; degree 0 counts as the least above 0."""
    n, positive = degrees.size, degrees[degrees > 0]
    counted = np.maximum(degrees, positive.min() if positive.size else 1.0)
    volumes = subtree_sums(parent, counted)
    # Sums in another order may put a parent below its child by a rounding error.
    height = lift_heights(parent, np.log2(volumes / subtree_minima(parent, counted)))
    height[:n] = 0.0
    return height

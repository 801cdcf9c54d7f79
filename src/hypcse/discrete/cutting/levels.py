"""Nested partitions of a tree at every scale, and which one to look at first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import dropwhile

import numpy as np
from numpy.typing import NDArray

from hypcse._checks import check_count
from hypcse.discrete.cutting.compress import LevelTable, is_small, keep_nodes, kept_levels, one_by_one
from hypcse.discrete.cutting.cuts import coarsest_cut
from hypcse.discrete.cutting.stretches import ALIKE, by_conductance, by_distance
from hypcse.discrete.cutting.wishes import Wishes, modular_cut, wished_cuts, within_limits
from hypcse.discrete.leaving import leaving_parts
from hypcse.entropy import graph_over, node_volumes, structural_entropy
from hypcse.graph import Graph, GraphLike
from hypcse.graph.units import in_range
from hypcse.kernels.trees.sweep import kept_parents, leaf_labels, subtree_sums
from hypcse.tree import Tree

SHARE = 0.95
"""Share of the entropy saved over the star of all leaves that the levels together must keep."""
MAX_LEVELS = 12
MAX_ABOVE, MAX_INSIDE = 6, 4
"""Largest number of lasting partitions, above components and inside them."""
LEAST_MODULARITY = 1e-9
"""Less is a rounding error."""

Labels = NDArray[np.int64]
Split = NDArray[np.bool_]
"""A partition of the leaves: one boolean per node, True if it is split."""


@dataclass(frozen=True, eq=False)
class Levels:
    """Nested labels, coarse to fine, and the position of the one to look at first.

    structured : whether the data are; if not, the first level is one cluster, and others may be chance.
    """

    labels: list[Labels]
    main: int
    structured: bool = True

    @property
    def flat(self) -> Labels:
        """The flat clusters: of the main level, or one of all points if the data are not structured."""
        return self.labels[self.main if self.structured else 0]


def levels(
    tree: Tree,
    graph: GraphLike,
    n_levels: int | None = None,
    *,
    n_clusters: int | Sequence[int] | None = None,
    min_children: int | None = None,
    min_size: int | None = None,
    resolution: float | None = None,
) -> list[Labels]:
    """Find the nested levels of a tree, coarse to fine: at most 12 flat clusterings, each refining the one before.

    Every cluster is a node of the tree. You need not give labels or a number of clusters. Two kinds of partitions are
    offered:

    - Lasting ones. The finest partition in which no part has a conductance above c changes as c grows; some partitions
      stay over many doublings of c. Above the components of the graph, where no weight leaves a part, the limit is on
      the distance at which parts were joined (see `join_components`).
    - Descriptive ones: the smallest number of `compress` levels that keeps 95 % of the entropy that the tree saves over
      the star of all leaves.

    `main_level` says which one to look at first. If no partition holds more weight than the degrees alone would
    explain, there is one level: each connected component is one cluster.

    Parameters
    ----------
    tree
        The tree. Its leaf k is vertex k of the graph.
    graph
        A `Graph`, a networkx graph or a symmetric matrix, as for `structural_entropy`.
    n_levels
        Return the levels of `compress(tree, graph, n_levels)` instead; in the last one, every leaf is its own cluster.
    n_clusters
        Return levels with these numbers of clusters instead, such as [5, 25, 100].
    min_children
        Minimum number of clusters of the next finer level in every cluster.
    min_size
        Minimum number of leaves in every cluster.
    resolution
        Return one level instead: the cut of highest modularity at this resolution, as in Leiden.

    Returns
    -------
    list of ndarray of shape (n,)
        Flat clusters of each level, numbered from 0, coarse to fine.

    Notes
    -----
    If the request cannot be met; the message says what can.

    Examples
    --------
    >>> from hypcse import Graph, graph_linkage
    >>> g = Graph.from_edges([0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5])
    >>> levels(graph_linkage(g), g)[0].tolist()
    [0, 0, 0, 1, 1, 1]
    """
    graph = in_range(graph_over(tree, graph))
    wishes = Wishes.checked(tree, n_clusters, min_children, min_size, resolution)
    if n_levels is None:
        return _wished(tree, graph, wishes)
    if wishes != Wishes():
        raise ValueError("n_levels returns levels of compress and takes no other options. Omit them, or omit n_levels.")
    check_count("n_levels", n_levels, 1)
    found = _partitions(tree, kept_levels(tree, graph, min(n_levels, tree.n_leaves)), n_levels)
    return [*(leaf_labels(tree.parent, split, tree.n_leaves) for split in found), np.arange(tree.n_leaves)]


def _wished(tree: Tree, graph: Graph, wishes: Wishes) -> list[Labels]:
    if wishes.resolution is not None:
        return [modular_cut(tree, graph, wishes.resolution, wishes.min_size)]
    if wishes.n_clusters is not None:
        return wished_cuts(tree, graph, wishes)
    found = levels_and_main(tree, graph).labels
    if wishes == Wishes():
        return found
    return within_limits(tree, found, wishes)


def main_level(tree: Tree, graph: GraphLike) -> int:
    """Choose which of the `levels` to look at first.

    It is the lasting partition with the highest value: its modularity times the number of doublings of the limit over
    which it, or one that differs from it by less than a quarter of a bit, is the finest within the limit. Parts smaller
    than a quarter of the square root of the number of points do not count, so that stray points make no partition. If
    no partition lasts, it is the coarsest level. To test whether there is any structure, use `beyond_chance`.

    Parameters
    ----------
    tree
        The tree. Its leaf k is vertex k of the graph.
    graph
        A `Graph`, a networkx graph or a symmetric matrix, as for `structural_entropy`.

    Returns
    -------
    int
        Position in `levels(tree, graph)`.

    Examples
    --------
    >>> from hypcse import Graph, graph_linkage
    >>> g = Graph.from_edges([0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5])
    >>> main_level(graph_linkage(g), g)
    0
    """
    return levels_and_main(tree, in_range(graph_over(tree, graph))).main


def main_labels(tree: Tree, graph: Graph) -> Labels:
    """The labels of the `main_level`."""
    found = levels_and_main(tree, graph)
    return found.labels[found.main]


def levels_and_main(tree: Tree, graph: Graph, structured: bool = True) -> Levels:
    """The `levels` and the `main_level`, found together.

    If the data are not `structured` (see `beyond_chance`), a level of one cluster is put first, unless there is one.
    """
    found = _found(tree, graph)
    if structured:
        return found
    above = [np.zeros(tree.n_leaves, np.int64)] if found.labels[0].max() > 0 else []
    return Levels([*above, *found.labels], found.main + len(above), structured=False)


def _found(tree: Tree, graph: Graph) -> Levels:
    leaving = leaving_parts(tree, graph)
    # The finest partition by distance is the coarsest by conductance.
    above = by_distance(tree, graph, leaving).best(MAX_ABOVE, with_finest=False)
    inside = by_conductance(tree, graph, leaving).best(MAX_INSIDE)
    scale = _Scale(tree, graph, leaving.meeting)
    lasting = [stretch for stretch in above + inside if scale.holds(stretch.split)]
    described = _enough_levels(tree, graph)
    held = list(dropwhile(lambda split: not scale.holds(split), described))
    chain = scale.weave([stretch.split for stretch in lasting], held)
    if not chain:
        return Levels([coarsest_cut(tree, graph)], 0)
    best = max(lasting, key=lambda stretch: stretch.worth, default=None)
    main = 0 if best is None else next(k for k, split in enumerate(chain) if split is best.split)
    return Levels([leaf_labels(tree.parent, split, tree.n_leaves) for split in chain], main)


class _Scale:
    """Partitions of one tree, ordered by how fine they are."""

    def __init__(self, tree: Tree, graph: Graph, meeting: NDArray[np.float64]) -> None:
        self.tree, total = tree, graph.volume or 1.0
        self.shares = node_volumes(tree, graph.degrees) / total
        self.inside = (2 * subtree_sums(tree.parent, meeting) + node_volumes(tree, graph.self_weights)) / total

    def weave(self, lasting: list[Split], described: list[Split]) -> list[Split]:
        """One chain of nested partitions: the lasting ones and, fitted in between, the descriptive ones.

        A partition that differs by less than `ALIKE` from one already there is left out.
        """
        chain, bits = list(lasting), [self.entropy(split) for split in lasting]
        for split in described:
            place = int(np.searchsorted(bits, self.entropy(split), side="right"))
            fitted = split | chain[place - 1] if place > 0 else split
            fitted = fitted & chain[place] if place < len(chain) else fitted
            fineness = self.entropy(fitted)
            if len(chain) < MAX_LEVELS and all(abs(fineness - other) >= ALIKE for other in bits):
                chain.insert(place, fitted)
                bits.insert(place, fineness)
        return chain

    def entropy(self, split: Split) -> float:
        """Entropy in bits of the parts' shares of the volume."""
        shares = self.shares[self.parts(split)]
        return float(-np.dot(shares, np.log2(shares, where=shares > 0, out=np.zeros_like(shares))))

    def holds(self, split: Split) -> bool:
        """Whether the parts hold more weight than the degrees alone would explain: positive `modularity`."""
        parts = self.parts(split)
        return float(self.inside[parts].sum() - np.square(self.shares[parts]).sum()) > LEAST_MODULARITY

    def parts(self, split: Split) -> Split:
        """The nodes that are parts: not split, but their parent is."""
        found = ~split
        found[:-1] &= split[self.tree.parent[:-1]]
        return found


def modularity(labels: Labels, graph: Graph) -> float:
    """Share of the volume inside clusters beyond what the degrees alone would explain.

    Newman and Girvan's Q, loops of the graph included: the sum of (w_ij - d_i d_j / V) / V over i and j in one cluster.
    It is 0 for one cluster of all vertices, and for any clusters of a graph with all similarities equal. O(m).

    >>> g = Graph.from_edges([0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5])
    >>> round(modularity(np.array([0, 0, 0, 1, 1, 1]), g), 3)
    0.357
    """
    if graph.volume == 0:
        return 0.0
    i, j, w = graph.edges()
    inside = 2 * float(w[labels[i] == labels[j]].sum()) + float(graph.self_weights.sum())
    shares = np.bincount(labels, graph.degrees) / graph.volume
    return inside / graph.volume - float(np.square(shares).sum())


def _enough_levels(tree: Tree, graph: Graph) -> list[Split]:
    """The partitions of the smallest number of levels that keeps `SHARE` of the saving, coarse to fine."""
    if not is_small(tree, MAX_LEVELS):
        return _enough_one_by_one(tree, graph)
    table = LevelTable(tree, graph)
    star = structural_entropy(keep_nodes(tree, np.zeros(tree.n_nodes, np.bool_)), graph)
    wanted = SHARE * (star - structural_entropy(tree, graph))
    depth = next((depth for depth in range(2, MAX_LEVELS) if table.saving(depth) >= wanted), MAX_LEVELS)
    few = min(depth, tree.n_leaves)
    return _partitions(tree, table.kept(few), depth) if few > 1 and tree.n_leaves > 2 else []


def _enough_one_by_one(tree: Tree, graph: Graph) -> list[Split]:
    """The same, for trees on which finding the best levels would take too long."""
    star = structural_entropy(keep_nodes(tree, np.zeros(tree.n_nodes, np.bool_)), graph)
    wanted = SHARE * (star - structural_entropy(tree, graph))
    for depth in range(2, MAX_LEVELS + 1):
        level = one_by_one(tree, graph, depth)
        if depth == MAX_LEVELS or star - structural_entropy(keep_nodes(tree, level > 0), graph) >= wanted:
            break
    return _partitions(tree, level, depth)


def _partitions(tree: Tree, level: NDArray[np.int64], depth: int) -> list[Split]:
    """The partitions of a tree with this many levels below the root, coarse to fine; none if no node is kept."""
    return [_split_above(tree, level == k) for k in range(1, depth)] if level.any() else []


def _split_above(tree: Tree, clusters: NDArray[np.bool_]) -> Split:
    """The partition into these nodes, none above another; leaves under none of them are single clusters."""
    marks = clusters.copy()
    marks[-1] = True
    split = ~clusters & (kept_parents(tree.parent, marks) == tree.root)
    split[-1] = True
    split[: tree.n_leaves] = False
    return split

"""Levels on request: by number of clusters, by size, by number of children, or by resolution."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

import numpy as np

from hypcse._checks import check_count
from hypcse.entropy import lca_weights
from hypcse.graph import Graph
from hypcse.kernels.arrays import Flags, Ids
from hypcse.kernels.trees.cuts import antichain_tables, best_antichain, best_antichain_of, from_above
from hypcse.kernels.trees.sweep import inherit_values, leaf_labels, subtree_sums
from hypcse.partitions.cuts import Cut, check_table, children_of, cut_into, cut_labels, gains_of_number, volume_shares
from hypcse.search.binary import binary_form
from hypcse.tree import Tree
from hypcse.tree.flat import Labels, by_leaf, is_mixed, parts_of


@dataclass(frozen=True)
class Wishes:
    """What is asked of levels; None for no request.

    n_clusters   : numbers of clusters, one per level.
    min_children : minimum number of clusters of the next finer level in every cluster.
    min_size     : minimum number of leaves in every cluster.
    resolution   : resolution of the modularity that one flat cut maximizes.
    """

    n_clusters: tuple[int, ...] | None = None
    min_children: int | None = None
    min_size: int | None = None
    resolution: float | None = None

    @classmethod
    def checked(
        cls,
        tree: Tree,
        n_clusters: int | Sequence[int] | None,
        min_children: int | None,
        min_size: int | None,
        resolution: float | None,
    ) -> Wishes:
        """The checked requests; raise for one that is impossible, or for two that exclude each other."""
        numbers = None
        if n_clusters is not None:
            given = [n_clusters] if isinstance(n_clusters, int | np.integer) else list(n_clusters)
            if not given:
                raise ValueError("n_clusters is empty. Pass at least one number of clusters, or None.")
            numbers = tuple(sorted({check_count("n_clusters", one, 1, tree.n_leaves) for one in given}))
        if min_children is not None:
            check_count("min_children", min_children, 1)
        if min_size is not None:
            check_count("min_size", min_size, 1, tree.n_leaves)
        if resolution is not None:
            if isinstance(resolution, bool) or not isinstance(resolution, int | float) or not 0 <= resolution < np.inf:
                raise ValueError(f"resolution={resolution!r} must be a number of at least 0; 1 is plain modularity.")
            if n_clusters is not None or min_children is not None:
                raise ValueError("resolution returns one flat cut. Omit n_clusters and min_children.")
        return cls(numbers, min_children, min_size, resolution)


def modular_cut(tree: Tree, graph: Graph, resolution: float, min_size: int | None = None) -> Labels:
    """The cut of highest modularity, sum over clusters of inside / V - resolution (volume / V)^2, exactly. O(n + m)."""
    meeting, large = lca_weights(tree, graph), tree.sizes >= (min_size or 1)
    share, inside = volume_shares(tree, graph, meeting)
    split, _ = best_antichain(tree.parent, inside - resolution * np.square(share), meeting > 0, large)
    return cut_labels(tree, graph, Cut(split, parts_of(tree.parent, split) & large))


def wished_cuts(tree: Tree, graph: Graph, wishes: Wishes) -> list[Labels]:
    """Nested cuts into the requested numbers of clusters, coarse to fine.

    The finest is the best cut of its number within the limits; each coarser one is the best that joins whole clusters
    of the finer one, at least `min_children` of them in each. If there is none, raises with the nearest number.
    """
    assert wishes.n_clusters is not None
    tree = binary_form(tree)
    *coarser, finest = wishes.n_clusters
    none = np.zeros(tree.n_nodes, np.bool_)
    cut = cut_into(tree, graph, finest, wishes.min_size, none)
    if cut is None:
        _explain(tree, none, tree.sizes, finest, wishes)
    found = [cut_labels(tree, graph, cut)]
    gains = gains_of_number(tree, graph)
    for number in reversed(coarser):
        # A coarser cluster holds at least so many whole clusters of this cut, or is one of them if one is enough.
        held = subtree_sums(tree.parent, cut.chosen.astype(np.float64)).astype(np.int64)
        barred = held < (wishes.min_children or 1)
        gain = np.where(barred, -np.inf, gains(number, int(tree.sizes[cut.chosen].min())))
        split, chosen, total = best_antichain_of(children_of(tree), gain, held, number, 1)
        if total == -np.inf:
            _explain(tree, barred, held, number, wishes)
        found.append(_joined(tree, found[-1], cut.chosen, chosen))
        cut = Cut(split, chosen)
    return found[::-1]


def _joined(tree: Tree, finer: Labels, clusters: Flags, coarser: Flags) -> Labels:
    """Labels of clusters that are nodes above those of a finer cut; strays go with their finer cluster."""
    above = inherit_values(tree.parent, np.where(coarser, np.arange(tree.n_nodes), -1))
    own = inherit_values(tree.parent, np.where(clusters, above, -1))[: tree.n_leaves]
    node = np.zeros(int(finer.max()) + 1, np.int64)
    node[finer[own >= 0]] = own[own >= 0]
    return by_leaf(node[finer])


def _explain(tree: Tree, barred: Flags, units: Ids, number: int, wishes: Wishes) -> NoReturn:
    """Raise with the possible number of clusters nearest to the requested one."""
    least = wishes.min_size or 1 if units is tree.sizes else 1
    most = min(int(units[-1]) // least, 2 * number + 10)
    check_table(tree, most, least)
    best, _ = antichain_tables(children_of(tree), np.where(barred, -np.inf, 0.0), units, most, least)
    possible = 1 + np.flatnonzero(best[best.size - most :] > -np.inf)
    near = possible[np.argsort(np.abs(possible - number), kind="stable")[:2]]
    limits = [f"{name}={value}" for name, value in vars(wishes).items() if name.startswith("min") and value is not None]
    what = f" and {' and '.join(limits)}" if limits else " inside the finer level"
    nearest = " or ".join(map(str, sorted(near.tolist()))) if near.size else "none"
    raise ValueError(
        f"no cut of this tree has {number} clusters{what}; the nearest possible number is {nearest}. "
        "Ask for that, or lower the limits."
    )


def within_limits(tree: Tree, found: Sequence[Labels], wishes: Wishes) -> list[Labels]:
    """Make levels coarser where clusters are too small or hold too few of the next; drop levels that become equal."""
    kept: list[Labels] = []
    enough = tree.sizes >= (wishes.min_size or 1)
    for labels in reversed(found):
        # A node is split if the level splits it, every child may be a cluster, and all nodes above are split.
        barred = np.bincount(tree.parent[:-1], ~enough[:-1], minlength=tree.n_nodes) > 0
        own = np.where(is_mixed(tree.parent, labels) & ~barred, 0.0, np.inf)
        split = from_above(tree.parent, own, np.zeros(tree.n_nodes, np.bool_), 0.0) == 0.0
        coarser = leaf_labels(tree.parent, split, tree.n_leaves)
        if not kept or coarser.max() < kept[-1].max():
            kept.append(coarser)
            if wishes.min_children is not None:
                clusters = parts_of(tree.parent, is_mixed(tree.parent, coarser))
                enough &= subtree_sums(tree.parent, clusters.astype(np.float64)) >= wishes.min_children
    return kept[::-1]

"""The main level: which partition of a tree to look at first."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hypcse.graph import Graph
from hypcse.kernels.trees.sweep import inherit_values, leaf_labels
from hypcse.partitions.cuts import parts_of, substantial_size
from hypcse.partitions.following import Overlaps
from hypcse.partitions.overlaps import quick_stability, quick_trees
from hypcse.partitions.separation import Groups
from hypcse.partitions.stretches import Stretch
from hypcse.tree import Tree

LASTING = 5.0
"""A partition lasts if it does so this many times as long as the finest ones of the same data."""
LEAST_GAP, LEAST_SILHOUETTE, LEAST_STABILITY = 0.3, 0.3, 0.9
"""A partition that does not last counts in full if its clusters are apart: all three at least this."""
EMPTY, OF_ANY_SHAPE, ROUGHLY = 0.9, 0.4, 0.1
"""From which gap on borders are empty; what silhouettes count at least if borders are empty, and in any case: clusters
need not be round."""
MAX_TRIED = 12
"""Largest number of partitions whose stability is measured."""

MAX_FOLLOWED = 6
"""Largest number of partitions that are compared with the level to be followed: those of the nearest entropy."""

Split = NDArray[np.bool_]


@dataclass(frozen=True)
class Rated:
    """A partition with what speaks for it.

    score  : modularity * silhouette.
    weight : how long it lasts, up to 1 for long enough; cubed.
    apart  : whether its clusters are so far apart that, if it is stable, it need not last.
    """

    stretch: Stretch
    score: float
    weight: float
    apart: bool

    def total(self, stability: float) -> float:
        """The score that decides: modularity * silhouette * lasting^3 * stability^2."""
        return self.score * stability**2 * (1.0 if self.apart and stability >= LEAST_STABILITY else self.weight)


def main_stretch(
    stretches: list[Stretch], usual: float, tree: Tree, graph: Graph, X: NDArray[np.floating] | None
) -> Stretch | None:
    """The partition to look at first: its clusters hold their edges, are apart, last, and are found again.

    usual : how long a partition of a continuum lasts; see `Staircase.usual`.
    X     : features as they were compared, or None.
    """
    rated = [_rated(stretch, usual, tree, graph, X) for stretch in stretches if stretch.modularity > 0]
    tried = sorted((one for one in rated if one is not None), key=lambda one: -one.total(1.0))[:MAX_TRIED]
    if not tried:
        return max(stretches, key=lambda one: one.worth, default=None)
    best, highest = tried[0], -1.0
    trees = quick_trees(graph) if len(tried) > 1 else []
    for one in tried:
        # Nothing is more stable than 1, and those that follow score less.
        if one.total(1.0) <= highest:
            break
        total = one.total(quick_stability(trees, substantial_labels(tree, one.stretch.split)) if trees else 1.0)
        if total > highest:
            best, highest = one, total
    return best.stretch


def _rated(stretch: Stretch, usual: float, tree: Tree, graph: Graph, X: NDArray[np.floating] | None) -> Rated | None:
    """What speaks for a partition; None if it has fewer than two clusters."""
    labels = substantial_labels(tree, stretch.split)
    if labels.max() < 1:
        return None
    lasting = min(1.0, stretch.lasting / (LASTING * usual))
    if X is None:
        return Rated(stretch, stretch.modularity, lasting**3, False)
    groups = Groups(X, labels)
    silhouette = groups.silhouette()
    apart = lasting < 1 and silhouette >= LEAST_SILHOUETTE and groups.gap(graph) >= LEAST_GAP
    empty = lasting == 1 and silhouette < OF_ANY_SHAPE and groups.gap(graph) >= EMPTY
    round_enough = max(silhouette, OF_ANY_SHAPE if empty else ROUGHLY)
    return Rated(stretch, stretch.modularity * round_enough, lasting**3, apart)


def followed_stretch(stretches: list[Stretch], tree: Tree, former: NDArray[np.int64]) -> Stretch | None:
    """The partition that agrees most with former labels; -1 for leaves that had none. Ties go to the coarsest."""
    shares = np.bincount(former[former >= 0]) / np.count_nonzero(former >= 0)
    bits = -float(np.dot(shares, np.log2(shares, where=shares > 0, out=np.zeros_like(shares))))
    nearest = sorted(
        sorted(stretches, key=lambda one: abs(one.entropy - bits))[:MAX_FOLLOWED], key=lambda one: one.entropy
    )

    def agreement(one: Stretch) -> float:
        return round(Overlaps.of(former, leaf_labels(tree.parent, one.split, tree.n_leaves)).agreement(), 9)

    return max(nearest, key=agreement, default=None)


def substantial_parts(tree: Tree, split: Split) -> NDArray[np.int64]:
    """The nodes that are clusters worth the name: from the largest part on, while they have the `substantial_size`."""
    parts = np.flatnonzero(parts_of(tree, split))
    parts = parts[np.argsort(-tree.sizes[parts], kind="stable")]
    enough = tree.sizes[parts] >= substantial_size(tree.n_leaves, np.arange(1, parts.size + 1))
    # With many clusters, each may be small: the largest alone need not be.
    first = int(np.argmax(enough))
    short = np.flatnonzero(~enough[first:])
    return parts[: first + int(short[0]) if short.size else parts.size]


def substantial_labels(tree: Tree, split: Split) -> NDArray[np.int64]:
    """Labels of the `substantial_parts`; -1 for all other leaves."""
    own = np.full(tree.n_nodes, -1)
    parts = substantial_parts(tree, split)
    own[parts] = np.arange(parts.size)
    return inherit_values(tree.parent, own)[: tree.n_leaves]

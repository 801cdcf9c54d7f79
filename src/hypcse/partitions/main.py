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
"""A partition that does not last counts if its clusters are apart: all three at least this."""
MAX_TRIED = 12
"""Largest number of partitions whose stability is measured."""

MAX_FOLLOWED = 6
"""Largest number of partitions that are compared with the level to be followed: those of the nearest entropy."""

Split = NDArray[np.bool_]


@dataclass(frozen=True)
class Rated:
    """A partition with what speaks for it; `score` is modularity times silhouette times squared stability."""

    stretch: Stretch
    score: float
    counts: bool


def rated(
    stretches: list[Stretch], usual: float, tree: Tree, graph: Graph, X: NDArray[np.floating] | None
) -> list[Rated]:
    """The partitions that may be the main level: those that last, or whose clusters are apart.

    usual : how long a partition of a continuum lasts; see `Staircase.usual`.
    X     : features as they were compared, or None.
    """
    tried = []
    for stretch in stretches:
        labels = substantial_labels(tree, stretch.split)
        lasts, apart, silhouette = stretch.lasting >= LASTING * usual, False, 1.0
        if stretch.modularity <= 0 or labels.max() < 1:
            continue
        if X is not None:
            groups = Groups(X, labels)
            silhouette = max(groups.silhouette(), 0.0)
            apart = not lasts and silhouette >= LEAST_SILHOUETTE and groups.gap(graph) >= LEAST_GAP
        if lasts or apart:
            tried.append((stretch.modularity * silhouette, stretch, labels, lasts))
    tried = sorted(tried, key=lambda one: -one[0])[:MAX_TRIED]
    trees = quick_trees(graph) if len(tried) > 1 else []
    found = []
    for value, stretch, labels, lasts in tried:
        stable = quick_stability(trees, labels) if trees else 1.0
        found.append(Rated(stretch, value * stable**2, lasts or stable >= LEAST_STABILITY))
    return [one for one in found if one.counts]


def main_stretch(
    stretches: list[Stretch], usual: float, tree: Tree, graph: Graph, X: NDArray[np.floating] | None
) -> Stretch | None:
    """The partition of highest score; if none may be the main level, the one of highest worth."""
    best = max(rated(stretches, usual, tree, graph, X), key=lambda one: one.score, default=None)
    return max(stretches, key=lambda one: one.worth, default=None) if best is None else best.stretch


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

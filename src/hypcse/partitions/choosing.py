"""Which partitions of a tree are offered as levels: those that last, and those that describe it; and the main one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from heapq import heapify, heappop, heappush
from itertools import dropwhile, islice, pairwise

import numpy as np

from hypcse.entropy import node_volumes
from hypcse.graph import Graph
from hypcse.kernels.arrays import Flags, Floating, Ids, Reals, ShortIds
from hypcse.kernels.trees.sweep import kept_parents, leaf_labels
from hypcse.partitions.cuts import coarsest_cut, substantial_size, volume_shares
from hypcse.partitions.following import Overlaps
from hypcse.partitions.resampling import quick_stability, quick_trees
from hypcse.partitions.separation import Groups
from hypcse.partitions.stretches import ALIKE, Stretch, by_conductance, by_distance
from hypcse.search.compression import LevelTable, coarser_cuts, is_small, levels_of_cuts
from hypcse.search.leaving import leaving_parts
from hypcse.tree import Tree
from hypcse.tree.flat import Labels, parts_of

SHARE = 0.95
"""Share of the entropy saved over the star of all leaves that the levels together must keep."""
MAX_LEVELS = 12
MAX_ABOVE, MAX_INSIDE = 6, 4
"""Largest number of levels of highest worth, above components and inside them; holes are filled besides."""
LEAST_WORTH = 0.1
"""A partition with less than this share of the highest worth only fills holes."""
HOLE = 3 * ALIKE
"""Bits of entropy between two levels from which there is a hole."""
FEW = 2.0
"""Up to so many bits of entropy, as of four equal clusters, the first level is coarse enough."""
LEAST_MODULARITY = 1e-9
"""Less is a rounding error."""
LASTING = 5.0
"""A partition lasts if it does so this many times as long as the finest ones of the same data."""
LEAST_GAP, LEAST_SILHOUETTE, LEAST_STABILITY = 0.3, 0.3, 0.9
"""A partition that does not last counts in full if its clusters are apart: all three at least this."""
EMPTY, OF_ANY_SHAPE, ROUGHLY = 0.9, 0.4, 0.1
"""From which gap on borders are empty; what silhouettes count at least if borders are empty, and in any case."""
MAX_RATED, MAX_TRIED, MAX_FOLLOWED = 40, 12, 6
"""Largest numbers of partitions that are rated, whose stability is measured, and that may follow a former level."""

Split = Flags
"""A partition of the leaves: one boolean per node, True if it is split."""


def offered_levels(
    tree: Tree, graph: Graph, X: Floating | None, former: Labels | None = None
) -> tuple[list[Labels], int]:
    """The labels of the levels, coarse to fine, and the position of the main one.

    X      : features as they were compared, or None.
    former : labels that the main level follows, -1 for leaves that have none; None to choose it anew.
    """
    leaving = leaving_parts(tree, graph)
    scale = _Scale(tree, graph, leaving.meeting)
    stairs = by_conductance(tree, graph, leaving)
    # The finest partition by distance is the coarsest by conductance.
    above = by_distance(tree, graph, leaving).best(MAX_RATED, apart=ALIKE / 2, with_finest=False)
    inside = stairs.best(MAX_RATED, apart=ALIKE / 2)
    above, inside = ([stretch for stretch in part if scale.holds(stretch.parts)] for part in (above, inside))
    usual = stairs.usual()
    if former is None:
        main = main_stretch([*above, *inside], usual, tree, graph, X)
    else:
        main = followed_stretch([*above, *inside], tree, former)
    described = list(
        dropwhile(lambda split: not scale.holds(scale.parts(split)), _enough_levels(tree, graph, leaving.meeting))
    )
    lasting = [] if main is None else scale.offered(above, inside, main, usual)
    splits = [stretch.split for stretch in lasting]
    chain = scale.weave(splits, described)
    if not chain:
        return [coarsest_cut(tree, graph)], 0
    main_split = chain[0] if main is None else splits[lasting.index(main)]
    place = next(k for k, split in enumerate(chain) if split is main_split)
    return [leaf_labels(tree.parent, split, tree.n_leaves) for split in chain], place


@dataclass(frozen=True)
class Rated:
    """A partition with what speaks for it.

    lasting    : how long it lasts, up to 1 for long enough.
    silhouette : of its clusters; None without features.
    gap        : how empty its borders are; None if not measured, which counts as empty.
    """

    stretch: Stretch
    lasting: float
    silhouette: float | None = None
    gap: float | None = None

    @property
    def needs_gap(self) -> bool:
        """Whether the total may fall once the gap is measured."""
        if self.silhouette is None or self.gap is not None:
            return False
        return self.silhouette >= LEAST_SILHOUETTE if self.lasting < 1 else self.silhouette < OF_ANY_SHAPE

    def total(self, stability: float) -> float:
        """The score that decides: modularity * silhouette * lasting^3 * stability^2."""
        score, gap = self.stretch.modularity, 1.0 if self.gap is None else self.gap
        apart = False
        if self.silhouette is not None:
            empty = self.lasting == 1 and self.silhouette < OF_ANY_SHAPE and gap >= EMPTY
            score *= max(self.silhouette, OF_ANY_SHAPE if empty else ROUGHLY)
            # Clusters so far apart need not last, if they are stable.
            apart = self.lasting < 1 and self.silhouette >= LEAST_SILHOUETTE and gap >= LEAST_GAP
        return score * stability**2 * (1.0 if apart and stability >= LEAST_STABILITY else self.lasting**3)


def main_stretch(
    stretches: list[Stretch], usual: float, tree: Tree, graph: Graph, X: Floating | None
) -> Stretch | None:
    """The partition to look at first: its clusters hold their edges, are apart, last, and are found again.

    usual : how long a partition of a continuum lasts; see `Staircase.usual`.
    X     : features as they were compared, or None.
    """
    several = [_rated(stretch, usual, tree, X) for stretch in stretches if stretch.modularity > 0]
    rated = [one for one in several if one is not None]
    if not rated:
        return max(stretches, key=lambda one: one.worth, default=None)
    best, highest = None, -1.0
    trees = quick_trees(graph) if len(rated) > 1 else []
    for one in islice(_best_first(rated, tree, graph, X), MAX_TRIED):
        # Nothing is more stable than 1, and those that follow score less.
        if one.total(1.0) <= highest:
            break
        total = one.total(quick_stability(trees, substantial_labels(tree, one.stretch.parts)) if trees else 1.0)
        if best is None or total > highest:
            best, highest = one.stretch, total
    return best


def _rated(stretch: Stretch, usual: float, tree: Tree, X: Floating | None) -> Rated | None:
    """What speaks for a partition, but for its gap; None if it has fewer than two clusters."""
    labels = substantial_labels(tree, stretch.parts)
    if labels.max() < 1:
        return None
    return Rated(
        stretch, min(1.0, stretch.lasting / (LASTING * usual)), None if X is None else Groups(X, labels).silhouette()
    )


def _best_first(rated: list[Rated], tree: Tree, graph: Graph, X: Floating | None) -> Iterator[Rated]:
    """Partitions by their total if stable, ties in their order. Gaps take time: only those that decide are measured."""
    waiting = [(-one.total(1.0), place, one) for place, one in enumerate(rated)]
    heapify(waiting)
    while waiting:
        _, place, one = heappop(waiting)
        if X is None or not one.needs_gap:
            yield one
            continue
        measured = replace(one, gap=Groups(X, substantial_labels(tree, one.stretch.parts)).gap(graph))
        heappush(waiting, (-measured.total(1.0), place, measured))


def followed_stretch(stretches: list[Stretch], tree: Tree, former: Labels) -> Stretch | None:
    """The partition that agrees most with former labels; -1 for leaves that had none. Ties go to the coarsest."""
    bits = _bits(np.bincount(former[former >= 0]) / np.count_nonzero(former >= 0))
    nearest = sorted(stretches, key=lambda one: abs(one.entropy - bits))[:MAX_FOLLOWED]

    def agreement(one: Stretch) -> float:
        return round(Overlaps.of(former, leaf_labels(tree.parent, one.split, tree.n_leaves)).agreement(), 9)

    return max(sorted(nearest, key=lambda one: one.entropy), key=agreement, default=None)


def substantial_parts(tree: Tree, parts: Ids | ShortIds) -> Ids | ShortIds:
    """The parts that are clusters worth the name: from the largest on, while they have the `substantial_size`."""
    parts = parts[np.argsort(-tree.sizes[parts], kind="stable")]
    enough = tree.sizes[parts] >= substantial_size(tree.n_leaves, np.arange(1, parts.size + 1))
    # With many clusters, each may be small: the largest alone need not be.
    first = int(np.argmax(enough))
    short = np.flatnonzero(~enough[first:])
    return parts[: first + int(short[0]) if short.size else parts.size]


def substantial_labels(tree: Tree, parts: Ids | ShortIds) -> Labels:
    """Labels of the `substantial_parts`; -1 for all other leaves."""
    parts = substantial_parts(tree, parts)
    number, first = np.arange(1, parts.size + 1), tree.first_positions[parts]
    change = np.zeros(tree.n_leaves + 1, np.int64)
    change[first] += number
    change[first + tree.sizes[parts]] -= number
    return (np.cumsum(change) - 1)[tree.first_positions[: tree.n_leaves]]


class _Scale:
    """Partitions of one tree, ordered by how fine they are."""

    def __init__(self, tree: Tree, graph: Graph, meeting: Reals) -> None:
        self.parent = tree.parent
        self.shares, self.inside = volume_shares(tree, graph, meeting)

    def offered(self, above: list[Stretch], inside: list[Stretch], main: Stretch, usual: float) -> list[Stretch]:
        """The main partition, those of highest worth, and lasting ones that fill holes; coarse to fine."""
        stretches = [*above, *inside]
        bits = [self.entropy(stretch.parts) for stretch in stretches]
        chosen = [next(k for k, stretch in enumerate(stretches) if stretch is main)]

        def is_free(k: int) -> bool:
            return all(abs(bits[k] - bits[other]) >= ALIKE for other in chosen)

        for places, most in ((range(len(above)), MAX_ABOVE), (range(len(above), len(stretches)), MAX_INSIDE)):
            best = max((stretches[k].worth for k in places), default=0.0)
            for k in sorted(places, key=lambda k: -stretches[k].worth):
                here = sum(other in places for other in chosen)
                if here < most and stretches[k].worth > LEAST_WORTH * best and is_free(k):
                    chosen.append(k)
        for _ in range(MAX_LEVELS - len(chosen)):
            ends = pairwise([FEW, *sorted(bits[k] for k in chosen)])
            fillers = [
                (high - low, stretches[k].worth, k)
                for low, high in ends
                if high - low >= HOLE
                for k in range(len(stretches))
                if low + ALIKE <= bits[k] <= high - ALIKE and stretches[k].lasting >= usual
            ]
            if not fillers:
                break
            chosen.append(max(fillers)[2])
        return [stretches[k] for k in sorted(chosen)]

    def weave(self, lasting: list[Split], described: list[Split]) -> list[Split]:
        """One chain of nested partitions: the lasting ones and, fitted in between, descriptive ones that are new."""
        chain, bits = list(lasting), [self.entropy(self.parts(split)) for split in lasting]
        for split in described:
            place = int(np.searchsorted(bits, self.entropy(self.parts(split)), side="right"))
            fitted = split | chain[place - 1] if place > 0 else split
            fitted = fitted & chain[place] if place < len(chain) else fitted
            fineness = self.entropy(self.parts(fitted))
            if len(chain) < MAX_LEVELS and all(abs(fineness - other) >= ALIKE for other in bits):
                chain.insert(place, fitted)
                bits.insert(place, fineness)
        return chain

    def parts(self, split: Split) -> Ids:
        """The nodes that are the parts of a partition, ascending."""
        return np.flatnonzero(parts_of(self.parent, split))

    def entropy(self, parts: Ids | ShortIds) -> float:
        """Entropy in bits of the parts' shares of the volume."""
        return _bits(self.shares[parts])

    def holds(self, parts: Ids | ShortIds) -> bool:
        """Whether the parts hold more weight than the degrees alone would explain: positive `modularity`."""
        return float(self.inside[parts].sum() - np.square(self.shares[parts]).sum()) > LEAST_MODULARITY


def _bits(shares: Reals) -> float:
    """The entropy of shares."""
    return float(-np.dot(shares, np.log2(shares, where=shares > 0, out=np.zeros_like(shares))))


def _enough_levels(tree: Tree, graph: Graph, meeting: Reals) -> list[Split]:
    """The partitions of the smallest number of levels that keeps `SHARE` of the saving, coarse to fine."""
    if tree.n_leaves < 3:
        return []
    volumes = node_volumes(tree, graph.degrees)
    bits = np.log2(volumes, where=volumes > 0, out=np.zeros_like(volumes))
    wanted = SHARE * 2 * float(meeting @ (bits[-1] - bits)) / (graph.volume or 1.0)
    if is_small(tree, MAX_LEVELS):
        table = LevelTable(tree, graph, meeting)
        depth = next((depth for depth in range(2, MAX_LEVELS) if table.saving(depth) >= wanted), MAX_LEVELS)
        return level_partitions(tree, table.kept(min(depth, tree.n_leaves)), depth)
    # Finding the best levels together would take too long.
    cuts, saved = [], 0.0
    for chosen, gain in coarser_cuts(tree, graph, MAX_LEVELS - 1, meeting):
        cuts.append(chosen)
        saved += gain
        if saved >= wanted:
            break
    return level_partitions(tree, levels_of_cuts(tree, cuts), 1 + len(cuts))


def level_partitions(tree: Tree, level: Ids, depth: int) -> list[Split]:
    """The partitions above the nodes of each level, other leaves single, coarse to fine; none if no node is kept."""
    if not level.any():
        return []
    is_root = np.arange(tree.n_nodes) == tree.root
    is_leaf = np.arange(tree.n_nodes) < tree.n_leaves
    return [
        is_root | (~is_leaf & (level != k) & (kept_parents(tree.parent, (level == k) | is_root) == tree.root))
        for k in range(1, depth)
    ]

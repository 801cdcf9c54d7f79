"""Which partitions of a tree are offered as levels: those that last, and those that describe it."""

from __future__ import annotations

from itertools import dropwhile, pairwise

import numpy as np
from numpy.typing import NDArray

from hypcse.entropy import node_volumes, structural_entropy
from hypcse.graph import Graph
from hypcse.kernels.trees.sweep import kept_parents, leaf_labels, subtree_sums
from hypcse.partitions.cuts import coarsest_cut, parts_of
from hypcse.partitions.main import followed_stretch, main_stretch
from hypcse.partitions.stretches import ALIKE, Stretch, by_conductance, by_distance
from hypcse.search.compression import LevelTable, is_small, keep_nodes, one_by_one
from hypcse.search.leaving import leaving_parts
from hypcse.tree import Tree

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
MAX_RATED = 40
"""Largest number of partitions that are rated for the main level."""
LEAST_MODULARITY = 1e-9
"""Less is a rounding error."""

Labels = NDArray[np.int64]
Split = NDArray[np.bool_]
"""A partition of the leaves: one boolean per node, True if it is split."""


def offered_levels(
    tree: Tree, graph: Graph, X: NDArray[np.floating] | None, former: Labels | None = None
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
    above, inside = ([stretch for stretch in part if scale.holds(stretch.split)] for part in (above, inside))
    usual = stairs.usual()
    if former is None:
        main = main_stretch([*above, *inside], usual, tree, graph, X)
    else:
        main = followed_stretch([*above, *inside], tree, former)
    described = _enough_levels(tree, graph)
    held = list(dropwhile(lambda split: not scale.holds(split), described))
    lasting = [] if main is None else scale.offered(above, inside, main, usual)
    chain = scale.weave([stretch.split for stretch in lasting], held)
    if not chain:
        return [coarsest_cut(tree, graph)], 0
    place = 0 if main is None else next(k for k, split in enumerate(chain) if split is main.split)
    return [leaf_labels(tree.parent, split, tree.n_leaves) for split in chain], place


class _Scale:
    """Partitions of one tree, ordered by how fine they are."""

    def __init__(self, tree: Tree, graph: Graph, meeting: NDArray[np.float64]) -> None:
        self.tree, total = tree, graph.volume or 1.0
        self.shares = node_volumes(tree, graph.degrees) / total
        self.inside = (2 * subtree_sums(tree.parent, meeting) + node_volumes(tree, graph.self_weights)) / total

    def offered(self, above: list[Stretch], inside: list[Stretch], main: Stretch, usual: float) -> list[Stretch]:
        """The main partition, those of highest worth, and those that fill holes; coarse to fine.

        What fills a hole lasts at least as long as is `usual` in a continuum; between clear levels nothing does.
        """
        stretches = [*above, *inside]
        bits = [self.entropy(stretch.split) for stretch in stretches]
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
        shares = self.shares[parts_of(self.tree, split)]
        return float(-np.dot(shares, np.log2(shares, where=shares > 0, out=np.zeros_like(shares))))

    def holds(self, split: Split) -> bool:
        """Whether the parts hold more weight than the degrees alone would explain: positive `modularity`."""
        parts = parts_of(self.tree, split)
        return float(self.inside[parts].sum() - np.square(self.shares[parts]).sum()) > LEAST_MODULARITY


def _enough_levels(tree: Tree, graph: Graph) -> list[Split]:
    """The partitions of the smallest number of levels that keeps `SHARE` of the saving, coarse to fine."""
    if not is_small(tree, MAX_LEVELS):
        return _enough_one_by_one(tree, graph)
    table = LevelTable(tree, graph)
    star = structural_entropy(keep_nodes(tree, np.zeros(tree.n_nodes, np.bool_)), graph)
    wanted = SHARE * (star - structural_entropy(tree, graph))
    depth = next((depth for depth in range(2, MAX_LEVELS) if table.saving(depth) >= wanted), MAX_LEVELS)
    few = min(depth, tree.n_leaves)
    return level_partitions(tree, table.kept(few), depth) if few > 1 and tree.n_leaves > 2 else []


def _enough_one_by_one(tree: Tree, graph: Graph) -> list[Split]:
    """The same, for trees on which finding the best levels would take too long."""
    star = structural_entropy(keep_nodes(tree, np.zeros(tree.n_nodes, np.bool_)), graph)
    wanted = SHARE * (star - structural_entropy(tree, graph))
    for depth in range(2, MAX_LEVELS + 1):
        level = one_by_one(tree, graph, depth)
        if depth == MAX_LEVELS or star - structural_entropy(keep_nodes(tree, level > 0), graph) >= wanted:
            break
    return level_partitions(tree, level, depth)


def level_partitions(tree: Tree, level: NDArray[np.int64], depth: int) -> list[Split]:
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

"""Partitions of a tree that last while a limit on their parts changes a lot."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hypcse.graph import Graph
from hypcse.kernels.arrays import Flags, Ids, Reals, ShortIds
from hypcse.partitions.cuts import volume_shares
from hypcse.search.leaving import Leaving, joined_by_distance
from hypcse.tree import Tree
from hypcse.tree.flat import parts_of

ALIKE = 0.25
"""Bits of entropy by which partitions may differ and still count as one."""
FINE, FINE_LIMIT = 0.7, 0.7
"""Where partitions are fine: from this share of the entropy on that they have at this limit."""
LEAST_USUAL, MOST_USUAL, LEAST_BITS = 0.02, ALIKE, 0.1
"""Bounds of how long a partition of a continuum lasts, which is longest on a curve; and of the bits measured over."""


@dataclass(frozen=True, eq=False)
class Stretch:
    """A partition and how long it lasts.

    parent     : (n_nodes,) of the tree.
    threshold  : (n_nodes,) the limit from which on each node is split.
    limit      : that of this partition.
    entropy    : entropy of the parts' shares of the volume, in bits.
    modularity : of the parts that count.
    lasting    : doublings of the limit over which it, or one nearly equal, is the finest partition within the limit.
    """

    parent: Ids
    threshold: Reals
    limit: float
    entropy: float
    modularity: float
    lasting: float

    @property
    def split(self) -> Flags:
        """Which nodes of the tree are split; made anew for each use, which takes less memory than to keep it."""
        return self.threshold <= self.limit

    @cached_property
    def parts(self) -> ShortIds:
        """The nodes that are its parts, ascending."""
        return np.flatnonzero(parts_of(self.parent, self.split)).astype(np.int32)

    @property
    def worth(self) -> float:
        """How long it lasts, times its modularity."""
        return self.lasting * self.modularity


@dataclass(frozen=True, eq=False)
class Staircase:
    """Nested partitions, coarse to fine, as a limit increases through `limits`.

    parent           : (n_nodes,) of the tree.
    threshold        : (n_nodes,) the limit from which on each node is split; infinite for never.
    limits           : (m,) the limits at which something splits, or would if small parts counted; ascending.
    entropy, quality : (m,) of the partition from there on, up to the next limit; quality is the modularity of the parts
                       that count.
    """

    parent: Ids
    threshold: Reals
    limits: Reals
    entropy: Reals
    quality: Reals

    def lasting(self) -> Reals:
        """How long each partition lasts: its own stretch, and those of others weighted by how similar they are."""
        doublings = np.log2(self.limits)
        lengths = np.diff(doublings, append=doublings[-1:])
        begins = np.isin(self.limits, self.threshold)
        return np.where(begins, near_sums(self.entropy, lengths), 0.0)

    def usual(self) -> float:
        """How long a partition of a continuum lasts, by doublings per bit among the finest third of the partitions."""
        last = int(np.searchsorted(self.limits, FINE_LIMIT, side="right")) - 1
        if last < 1:
            return MOST_USUAL
        begin = min(int(np.searchsorted(self.entropy, FINE * self.entropy[last])), last - 1)
        doublings = float(np.log2(self.limits[last] / self.limits[begin]))
        rate = doublings / max(float(self.entropy[last] - self.entropy[begin]), LEAST_BITS)
        return float(np.clip(ALIKE * rate, LEAST_USUAL, MOST_USUAL))

    def best(self, n_partitions: int, *, apart: float = ALIKE, with_finest: bool = True) -> list[Stretch]:
        """The partitions of highest worth, coarse to fine, `apart` from those of higher worth; or not the finest."""
        lasting = self.lasting()
        worths = lasting * np.maximum(self.quality, 0.0)
        free = worths if with_finest else np.where(self.entropy > self.entropy[-1:] - 2 * ALIKE, 0.0, worths)
        chosen: list[int] = []
        while len(chosen) < n_partitions and free.size:
            best = int(np.argmax(free))
            if free[best] <= 0:
                break
            chosen.append(best)
            free = np.where(np.abs(self.entropy - self.entropy[best]) < apart, 0.0, free)
        facts = np.column_stack([self.limits, self.entropy, self.quality, lasting])
        return [Stretch(self.parent, self.threshold, *facts[k].tolist()) for k in sorted(chosen)]


def by_conductance(tree: Tree, graph: Graph, leaving: Leaving) -> Staircase:
    """Partitions by how much weight leaves their parts, see `leaving_parts`; small parts add nothing to the quality."""
    share, inside = volume_shares(tree, graph, leaving.meeting)
    quality = np.where(leaving.large, inside - np.square(share), 0.0)
    return _staircase(tree, leaving.threshold, leaving.finer, share, quality)


def by_distance(tree: Tree, graph: Graph, leaving: Leaving) -> Staircase:
    """Partitions of what distances joined, see `joined_by_distance`, if anything: the limit is on 1 / height."""
    above = np.flatnonzero(joined_by_distance(tree, graph, leaving) & (tree.height > 0))
    threshold = np.full(tree.n_nodes, np.inf)
    threshold[above] = 1 / tree.height[above]
    share = tree.sizes / tree.n_leaves
    return _staircase(tree, threshold, threshold, share, share - np.square(share))


def _staircase(tree: Tree, threshold: Reals, finer: Reals, share: Reals, quality: Reals) -> Staircase:
    """Entropy and quality of the partitions at each limit, summed split by split.

    threshold, finer : (n_nodes,) as in `Leaving`.
    share, quality   : (n_nodes,) each node's share of the volume, and what it adds to the modularity as a part.
    """
    bits = -share * np.log2(share, where=share > 0, out=np.zeros_like(share))
    nodes = tree.n_leaves + np.flatnonzero(np.isfinite(finer[tree.n_leaves :]))
    limits, step = np.unique(finer[nodes], return_inverse=True)
    sums = [
        np.cumsum(np.bincount(step, _gained(tree, values)[nodes], minlength=limits.size)) for values in (bits, quality)
    ]
    # Splits only increase the entropy; floating-point sums might not.
    internal = np.where(np.arange(tree.n_nodes) < tree.n_leaves, np.inf, threshold)
    return Staircase(tree.parent, internal, limits, np.maximum.accumulate(sums[0]), sums[1] + quality[-1])


def _gained(tree: Tree, values: Reals) -> Reals:
    """What the children of each node add up to beyond the node."""
    return np.bincount(tree.parent[:-1], values[:-1], minlength=tree.n_nodes) - values


def near_sums(places: Reals, lengths: Reals) -> Reals:
    """Sum of the lengths at each of ascending positions, with weight 1 - x / ALIKE at distance x. O(m log m)."""
    before = np.concatenate([[0.0], np.cumsum(lengths)])
    moment = np.concatenate([[0.0], np.cumsum(lengths * places)])
    here = np.arange(places.size)
    first = np.searchsorted(places, places - ALIKE, side="left")
    last = np.searchsorted(places, places + ALIKE, side="right")
    below, above = before[here] - before[first], before[last] - before[here]
    spread = (moment[last] - moment[here] - places * above) + (places * below - (moment[here] - moment[first]))
    return below + above - spread / ALIKE

"""Partitions of a tree that last while a limit on their parts changes a lot."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hypcse.discrete.leaving import Leaving, joined_by_distance
from hypcse.entropy import node_volumes
from hypcse.graph import Graph
from hypcse.kernels.trees.sweep import subtree_sums
from hypcse.tree import Tree

ALIKE = 0.25
"""Bits of entropy by which partitions may differ and still count as one."""
LEAST_WORTH = 0.1
"""A partition with less than this share of the highest worth is not offered."""


@dataclass(frozen=True, eq=False)
class Stretch:
    """A partition and its worth.

    split   : which nodes of the tree are split.
    entropy : entropy of the parts' shares of the volume, in bits.
    worth   : doublings of the limit over which it, or one nearly equal, is the finest partition within the limit,
              times its modularity.
    """

    split: NDArray[np.bool_]
    entropy: float
    worth: float


@dataclass(frozen=True, eq=False)
class Staircase:
    """Nested partitions, coarse to fine, as a limit increases through `limits`.

    threshold        : (n_nodes,) the limit from which on each node is split; infinite for never.
    limits           : (m,) the limits at which something splits, or would if small parts counted; ascending.
    entropy, quality : (m,) of the partition from there on, up to the next limit; quality is the modularity of the parts
                       that count.
    """

    threshold: NDArray[np.float64]
    limits: NDArray[np.float64]
    entropy: NDArray[np.float64]
    quality: NDArray[np.float64]

    def worths(self) -> NDArray[np.float64]:
        """Worth of each partition: its own stretch, and those of others weighted by how similar they are."""
        doublings = np.log2(self.limits)
        lengths = np.diff(doublings, append=doublings[-1:])
        begins = np.isin(self.limits, self.threshold)
        return np.where(begins, np.maximum(self.quality, 0.0) * near_sums(self.entropy, lengths), 0.0)

    def best(self, n_partitions: int, *, with_finest: bool = True) -> list[Stretch]:
        """The partitions of highest worth, coarse to fine, each at least `ALIKE` apart from those of higher worth.

        Unless `with_finest`, without the finest one and those nearly equal to it.
        """
        worths = self.worths()
        free = worths if with_finest else np.where(self.entropy > self.entropy[-1:] - 2 * ALIKE, 0.0, worths)
        chosen: list[int] = []
        while len(chosen) < n_partitions and free.size:
            best = int(np.argmax(free))
            if free[best] <= LEAST_WORTH * worths.max():
                break
            chosen.append(best)
            free = np.where(np.abs(self.entropy - self.entropy[best]) < ALIKE, 0.0, free)
        return [
            Stretch(self.threshold <= self.limits[k], float(self.entropy[k]), float(worths[k])) for k in sorted(chosen)
        ]


def by_conductance(tree: Tree, graph: Graph, leaving: Leaving) -> Staircase:
    """Partitions by how much weight leaves their parts; see `leaving_parts`.

    Small parts add nothing to the quality and make no partition of their own. But if parts that count would fall apart
    into small ones, a stretch ends.
    """
    total = graph.volume or 1.0
    share = node_volumes(tree, graph.degrees) / total
    inside = (2 * subtree_sums(tree.parent, leaving.meeting) + node_volumes(tree, graph.self_weights)) / total
    quality = np.where(leaving.large, inside - np.square(share), 0.0)
    return _staircase(tree, leaving.threshold, leaving.finer, share, quality)


def by_distance(tree: Tree, graph: Graph, leaving: Leaving) -> Staircase:
    """Partitions of the part of the tree joined by distance, by that distance: the limit is on 1 / height.

    Empty if there is no such part; see `joined_by_distance`.
    """
    above = np.flatnonzero(joined_by_distance(tree, graph, leaving) & (tree.height > 0))
    threshold = np.full(tree.n_nodes, np.inf)
    threshold[above] = 1 / tree.height[above]
    share = tree.sizes / tree.n_leaves
    return _staircase(tree, threshold, threshold, share, share - np.square(share))


def _staircase(
    tree: Tree,
    threshold: NDArray[np.float64],
    finer: NDArray[np.float64],
    share: NDArray[np.float64],
    quality: NDArray[np.float64],
) -> Staircase:
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
    return Staircase(internal, limits, np.maximum.accumulate(sums[0]), sums[1] + quality[-1])


def _gained(tree: Tree, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """What the children of each node add up to beyond the node."""
    return np.bincount(tree.parent[:-1], values[:-1], minlength=tree.n_nodes) - values


def near_sums(places: NDArray[np.float64], lengths: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sum of the lengths at each of ascending positions, with weight 1 - x / ALIKE at distance x. O(m log m)."""
    before = np.concatenate([[0.0], np.cumsum(lengths)])
    moment = np.concatenate([[0.0], np.cumsum(lengths * places)])
    here = np.arange(places.size)
    first = np.searchsorted(places, places - ALIKE, side="left")
    last = np.searchsorted(places, places + ALIKE, side="right")
    below, above = before[here] - before[first], before[last] - before[here]
    spread = (moment[last] - moment[here] - places * above) + (places * below - (moment[here] - moment[first]))
    return below + above - spread / ALIKE

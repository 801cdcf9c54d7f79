"""The partitions that a page offers: the automatic cut, and the levels with their stability."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hypcse._arrays import plain
from hypcse._checks import check_finite, real_numbers
from hypcse._choices import Scale
from hypcse.graph import Graph
from hypcse.partitions.evidence import Structure
from hypcse.partitions.nested_levels import levels_and_main
from hypcse.partitions.resampling import is_quick
from hypcse.partitions.resampling import stability as measured_stability
from hypcse.tree import Tree

GAP_CLUSTERS = 20
"""Most clusters of the automatic cut of a tree that comes without a graph."""
MAX_LABELS = 1_000_000
"""Labels given by hand are below this, or below the number of leaves: a page keeps some facts for every number."""

Labels = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Partitions:
    """What can be shown without asking for a number of clusters.

    automatic : labels of the automatic cut, and `rule`, where they come from.
    outliers  : whether the last label of the automatic cut is that of outliers.
    levels    : nested labels, coarse to fine; none where neither a graph nor a model tells them.
    stability : a number from 0 to 1 for each level; None where it is not measured.
    """

    automatic: Labels
    rule: str
    levels: tuple[Labels, ...] = ()
    stability: tuple[float, ...] | None = None
    outliers: bool = False

    @property
    def main(self) -> int | None:
        """The level that is the automatic cut, from 0; None where no level is."""
        same = (k for k, labels in enumerate(self.levels) if np.array_equal(labels, self.automatic))
        return next(same, None)


def partitions_of(
    tree: Tree,
    graph: Graph | None,
    *,
    automatic: ArrayLike | None,
    levels: Sequence[ArrayLike] | None,
    structure: Structure | None,
) -> Partitions:
    """The partitions that are given; the graph tells those that are not, the tree alone only an automatic cut."""
    missing = automatic is None or levels is None
    found = levels_and_main(tree, graph, structure=structure) if graph is not None and missing else None
    if automatic is not None:
        cut, rule = flat_labels("flat labels", automatic, tree.n_leaves, least=-1), "given with the tree"
    elif found is not None:
        cut, rule = found.labels[found.main], "main level"
    else:
        cut, rule = tree.cut(n_clusters=widest_gap(tree)), "widest gap in height"
    outliers = bool(cut.min() < 0)
    cut = np.where(cut < 0, cut.max() + 1, cut)
    levels = found if levels is None else levels
    nested = () if levels is None else nested_labels(levels, tree.n_leaves)
    return Partitions(cut, rule, nested, outliers=outliers)


def stability_of(
    source: Any,
    shown: Partitions,
    graph: Graph | None,
    features: ArrayLike | None,
    scale: Scale,
) -> Sequence[float] | None:
    """The stability of levels that nobody gave: the model's own, else measured; None for large graphs, or no level."""
    if not shown.levels or not (graph is None or is_quick(graph)):
        return None
    if hasattr(source, "levels_"):
        known: Sequence[float] | None = getattr(source, "stability_", None)
        return known
    return None if graph is None else measured_stability(shown.levels, graph, features, scale=scale)


def structure_of(source: Any, structure: Structure | None) -> Structure | None:
    """The structure that is given, else that of a fitted model."""
    if structure is not None and not isinstance(structure, Structure):
        raise TypeError(f"structure is a {type(structure).__name__}. Pass what hypcse.beyond_chance returns.")
    own = getattr(source, "structure_", None) if structure is None else structure
    return own if isinstance(own, Structure) else None


def flat_labels(name: str, given: ArrayLike, n_leaves: int, least: int = 0) -> Labels:
    """A whole number from `least` for each leaf."""
    labels = plain(name, given)
    if labels.shape != (n_leaves,) or labels.dtype.kind not in "iu" or labels.min() < least:
        raise ValueError(
            f"{name} of shape {labels.shape} and type {labels.dtype} do not fit: pass one whole number from {least} "
            f"for each of the {n_leaves} leaves."
        )
    most = max(MAX_LABELS, n_leaves)
    if labels.max() >= most:
        raise ValueError(
            f"{name} go up to {labels.max()}, but a page numbers clusters from 0 and holds numbers below {most}. "
            "Number them anew: numpy.unique(labels, return_inverse=True)[1]."
        )
    return labels.astype(np.int64)


def nested_labels(levels: Sequence[ArrayLike], n_leaves: int) -> tuple[Labels, ...]:
    """Labels of levels, each inside the one before."""
    found = tuple(flat_labels(f"labels of level {k}", labels, n_leaves) for k, labels in enumerate(levels))
    for k, (coarse, fine) in enumerate(pairwise(found)):
        _, first, cluster = np.unique(fine, return_index=True, return_inverse=True)
        if not np.array_equal(coarse[first][cluster], coarse):
            raise ValueError(
                f"level {k + 1} has a cluster with leaves of several clusters of level {k}. "
                "Pass nested labels, the coarsest first, such as hypcse.levels returns."
            )
    return found


def check_stability(given: Sequence[float] | None, n_levels: int) -> tuple[float, ...] | None:
    """A number from 0 to 1 for each level."""
    if given is None:
        return None
    values = real_numbers("stability", given)
    if values.shape != (n_levels,):
        raise ValueError(f"stability has shape {values.shape} for {n_levels} levels. Pass one number per level.")
    check_finite("stability", values)
    if ((values < 0) | (values > 1)).any():
        raise ValueError(f"stability goes from {values.min()} to {values.max()}; it must lie between 0 and 1.")
    return tuple(values.tolist())


def widest_gap(tree: Tree) -> int:
    """The number of clusters, 2 to 20, that the widest range of heights gives; 1 where no split is left over.

    >>> widest_gap(Tree.from_newick("((0:1,1:1):8,(2:2,3:2):7);"))
    2
    """
    heights = np.unique(tree.height[tree.n_leaves :])[::-1]
    best, widest = 1, 0.0
    for top, below in pairwise([*heights, 0.0]):
        n_clusters = int(tree.cut(height=below).max()) + 1
        if n_clusters > GAP_CLUSTERS:
            break
        if top - below > widest and n_clusters < tree.n_leaves:
            best, widest = n_clusters, top - below
    return best

"""The partitions that a page offers: the automatic cut, and the levels with their stability."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hypcse._arrays import plain
from hypcse._checks import check_number
from hypcse._choices import Scale
from hypcse.graph import Graph
from hypcse.partitions.evidence import Structure
from hypcse.partitions.nested_levels import levels_and_main
from hypcse.partitions.resampling import MAX_EDGES, MAX_POINTS, is_quick
from hypcse.partitions.resampling import stability as measure_stability
from hypcse.show.page.bundle import pack_codes
from hypcse.show.source import flat_of
from hypcse.tree import Tree

GAP_CLUSTERS = 20
"""Most clusters of the automatic cut of a tree that comes without a graph."""
MAX_LABELS = 1_000_000
"""Labels given by hand are below this, or below the number of leaves: a page keeps some facts for every number."""
NOT_MEASURED = (
    f"Above {MAX_POINTS:,} leaves or {MAX_EDGES:,} edges, stability is shown if model.stability_ was asked for before."
)

Labels = NDArray[np.int64]


class Partitions(NamedTuple):
    """What is given of partitions; see `view`."""

    automatic: ArrayLike | None = None
    levels: Sequence[ArrayLike] | None = None
    stability: Sequence[float] | None = None
    structure: Structure | None = None


def partition_contents(
    source: Any, tree: Tree, graph: Graph | None, features: ArrayLike | None, scale: Scale, given: Partitions
) -> tuple[dict[str, Any], list[Labels]]:
    """What a page holds of partitions, and all labels: as given, else of the model, the graph, or the tree alone."""
    automatic, levels, stability, structure = given
    if structure is not None and not isinstance(structure, Structure):
        raise TypeError(f"structure is a {type(structure).__name__}. Pass what hypcse.beyond_chance returns.")
    structure = getattr(source, "structure_", None) if structure is None else structure
    if automatic is None:
        automatic = flat_of(source)
    elif np.size(automatic) == tree.n_leaves > 1 == np.unique(automatic).size:
        # One cluster for want of structure shows nothing.
        automatic = None
    own = getattr(source, "levels_", None) if levels is None else levels
    searched = None
    if graph is not None and (automatic is None or own is None):
        searched = levels_and_main(tree, graph, structure=structure)
    if automatic is not None:
        cut, rule = flat_labels("flat labels", automatic, tree.n_leaves, least=-1), "given with the tree"
    elif searched is not None:
        cut, rule = searched.labels[searched.main], "main level"
    else:
        cut, rule = tree.cut(n_clusters=widest_gap(tree)), "widest gap in height"
    outliers = bool(cut.min() < 0)
    cut = np.where(cut < 0, cut.max() + 1, cut)
    nested = _nested_labels(own if own is not None else searched or (), tree.n_leaves)
    quick = graph is None or is_quick(graph)
    if stability is None and levels is None and nested:
        if own is not None:
            # Of a large tree, only what was measured before.
            stability = getattr(source, "stability_", None) if quick else getattr(own, "stability", None)
        elif graph is not None and quick:
            stability = measure_stability(nested, graph, features, scale=scale)
    if stability is not None and len(stability) != len(nested):
        raise ValueError(f"stability has {len(stability)} numbers for {len(nested)} levels. Pass one number per level.")
    main = next((k for k, labels in enumerate(nested) if np.array_equal(labels, cut)), None)
    held = {
        # Labels that are also a level are held once.
        "automatic": pack_codes(cut) if main is None else None,
        "outliers": outliers,
        "automaticRule": rule if main is None else "main level",
        "levels": _level_contents(nested, stability, main),
        "stabilityNote": NOT_MEASURED if stability is None and not quick else "",
        "structure": None if structure is None else {"text": str(structure), "found": structure.found},
    }
    return held, [*nested, cut]


def _level_contents(levels: list[Labels], stability: Sequence[float] | None, main: int | None) -> dict[str, Any] | None:
    """Labels of the leaves at the finest level, and at each coarser one those of the next finer clusters."""
    if not levels:
        return None
    rated = None if stability is None else [round(check_number("stability", v, 0, 1), 4) for v in stability]
    coarser = [coarse[np.unique(fine, return_index=True)[1]] for coarse, fine in pairwise(levels)]
    return {
        "finest": pack_codes(levels[-1]),
        "coarser": [pack_codes(labels) for labels in coarser],
        "stability": rated,
        "main": main,
    }


def flat_labels(name: str, labels: ArrayLike, n_leaves: int, least: int = 0) -> Labels:
    """A whole number from `least` for each leaf."""
    labels = plain(name, labels)
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


def _nested_labels(levels: Sequence[ArrayLike], n_leaves: int) -> list[Labels]:
    """Labels of levels, each inside the one before."""
    nested = [flat_labels(f"labels of level {k}", labels, n_leaves) for k, labels in enumerate(levels)]
    for k, (coarse, fine) in enumerate(pairwise(nested)):
        _, first, cluster = np.unique(fine, return_index=True, return_inverse=True)
        if not np.array_equal(coarse[first][cluster], coarse):
            raise ValueError(
                f"level {k + 1} has a cluster with leaves of several clusters of level {k}. "
                "Pass nested labels, the coarsest first, such as hypcse.levels returns."
            )
    return nested


def widest_gap(tree: Tree) -> int:
    """The number of clusters, 2 to 20, that the widest range of heights gives; 1 if no split is left over."""
    heights = np.unique(tree.height[tree.n_leaves :])[::-1]
    best, widest = 1, 0.0
    for top, below in pairwise([*heights, 0.0]):
        n_clusters = int(tree.cut(height=below).max()) + 1
        if n_clusters > GAP_CLUSTERS:
            break
        if top - below > widest and n_clusters < tree.n_leaves:
            best, widest = n_clusters, top - below
    return best

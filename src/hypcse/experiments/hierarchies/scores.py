"""How far a tree finds planted partitions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from hypcse.graph import Graph
    from hypcse.tree import Tree

HIT = 0.9
"""The adjusted Rand index from which a level counts as a planted partition."""
MAX_DEPTH = 4
"""Planted levels of the deepest case."""


def level_score(name: str, level: int) -> str:
    """The name of a score at one planted level, 1 being the coarsest.

    >>> level_score("purity", 2)
    'purity_2'
    """
    return f"{name}_{level}"


def planted_scores(tree: Tree, graph: Graph, partitions: Sequence[Any]) -> dict[str, float]:
    """Scores of a tree beside planted partitions, coarse to fine.

    purity_k       : dendrogram purity at the k-th planted level; `mean_purity` is their mean.
    best_ari_k     : the best adjusted Rand index that any level of the tree has with it; `best_ari` is their mean.
    main_ari_k     : that of the main level; `main_ari` is the best of them, as one level can be one partition alone.
    partitions_hit : share of the planted partitions for which some level has an index of at least `HIT`.
    """
    import hypcse

    found = hypcse.levels(tree, graph)
    main = found[hypcse.main_level(tree, graph)]
    by_level = {
        "purity": [hypcse.dendrogram_purity(tree, labels) for labels in partitions],
        "best_ari": [max(_agreement(labels, level) for level in found) for labels in partitions],
        "main_ari": [_agreement(labels, main) for labels in partitions],
    }
    return {
        "mean_purity": float(np.mean(by_level["purity"])),
        "partitions_hit": float(np.mean(np.array(by_level["best_ari"]) >= HIT)),
        "best_ari": float(np.mean(by_level["best_ari"])),
        "main_ari": max(by_level["main_ari"]),
        "structural_entropy": float(hypcse.structural_entropy(tree, graph)),
        **{level_score(name, k): value for name, values in by_level.items() for k, value in enumerate(values, 1)},
    }


def _agreement(labels: Any, level: Any) -> float:
    from sklearn.metrics import adjusted_rand_score

    return float(adjusted_rand_score(labels, level))

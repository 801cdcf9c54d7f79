"""How far a partition agrees with the true one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Labels = NDArray[np.int64]


def flat_scores(y: Labels, labels: Labels) -> dict[str, float]:
    """Agreement of labels with the true clusters.

    ari, ami : adjusted Rand index and adjusted mutual information; points labelled -1, noise, count as one cluster.
    clusters : number of clusters, noise not among them.

    >>> flat_scores(np.array([0, 0, 1, 1]), np.array([3, 3, -1, -1]))
    {'ari': 1.0, 'ami': 1.0, 'clusters': 1}
    """
    from sklearn.metrics import adjusted_mutual_info_score, adjusted_rand_score

    return {
        "ari": float(adjusted_rand_score(y, labels)),
        "ami": float(adjusted_mutual_info_score(y, labels)),
        "clusters": int(np.unique(labels[labels >= 0]).size),
    }


def best_of_levels(levels: Sequence[dict[str, float]]) -> dict[str, float]:
    """Index and number of clusters of the level that agrees best, the coarsest of several; nothing without levels."""
    if not levels:
        return {}
    best = max(levels, key=lambda scores: scores["ari"])
    return {"best_level_ari": best["ari"], "best_level_clusters": best["clusters"]}

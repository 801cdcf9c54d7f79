"""Answers on features of another unit or scale, beside those of the default."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import adjusted_rand_score

import hypcse
from benchmarks.evidence.flat import cases
from benchmarks.sheet import Sheet

Floats = NDArray[np.float64]


def sheets(options: argparse.Namespace) -> Iterator[Sheet]:
    """One table per group of data, and one of the means over all of them."""
    scores: dict[str, list[list[list[float]]]] = {}
    for group in ("public", "made"):
        rows = []
        for case in (case for case in cases() if case.group == f"{group} tables"):
            for seed in options.seeds if case.drawn else options.seeds[:1]:
                data = case.make(seed)
                found = [answers(*way(np.asarray(data.X, np.float64)), data.y) for way in WAYS.values()]
                scores.setdefault(group, []).append(found)
                rows.append((f"{case.name} {seed}" if case.drawn else case.name, *map(_cell, found)))
        rows.append(("mean", *map(_cell, np.mean(scores[group], axis=0))))
        yield Sheet(f"Units: {group} tables", ("table", *WAYS), tuple(rows), (EXPLAINED,))
    means = np.mean([found for several in scores.values() for found in several], axis=0)
    yield Sheet("Units: all tables", ("", *WAYS), (("mean", *map(_cell, means)),), (EXPLAINED,))


EXPLAINED = "Each cell is the adjusted Rand index of `labels_`, of the best of `levels_`, and of the cut at the true k."


def answers(X: Floats, options: dict[str, Any], y: Any) -> list[float]:
    """Adjusted Rand index of the labels, of the best level, and of the cut at the true number of classes."""
    model = hypcse.EntropyClustering(random_state=0, **options).fit(X)
    cut = hypcse.best_cut(model.tree_, model.graph_, n_clusters=np.unique(y).size)
    several = (model.labels_, *model.levels_, cut)
    main, *levels, last = (float(adjusted_rand_score(y, labels)) for labels in several)
    return [main, max(levels), last]


def _cell(found: Any) -> str:
    return " / ".join(f"{value:.3f}" for value in found)


def _standardized(X: Floats) -> Floats:
    from sklearn.preprocessing import StandardScaler

    return StandardScaler().fit_transform(X)


WAYS: dict[str, Callable[[Floats], tuple[Floats, dict[str, Any]]]] = {
    "default": lambda X: (X, {}),
    "scale='standard'": lambda X: (X, {"scale": "standard"}),
    "StandardScaler, 'none'": lambda X: (_standardized(X), {"scale": "none"}),
    "the same x 1000": lambda X: (1000 * _standardized(X), {"scale": "none"}),
    "scale='rank'": lambda X: (X, {"scale": "rank"}),
    "standard, bandwidth 1.0": lambda X: (X, {"scale": "standard", "bandwidth": 1.0}),
    "standard, 'median'": lambda X: (X, {"scale": "standard", "bandwidth": "median"}),
}
"""What is done to the features, and with which options they are clustered."""

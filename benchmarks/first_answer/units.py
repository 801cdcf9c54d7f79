"""Answers on features of another unit or scale, beside those of the default."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

import hypcse
from benchmarks.first_answer.tables import rand, tables
from benchmarks.quality.sheet import Sheet

Floats = NDArray[np.float64]


def sheets(options: argparse.Namespace) -> Iterator[Sheet]:
    """One table per group of data, and one of the means over all of them."""
    scores: dict[str, list[list[list[float]]]] = {}
    for group in ("public", "made"):
        rows = []
        for name, X, y in tables(group, options.seeds, options.tables if group == "public" else None):
            found = [answers(*way(X), y) for way in WAYS.values()]
            scores.setdefault(group, []).append(found)
            rows.append((name, *map(_cell, found)))
        rows.append(("mean", *map(_cell, np.mean(scores[group], axis=0))))
        yield Sheet(f"Units: {group} tables", ("table", *WAYS), tuple(rows), (EXPLAINED,))
    means = np.mean([found for several in scores.values() for found in several], axis=0)
    yield Sheet("Units: all tables", ("", *WAYS), (("mean", *map(_cell, means)),), (EXPLAINED,))


EXPLAINED = "Each cell is the adjusted Rand index of `labels_`, of the best of `levels_`, and of the cut at the true k."


def answers(X: Floats, options: dict[str, Any], y: Any) -> list[float]:
    """Adjusted Rand index of the labels, of the best level, and of the cut at the true number of classes."""
    model = hypcse.EntropyClustering(random_state=0, **options).fit(X)
    cut = hypcse.best_cut(model.tree_, model.graph_, n_clusters=np.unique(y).size)
    return [rand(y, model.labels_), max(rand(y, level) for level in model.levels_), rand(y, cut)]


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

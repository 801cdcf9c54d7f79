"""Planted outliers: how well scores rank them, and clusters with the outliers as a class, beside other methods."""

from __future__ import annotations

import argparse
import importlib.util
from collections.abc import Callable, Iterator
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import KDTree
from sklearn.cluster import HDBSCAN
from sklearn.datasets import make_moons
from sklearn.ensemble import IsolationForest
from sklearn.metrics import average_precision_score
from sklearn.neighbors import LocalOutlierFactor

import hypcse
from benchmarks.first_answer.tables import rand
from benchmarks.quality.sheet import Sheet

KINDS = ("blobs", "unequal blobs", "moons")
DIMENSIONS = (2, 8, 32)
SHARES = (0.0, 0.01, 0.05, 0.2)
N_POINTS = 1000
N_BLOBS = 5

Labels = NDArray[np.int64]
Floats = NDArray[np.float64]


def sheets(options: argparse.Namespace) -> Iterator[Sheet]:
    """Average precision of scores, and clusters with the outliers as a class; without outliers, what is marked."""
    ranks, clusters = [], []
    cases = list(product(KINDS, DIMENSIONS, SHARES))
    for kind, dim, share in cases:
        draws = [_measure(*planted(kind, dim, share, seed)) for seed in options.seeds]
        ranks.append(np.mean([scores for scores, _ in draws], axis=0))
        clusters.append(np.mean([found for _, found in draws], axis=0))
    names = [(kind, str(dim), f"{share:.0%}") for kind, dim, share in cases]
    some = [k for k, (*_, share) in enumerate(cases) if share > 0]
    columns = ("data", "dimensions", "outliers")
    yield Sheet(
        "Average precision of outlier scores",
        (*columns, "ours", *_RIVALS),
        (
            *((*names[k], *_shown(ranks[k])) for k in some),
            ("mean", "", "", *_shown(np.mean([ranks[k] for k in some], axis=0))),
        ),
        () if "GLOSH" in _RIVALS else ("GLOSH needs the package hdbscan, which is not installed.",),
    )
    yield Sheet(
        "Clusters, with the outliers as a class",
        (*columns, "ours", "HDBSCAN", "outliers found", "others marked"),
        (
            *((*name, *_shown(row)) for name, row in zip(names, clusters, strict=True)),
            ("mean", "", "", *_shown(np.nanmean(clusters, axis=0))),
        ),
        ("Adjusted Rand index, mark_outliers=True and defaults; then shares of planted outliers and of other points.",),
    )


def planted(kind: str, dim: int, share: float, seed: int) -> tuple[Floats, Labels]:
    """Points and their clusters, -1 for outliers: uniform in a box, and outside what is usual in every cluster."""
    rng = np.random.default_rng([KINDS.index(kind), dim, round(100 * share), seed])
    n_outliers = round(share * N_POINTS)
    X, y = _clusters(kind, dim, N_POINTS - n_outliers, rng)
    low, high = X.min(axis=0), X.max(axis=0)
    trees = [KDTree(X[y == label]) for label in range(y.max() + 1)]
    limits = [1.5 * np.quantile(tree.query(tree.data, 2)[0][:, 1], 0.995) for tree in trees]
    outliers: list[Floats] = []
    while len(outliers) < n_outliers:
        point = (low + high) / 2 + 0.6 * (high - low) * rng.uniform(-1, 1, dim)
        if all(tree.query(point)[0] > limit for tree, limit in zip(trees, limits, strict=True)):
            outliers.append(point)
    order = rng.permutation(N_POINTS)
    points = np.concatenate([X, np.reshape(outliers, (n_outliers, dim))])
    return points[order], np.concatenate([y, np.full(n_outliers, -1)])[order]


def _clusters(kind: str, dim: int, n_points: int, rng: np.random.Generator) -> tuple[Floats, Labels]:
    """Two moons, with small noise in further columns, or five blobs, four deviations of both apart."""
    if kind == "moons":
        moons, y = make_moons(n_points, noise=0.06, random_state=int(rng.integers(2**31)))
        X = np.concatenate([moons, 0.06 * rng.normal(size=(n_points, dim - 2))], axis=1)
        return X @ np.linalg.qr(rng.normal(size=(dim, dim)))[0], y
    deviations = np.ones(N_BLOBS) if kind == "blobs" else np.geomspace(0.3, 3, N_BLOBS)
    centers = np.empty((0, dim))
    while len(centers) < N_BLOBS:
        center = rng.uniform(-1, 1, dim) * 22 / dim**0.25
        apart = 4 * (deviations[: len(centers)] + deviations[len(centers)])
        if (np.linalg.norm(centers - center, axis=1) > apart).all():
            centers = np.concatenate([centers, center[None]])
        elif rng.random() < 0.001:
            centers = np.empty((0, dim))
    y = rng.integers(N_BLOBS, size=n_points)
    return centers[y] + deviations[y, None] * rng.normal(size=(n_points, dim)) / (dim / 2) ** 0.25, y


def _measure(X: Floats, y: Labels) -> tuple[Floats, Floats]:
    """Average precisions, ours first; and our adjusted Rand index, HDBSCAN's, and the shares that are marked."""
    scaled = hypcse.graph.scale_features(X).astype(np.float64)
    model = hypcse.EntropyClustering(mark_outliers=True).fit(X)
    outliers, marked = y < 0, model.labels_ < 0
    scores = [model.outlier_scores_, *(score(scaled) for score in _RIVALS.values())]
    ranks = [average_precision_score(outliers, one) if outliers.any() else np.nan for one in scores]
    density = HDBSCAN(copy=True).fit_predict(scaled)
    recall = marked[outliers].mean() if outliers.any() else np.nan
    return np.array(ranks), np.array([rand(y, model.labels_), rand(y, density), recall, marked[~outliers].mean()])


def _glosh(X: Floats) -> Floats:
    import hdbscan

    return np.nan_to_num(hdbscan.HDBSCAN().fit(X).outlier_scores_)


_RIVALS: dict[str, Callable[[Floats], Floats]] = {
    "isolation forest": lambda X: -IsolationForest(random_state=0).fit(X).score_samples(X),
    "LOF": lambda X: -LocalOutlierFactor().fit(X).negative_outlier_factor_,
}
if importlib.util.find_spec("hdbscan") is not None:
    _RIVALS["GLOSH"] = _glosh


def _shown(values: Floats) -> list[str]:
    return ["" if np.isnan(value) else f"{value:.3f}" for value in values]

"""Labels of tables, found without being told anything, beside what a user would pick instead."""

from __future__ import annotations

import argparse
import importlib.util
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import hypcse
from benchmarks.quality.sheet import Sheet
from hypcse.paper.flat import FLAT_CASES, FLAT_METHODS, FlatData, flat_data

MAX_CLUSTERS = 30
"""Largest number of clusters that k-means and the mixture try."""
SAMPLE = 5000
"""Points of which a silhouette is computed."""

Labels = NDArray[np.int64]
Floats = NDArray[np.float64]


def sheets(options: argparse.Namespace) -> Iterator[Sheet]:
    """One table per group of data: public tables and those of a folder, made ones, and noise."""
    methods = {name: method for name, (package, method) in METHODS.items() if _is_installed(package)}
    skipped = ", ".join(name for name in METHODS if name not in methods)
    remarks: tuple[str, ...] = ("Each cell is clusters / adjusted Rand index; noise of HDBSCAN counts as one cluster.",)
    remarks += (f"Not installed, and skipped: {skipped}.",) if skipped else ()
    for group in ("public", "made"):
        cases = list(tables(group, options.seeds, options.tables if group == "public" else None))
        scores: list[list[float]] = []
        rows = []
        for name, X, y in cases:
            cells = [(labels, rand(y, labels)) for labels in (method(X) for method in methods.values())]
            scores.append([score for _, score in cells])
            shown = [f"{np.unique(labels[labels >= 0]).size} / {score:.3f}" for labels, score in cells]
            rows.append((name, f"{len(X):,}", str(np.unique(y).size), *shown))
        means = [f"{mean:.3f}" for mean in np.mean(scores, axis=0)]
        rows.append(("mean", "", "", *means))
        yield Sheet(f"The first answer: {group} tables", ("table", "points", "classes", *methods), tuple(rows), remarks)


def tables(group: str, seeds: list[int], folder: Path | None) -> Iterator[tuple[str, Floats, Any]]:
    """Name, features and classes of each table of `reproduce flat`, and of those in the folder."""
    for case in FLAT_CASES.values():
        if case.group == group:
            is_drawn = group != "public"
            for seed in seeds if is_drawn else seeds[:1]:
                data = flat_data(case, seed)
                assert data.X is not None
                yield f"{case.name} {seed}" if is_drawn else case.name, np.asarray(data.X, np.float64), data.y
    for path in sorted(folder.glob("*.npz")) if folder is not None else ():
        with np.load(path, allow_pickle=False) as arrays:
            yield path.stem, np.asarray(arrays["X"], np.float64), np.unique(arrays["y"], return_inverse=True)[1]


def rand(y: Labels, labels: Labels) -> float:
    """Adjusted Rand index; points labeled -1 count as one cluster."""
    from sklearn.metrics import adjusted_rand_score

    return float(adjusted_rand_score(y, labels))


def _ours(X: Floats) -> Labels:
    return hypcse.EntropyClustering(random_state=0).fit(X).labels_


def _kmeans(X: Floats) -> Labels:
    """k-means with the number of clusters of highest silhouette."""
    from sklearn.cluster import KMeans
    from sklearn.metrics import silhouette_score

    scaled = hypcse.graph.scale_features(X)
    best, labels = -np.inf, np.zeros(len(X), np.int64)
    for k in range(2, min(MAX_CLUSTERS, len(X) - 1) + 1):
        clusters = KMeans(k, n_init=3, random_state=0).fit_predict(scaled)
        score = silhouette_score(scaled, clusters, sample_size=min(SAMPLE, len(X)), random_state=0)
        if score > best:
            best, labels = score, clusters.astype(np.int64)
    return labels


def _mixture(X: Floats) -> Labels:
    """A Gaussian mixture with the number of components of lowest BIC; diagonal covariances, which fit any width."""
    from sklearn.mixture import GaussianMixture

    scaled = hypcse.graph.scale_features(X).astype(np.float64)
    models = (GaussianMixture(k, covariance_type="diag", random_state=0) for k in range(1, MAX_CLUSTERS + 1))
    fitted = [model.fit(scaled) for model in models if model.n_components < len(X)]
    return min(fitted, key=lambda model: model.bic(scaled)).predict(scaled).astype(np.int64)


def _hdbscan(X: Floats) -> Labels:
    from sklearn.cluster import HDBSCAN

    return HDBSCAN(copy=True).fit_predict(hypcse.graph.scale_features(X)).astype(np.int64)


def _leiden(X: Floats) -> Labels:
    data = FlatData(X, hypcse.similarity_graph(X), np.zeros(len(X), np.int64))
    return FLAT_METHODS["leiden"](data, 0).labels


METHODS: dict[str, tuple[str, Callable[[Floats], Labels]]] = {
    "ours": ("hypcse", _ours),
    "k-means, silhouette": ("sklearn", _kmeans),
    "mixture, BIC": ("sklearn", _mixture),
    "HDBSCAN": ("sklearn", _hdbscan),
    "Leiden": ("leidenalg", _leiden),
}
"""Each method, the package that it needs, and the function from features to labels."""


def _is_installed(package: str) -> bool:
    return importlib.util.find_spec(package) is not None

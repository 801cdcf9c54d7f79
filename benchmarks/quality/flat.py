"""Flat partitions read off a refined tree, beside HDBSCAN and KMeans."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import hypcse
from benchmarks.quality.data import Points
from benchmarks.quality.sheet import Sheet

LEVEL = "main level"
CUT = "best cut"
HDBSCAN = "HDBSCAN"
KMEANS = "KMeans with the true k"
WAYS = (LEVEL, CUT, HDBSCAN, KMEANS)


@dataclass(frozen=True)
class Agreement:
    """A partition against the classes; `noise` is the share of points that no cluster took."""

    n_clusters: int
    rand: float
    information: float
    noise: float = 0.0


@dataclass(frozen=True)
class FlatRow:
    """One data set: the agreement of each way with its classes."""

    name: str
    n_points: int
    n_classes: int
    found: dict[str, Agreement]


def flat_row(points: Points) -> FlatRow:
    """All ways on one data set; the tree is the fast refinement of graph-average."""
    from sklearn import cluster

    graph = points.graph
    tree = hypcse.search_tree(graph, points.X)
    X = hypcse.graph.scale_features(points.X)
    kmeans = cluster.KMeans(points.n_classes, n_init=10, random_state=0)
    labels = {
        LEVEL: hypcse.levels(tree, graph)[hypcse.main_level(tree, graph)],
        CUT: hypcse.best_cut(tree, graph),
        HDBSCAN: cluster.HDBSCAN(min_cluster_size=5, copy=True).fit_predict(X),
        KMEANS: kmeans.fit_predict(X),
    }
    found = {way: agreement(points.y, labels[way]) for way in WAYS}
    return FlatRow(points.name, points.y.size, points.n_classes, found)


def agreement(classes: NDArray[np.int64], labels: NDArray[np.int64]) -> Agreement:
    """Adjusted Rand index and normalized mutual information; points labeled -1 are clusters of their own.

    >>> agreement(np.array([0, 0, 1, 1]), np.array([0, 0, 1, -1])).n_clusters
    2
    """
    from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

    noise = labels == -1
    alone = np.where(noise, -1 - np.arange(labels.size), labels)
    return Agreement(
        np.unique(labels[~noise]).size,
        float(adjusted_rand_score(classes, alone)),
        float(normalized_mutual_info_score(classes, alone)),
        float(noise.mean()),
    )


def flat_sheet(rows: Sequence[FlatRow]) -> Sheet:
    """The rows as text."""
    return Sheet(
        "Flat partitions",
        ("data set", "points", "classes", *WAYS, "HDBSCAN's noise"),
        tuple(_cells(row) for row in rows),
        (
            "Each cell is clusters / adjusted Rand index / normalized mutual information.",
            "The tree is the fast refinement of graph-average, joined by features; the main level is told nothing.",
            f"Mean adjusted Rand index: {', '.join(f'{way} {_mean(rows, way):.3f}' for way in WAYS)}.",
            "HDBSCAN (min_cluster_size=5) and KMeans (n_init=10) take the min-max scaled features. HDBSCAN's noise "
            "points are clusters of their own in both indices, and are not counted as clusters.",
        ),
    )


def _mean(rows: Sequence[FlatRow], way: str) -> float:
    return float(np.mean([row.found[way].rand for row in rows]))


def _cells(row: FlatRow) -> tuple[str, ...]:
    found = [row.found[way] for way in WAYS]
    cells = [f"{one.n_clusters:,} / {one.rand:.3f} / {one.information:.3f}" for one in found]
    return (row.name, f"{row.n_points:,}", str(row.n_classes), *cells, f"{row.found[HDBSCAN].noise:.0%}")

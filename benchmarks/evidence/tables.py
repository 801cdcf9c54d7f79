"""Peers on tables: linkages, HDBSCAN, EVoC, k-means and mixtures, with the usual ways to choose their clusters."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any

import numpy as np
from sklearn.cluster import KMeans
from sklearn.metrics import silhouette_score
from sklearn.mixture import GaussianMixture

import hypcse
from benchmarks.evidence.data import CHOICES, CUTS, Data, Floats, Hierarchy, Labels

SAMPLE = 5000
"""Points of which a silhouette is computed."""
Linkage = Callable[[Data, int], Floats]


def cut(make: Linkage, data: Data, seed: int) -> Hierarchy:
    """A dendrogram at every number of clusters."""
    tree = hypcse.Tree.from_linkage(make(data, seed))
    return Hierarchy(tuple(tree.cut(n_clusters=k) for k in CUTS if k < data.y.size), tree)


def chosen_cut(make: Linkage, data: Data, seed: int) -> Labels:
    """The cut of a dendrogram of highest silhouette."""
    tree = hypcse.Tree.from_linkage(make(data, seed))
    return _by_silhouette(data, (tree.cut(n_clusters=k) for k in CHOICES if k < data.y.size))


def _by_silhouette(data: Data, partitions: Iterable[Labels]) -> Labels:
    X, size = data.features, min(SAMPLE, data.y.size)
    return max(partitions, key=lambda labels: silhouette_score(X, labels, sample_size=size, random_state=0))


def linkage(data: Data, _: int, *, package: str, method: str) -> Floats:
    """By SciPy or fastcluster."""
    module = import_module("scipy.cluster.hierarchy" if package == "scipy" else package)
    return module.linkage(data.features, method)


def genie(data: Data, _: int) -> Floats:
    """Merges in their order: Genie's distances need not ascend."""
    import genieclust

    children = genieclust.Genie().fit(data.features).children_
    return np.column_stack([children, np.arange(1.0, len(children) + 1), np.zeros(len(children))])


def _density(data: Data, package: str, size: int, how: str = "eom") -> Any:
    module = import_module("sklearn.cluster" if package == "scikit-learn" else package)
    options = {"copy": True} if package == "scikit-learn" else {}
    return module.HDBSCAN(min_cluster_size=size, cluster_selection_method=how, **options).fit(data.features)


def density_labels(data: Data, _: int, *, package: str, size: int) -> Labels:
    """By excess of mass."""
    return _density(data, package, size).labels_


def density_levels(data: Data, _: int, *, package: str, size: int) -> Hierarchy:
    """Both selections, and what is left at a distance: clusters of the least size, and noise."""
    model = _density(data, package, size)
    merges = model._single_linkage_tree_ if package == "scikit-learn" else model._single_linkage_tree
    if merges.dtype.names:
        merges = np.column_stack([merges[name] for name in merges.dtype.names])
    distances = np.quantile(merges[:, 2], np.linspace(0.4, 1, len(CUTS)))
    # fast_hdbscan takes the least size of the fit.
    least = {} if package == "fast_hdbscan" else {"min_cluster_size": size}
    cuts = [model.dbscan_clustering(distance, **least) for distance in distances]
    leaves = _density(data, package, size, "leaf").labels_
    return Hierarchy((model.labels_, leaves, *cuts), hypcse.Tree.from_linkage(np.asarray(merges, np.float64)))


def glosh(data: Data, _: int) -> Floats:
    """Outlier scores of hdbscan."""
    import hdbscan

    return np.nan_to_num(hdbscan.HDBSCAN().fit(data.features).outlier_scores_)


def _evoc(data: Data, seed: int) -> Any:
    """It compares directions, so columns are centered, unless rows are directions."""
    import evoc

    X = data.features if data.scale == "none" else data.features - data.features.mean(axis=0)
    model = evoc.EVoC(random_state=seed)
    model.fit_predict(X.astype(np.float32))
    return model


def evoc_levels(data: Data, seed: int) -> Hierarchy:
    """Its layers."""
    return Hierarchy(tuple(_evoc(data, seed).cluster_layers_))


def evoc_labels(data: Data, seed: int) -> Labels:
    """The layer that it chooses."""
    return _evoc(data, seed).labels_


def kmeans(data: Data, seed: int) -> Labels:
    """Of highest silhouette."""
    models = (KMeans(k, n_init=10, random_state=seed) for k in CHOICES if k < data.y.size)
    return _by_silhouette(data, (model.fit_predict(data.features) for model in models))


def mixture(data: Data, seed: int) -> Labels:
    """Of lowest BIC among numbers of components from 1 on, and full and diagonal covariances."""
    X = data.features
    models = [
        GaussianMixture(k, covariance_type=kind, random_state=seed).fit(X)
        for kind in ("full", "diag")
        for k in (1, *CHOICES)
        if k < data.y.size
    ]
    return min(models, key=lambda model: model.bic(X)).predict(X)

"""`TopicLayers`: the levels of a hierarchy in the form that Toponymy's clusterers return."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from hypcse._checks import check_count
from hypcse.topics.clusterer import TopicClusterer
from hypcse.tree.flat import count_clusters

ClusterTree = dict[tuple[int, int], list[tuple[int, int]]]


class TopicLayers:
    """A clusterer for Toponymy: `Toponymy(..., clusterer=TopicLayers())`.

    Layer 0 is the finest level, and the last layer is the coarsest. Every document is in a cluster of every layer:
    there is no noise.

    Parameters
    ----------
    model
        What finds the levels: a `TopicClusterer` by default, or another estimator with `levels_`.
    min_clusters
        Coarser levels than this are left out.

    Attributes
    ----------
    cluster_layers_
        One layer per level, finest first, made by the `layer_class` of `fit`.
    cluster_tree_
        For each (layer, cluster) the list of its children; the root is (number of layers, 0).
    model_
        The fitted copy of the model, with the tree over all documents.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = np.repeat(np.repeat(rng.normal(size=(3, 9)) * 20, 3, axis=0) + rng.normal(size=(9, 9)) * 4, 20, axis=0)
    >>> def make_layer(labels, centroid_vectors, layer_id):
    ...     return layer_id, len(centroid_vectors)
    >>> layers, tree = TopicLayers(min_clusters=3).fit_predict(X + rng.normal(size=X.shape), X, make_layer)
    >>> layers[-1], tree[(len(layers), 0)]
    ((5, 3), [(5, 0), (5, 1), (5, 2)])
    """

    def __init__(self, model: Any = None, min_clusters: int = 6) -> None:
        self.model = model
        self.min_clusters = check_count("min_clusters", min_clusters, 1)

    def fit(
        self,
        clusterable_vectors: ArrayLike,
        embedding_vectors: ArrayLike,
        layer_class: Callable[..., Any],
        **layer: Any,
    ) -> Self:
        """Cluster documents and make a layer of each level.

        Parameters
        ----------
        clusterable_vectors, embedding_vectors
            Vectors to cluster, and vectors to average into centroids: one row per document.
        layer_class
            Makes a layer of labels and centroids, called as Toponymy's `ClusterLayer`.
        **layer
            Passed on to `layer_class`.

        Returns
        -------
        Self
            The fitted clusterer itself.
        """
        # A copy: the given model may be used elsewhere.
        model = TopicClusterer() if self.model is None else clone(self.model, safe=False)
        self.model_ = model.fit(np.asarray(clusterable_vectors))
        layers = [labels for labels in self.model_.levels_[::-1] if count_clusters(labels) >= self.min_clusters]
        if not layers:
            finest = count_clusters(self.model_.levels_[-1])
            raise ValueError(f"the finest level has {finest} clusters. Lower min_clusters={self.min_clusters}.")
        vectors = np.asarray(embedding_vectors, np.float64)
        self.cluster_tree_ = link_layers(layers)
        self.cluster_layers_ = [
            layer_class(labels, centroids(labels, vectors), layer_id=number, **layer)
            for number, labels in enumerate(layers)
        ]
        return self

    def fit_predict(
        self,
        clusterable_vectors: ArrayLike,
        embedding_vectors: ArrayLike,
        layer_class: Callable[..., Any],
        **layer: Any,
    ) -> tuple[list[Any], ClusterTree]:
        """Fit, and return the layers and their tree.

        Parameters
        ----------
        clusterable_vectors, embedding_vectors, layer_class, **layer
            As for `fit`.

        Returns
        -------
        tuple
            `cluster_layers_` and `cluster_tree_`.
        """
        self.fit(clusterable_vectors, embedding_vectors, layer_class, **layer)
        return self.cluster_layers_, self.cluster_tree_


def link_layers(layers: Sequence[NDArray[np.int64]]) -> ClusterTree:
    """The children of each cluster of nested labels, which go from fine to coarse."""
    top = len(layers)
    children: ClusterTree = {(top, 0): [(top - 1, k) for k in range(int(layers[-1].max()) + 1)]}
    for number, (coarse, fine) in zip(range(top - 1, 0, -1), pairwise(layers[::-1]), strict=True):
        for above, child in np.unique(np.column_stack([coarse, fine]), axis=0).tolist():
            children.setdefault((number, above), []).append((number - 1, child))
    return children


def centroids(labels: NDArray[np.int64], vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean vector of each cluster, (k, d)."""
    order, sizes = np.argsort(labels, kind="stable"), np.bincount(labels)
    return np.add.reduceat(vectors[order], np.cumsum(sizes) - sizes, axis=0) / sizes[:, None]

"""`TopicLayers` against what Toponymy publishes: its `Clusterer`, its `ClusterLayer` and its cluster tree.

Toponymy itself does not run here, because its dependencies are not installed. Where its sources are, they are read for
the signatures that it calls.
"""

from __future__ import annotations

import ast
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster

import hypcse
from hypcse.topics import TopicClusterer, TopicLayers
from hypcse.topics.layers import link_layers

RNG = np.random.default_rng(0)
FIELDS = np.repeat(RNG.normal(size=(3, 9)) * 20, 3, axis=0)
X = np.repeat(FIELDS + RNG.normal(size=(9, 9)) * 4, 20, axis=0) + RNG.normal(size=(180, 9)) * 0.5


class Layer:
    """The parameters of Toponymy 0.5's `ClusterLayer` that a clusterer passes."""

    def __init__(self, cluster_labels, centroid_vectors, layer_id, verbose=None, show_progress_bar=None, **others):
        self.cluster_labels, self.centroid_vectors, self.layer_id = cluster_labels, centroid_vectors, layer_id
        self.others = others


def reference_tree(labels):
    """What Toponymy's `build_cluster_tree` gives: each cluster under the nearest cluster above it."""
    result = {}
    for lower, fine in enumerate(labels):
        for child in range(fine.max() + 1):
            if lower + 1 == len(labels):
                result.setdefault((len(labels), 0), []).append((lower, child))
            else:
                result.setdefault((lower + 1, int(labels[lower + 1][fine == child][0])), []).append((lower, child))
    return {node: sorted(children) for node, children in result.items()}


def test_layers_are_the_levels_from_fine_to_coarse():
    """Called as Toponymy's `fit` calls a clusterer."""
    layers, tree = TopicLayers(min_clusters=3).fit_predict(
        X, X[:, :4], Layer, verbose=False, show_progress_bar=False, exemplar_delimiters=["<", ">"], prompt_template=None
    )
    wanted = [labels for labels in TopicClusterer().fit(X).levels_ if labels.max() >= 2][::-1]
    assert len(layers) == len(wanted) >= 2
    for number, (layer, labels) in enumerate(zip(layers, wanted, strict=True)):
        assert layer.layer_id == number and np.array_equal(layer.cluster_labels, labels)
        means = [X[labels == k, :4].mean(axis=0) for k in range(labels.max() + 1)]
        assert layer.centroid_vectors == pytest.approx(np.array(means))
        assert layer.others == {"exemplar_delimiters": ["<", ">"], "prompt_template": None}
    assert tree == reference_tree(wanted)


def test_any_estimator_with_levels_will_do():
    clusterer = TopicLayers(hypcse.EntropyClustering(), min_clusters=2)
    assert clusterer.fit(X, X, Layer) is clusterer
    assert clusterer.model_.tree_.n_leaves == 180


def test_too_few_clusters_are_an_error():
    with pytest.raises(ValueError, match=r"Lower min_clusters=500"):
        TopicLayers(min_clusters=500).fit(X, X, Layer)


@pytest.mark.parametrize("sizes", [(9, 3), (9, 3, 2), (7,)])
def test_children_of_nested_labels(sizes):
    Z = hypcse.EntropyClustering().fit(X).linkage_matrix_
    labels = [fcluster(Z, size, "maxclust") - 1 for size in sizes]
    assert {node: sorted(children) for node, children in link_layers(labels).items()} == reference_tree(labels)


def test_the_published_interface_is_as_we_take_it():
    spec = find_spec("toponymy")
    if spec is None:
        pytest.skip("toponymy is not installed: its sources cannot be read")
    folder = Path(spec.origin).parent

    def arguments(file, kind, method):
        result = next(n for n in ast.parse((folder / file).read_text()).body if getattr(n, "name", "") == kind)
        taken = next(n for n in result.body if getattr(n, "name", "") == method).args
        return [one.arg for one in taken.args], taken.kwarg and taken.kwarg.arg

    for method in ("fit", "fit_predict"):
        names, others = arguments("clustering.py", "Clusterer", method)
        assert names == ["self", "clusterable_vectors", "embedding_vectors", "layer_class"] and others
    names, _ = arguments("cluster_layer.py", "ClusterLayer", "__init__")
    assert names[:4] == ["self", "cluster_labels", "centroid_vectors", "layer_id"]


def test_the_given_model_is_not_fitted():
    given = TopicClusterer()
    layers = TopicLayers(given, min_clusters=3).fit(X, X, Layer)
    assert not hasattr(given, "levels_") and layers.model is given and hasattr(layers.model_, "levels_")

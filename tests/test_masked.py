"""Masked arrays and missing dates at every door: both are refused, and masked labels are not known."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform

import hypcse
from hypcse import EntropyClustering, Graph, Points, Tree
from hypcse.graph import nearest_neighbors, scale_features
from hypcse.metrics import cophenetic_correlation
from hypcse.neural.decode import decode_single

N = 30
X = np.random.default_rng(0).normal(size=(N, 3)) + np.repeat([[0.0], [9.0], [0.0]], N // 3, axis=0)
D = squareform(pdist(X))
W = np.exp(-np.square(D))
GRAPH = hypcse.similarity_graph(X)
TREE = hypcse.graph_linkage(GRAPH)
IDS = np.ma.masked_array([0, 1, 2], mask=[False, True, False])


def masked(values):
    """The values, the last masked."""
    mask = np.zeros(np.shape(values), bool)
    mask.flat[-1] = True
    return np.ma.masked_array(values, mask=mask)


DOORS = {
    "fit": lambda: EntropyClustering().fit(masked(X)),
    "fit a list of rows": lambda: EntropyClustering().fit([masked(row) for row in X]),
    "fit distances": lambda: EntropyClustering(metric="precomputed").fit(masked(D)),
    "fit condensed": lambda: EntropyClustering(metric="precomputed").fit(masked(pdist(X))),
    "fit with a graph": lambda: EntropyClustering().fit(X, graph=masked(W)),
    "predict": lambda: EntropyClustering().fit(X).predict(masked(X)),
    "places": lambda: EntropyClustering().fit(X).places(masked(X)),
    "train": lambda: hypcse.HypCSE(n_epochs=1).fit(masked(X)),
    "methods": lambda: hypcse.methods.run("ward", masked(X)),
    "Points": lambda: Points(masked(X)),
    "Points of distances": lambda: Points(distances=masked(D)),
    "Points.of": lambda: Points.of(masked(X)),
    "Points.of a graph": lambda: Points.of(None, masked(W)),
    "rows": lambda: Points(X).rows(IDS),
    "similarity": lambda: hypcse.similarity_graph(masked(X)),
    "similarity by cosine": lambda: hypcse.similarity_graph(masked(X), metric="cosine"),
    "similarity of distances": lambda: hypcse.similarity_graph(masked(D), metric="precomputed"),
    "neighbors": lambda: nearest_neighbors(masked(X), 3),
    "scaling": lambda: scale_features(masked(X)),
    "Graph": lambda: Graph(GRAPH.indptr, GRAPH.indices, masked(GRAPH.weights), GRAPH.self_weights),
    "from_scipy": lambda: Graph.from_scipy(masked(W)),
    "ends": lambda: Graph.from_edges(IDS, [1, 2, 3]),
    "weights": lambda: Graph.from_edges([0, 1], [1, 2], masked([1.0, 2.0])),
    "subgraph": lambda: GRAPH.subgraph(IDS),
    "Tree": lambda: Tree(masked([2, 2, -1]), [0, 0, 1]),
    "heights": lambda: Tree([2, 2, -1], masked([0.0, 0.0, 1.0])),
    "linkage": lambda: Tree.from_linkage(masked(TREE.to_linkage())),
    "lca": lambda: TREE.lca(IDS, IDS),
    "prune": lambda: TREE.prune(IDS),
    "attach": lambda: TREE.attach(IDS),
    "score": lambda: hypcse.score(TREE, graph=masked(W)),
    "correlation": lambda: cophenetic_correlation(TREE, masked(pdist(X))),
    "decode": lambda: decode_single(masked(X)),
    "join": lambda: hypcse.join_components(TREE, GRAPH, masked(X)),
    "chance": lambda: hypcse.beyond_chance(masked(X)),
    "page of features": lambda: hypcse.view(TREE, features=masked(X)),
    "page of labels": lambda: hypcse.view(TREE, automatic=masked(np.zeros(N, int))),
    "page of levels": lambda: hypcse.view(TREE, levels=[masked(np.zeros(N, int))]),
}


@pytest.mark.parametrize("door", DOORS)
def test_masked_numbers_are_refused(door):
    with pytest.raises(ValueError, match=r"are masked \((1|30) in all\)"):
        DOORS[door]()


@pytest.mark.parametrize("door", [door for door in DOORS if "a list" not in door])
@pytest.mark.parametrize("kind", ["M8[s]", "m8[s]"])
def test_missing_dates_are_refused(door, kind, monkeypatch):
    """NumPy would take NaT for a number."""

    def dates(values):
        moments = np.asarray(values).astype(np.int64).astype(kind)
        moments.flat[-1] = "NaT"
        return moments

    monkeypatch.setattr(f"{__name__}.masked", dates)
    monkeypatch.setattr(f"{__name__}.IDS", dates([0, 1, 2]))
    with pytest.raises((ValueError, TypeError), match="NaT|must be"):
        DOORS[door]()


def test_masked_labels_are_unknown():
    labels = np.arange(N) % 3
    hidden = np.ma.masked_array(labels, mask=np.arange(N) % 5 == 0)
    plain = np.array([None if k % 5 == 0 else k % 3 for k in range(N)], dtype=object)
    assert hypcse.dendrogram_purity(TREE, hidden) == hypcse.dendrogram_purity(TREE, plain)
    assert hypcse.dendrogram_purity(TREE, hidden) != hypcse.dendrogram_purity(TREE, labels)
    assert hypcse.score(TREE, labels=hidden, clusters=labels) == hypcse.score(TREE, labels=plain, clusters=labels)
    assert hypcse.spread_labels(TREE, hidden).tolist() == hypcse.spread_labels(TREE, plain).tolist()
    assert hypcse.respect_labels(GRAPH, hidden) == hypcse.respect_labels(GRAPH, plain)
    assert Points(X, labels=hidden).labels.tolist() == Points.of(X, labels=hidden).labels.tolist() == plain.tolist()
    for clusters in (
        lambda: hypcse.score(TREE, labels=labels, clusters=hidden),
        lambda: hypcse.stability([hidden], GRAPH),
    ):
        with pytest.raises(ValueError, match="the label of point 0 is missing"):
            clusters()


def test_a_mask_that_hides_nothing_is_no_mask():
    plain = EntropyClustering().fit(X)
    assert EntropyClustering().fit(np.ma.masked_array(X)).tree_ == plain.tree_
    assert Graph.from_scipy(np.ma.masked_array(W)) == Graph.from_scipy(W)
    assert hypcse.dendrogram_purity(TREE, np.ma.masked_array(np.arange(N) % 3)) == hypcse.dendrogram_purity(
        TREE, np.arange(N) % 3
    )

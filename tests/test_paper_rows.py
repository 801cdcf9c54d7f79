"""Rows of the paper's Tables 1 and 5 that must come out to the printed digit."""

from __future__ import annotations

import numpy as np
import pytest

import hypcse

# name: (dendrogram purity in percent, structural entropy, Dasgupta's cost) as printed for SingleLinkage.
SINGLE_LINKAGE = {
    "zoo": (97.6, 2.037, 4499.992),
    "iris": (81.2, 3.483, 45380.796),
    "wine": (67.9, 3.909, 67920.236),
    "breast-cancer": (85.1, 4.977, 1224116.656),
    "optical-digits": (73.3, 2.839, 345332.736),
    "pen-digits": (70.0, 6.125, 76567530.892),
}


def row(method: str, X: np.ndarray, y: np.ndarray) -> dict[str, float]:
    graph = hypcse.similarity_graph(X)
    return hypcse.score(hypcse.methods.run(method, X, graph=graph), graph=graph, labels=y)


@pytest.mark.parametrize("name", SINGLE_LINKAGE)
def test_single_linkage_as_printed(paper_data, name):
    purity, entropy, cost = SINGLE_LINKAGE[name]
    found = row("single-linkage", *paper_data(name))
    assert 100 * found["dendrogram_purity"] == pytest.approx(purity, abs=0.051)
    assert found["structural_entropy"] == pytest.approx(entropy, abs=0.00051)
    assert found["dasgupta_cost"] == pytest.approx(cost, rel=1e-5)


def test_single_linkage_on_spambase(paper_data):
    """The printed 7.180 is met to 0.001, not to its last digit."""
    found = row("single-linkage", *paper_data("spambase"))
    assert found["structural_entropy"] == pytest.approx(7.180, abs=0.001)
    assert 100 * found["dendrogram_purity"] == pytest.approx(58.9, abs=0.051)


def test_optical_digits_without_the_data_folder():
    """scikit-learn's copy is the same data set, so this row holds on every machine."""
    from sklearn.datasets import load_digits

    found = row("single-linkage", *load_digits(return_X_y=True))
    assert found["structural_entropy"] == pytest.approx(2.839, abs=0.00051)
    assert found["dasgupta_cost"] == pytest.approx(345332.736, rel=1e-5)


# The same for HCSE. Spambase is left out: the printed 6.599 is not reached by the published algorithm (5.645).
HCSE = {
    "zoo": (97.3, 1.929, 4175.671),
    "iris": (89.7, 3.593, 41380.998),
    "wine": (71.1, 3.819, 58347.563),
    "breast-cancer": (94.2, 4.319, 592273.513),
    "optical-digits": (81.5, 3.011, 310539.268),
    "pen-digits": (76.9, 6.877, 59508491.488),
}


@pytest.mark.parametrize("name", HCSE)
def test_hcse_as_printed(paper_data, name):
    purity, entropy, cost = HCSE[name]
    found = row("hcse", *paper_data(name))
    assert 100 * found["dendrogram_purity"] == pytest.approx(purity, abs=0.1)
    assert found["structural_entropy"] == pytest.approx(entropy, abs=0.001)
    assert found["dasgupta_cost"] == pytest.approx(cost, rel=1e-5)


# Purity and entropy of linkage on the graph, measured by independent code. Zoo has tied weights, which move its rows.
GRAPH_LINKAGE = {
    ("graph-average", "iris"): (94.9, 2.825),
    ("graph-average", "wine"): (93.1, 3.055),
    ("graph-average", "breast-cancer"): (95.6, 3.267),
    ("graph-average", "optical-digits"): (92.1, 2.031),
    ("graph-average", "pen-digits"): (85.3, 3.766),
    ("graph-paris", "zoo"): (97.6, 1.768),
    ("graph-paris", "iris"): (82.8, 2.771),
    ("graph-paris", "wine"): (86.7, 3.027),
    ("graph-paris", "breast-cancer"): (88.0, 3.266),
    ("graph-paris", "optical-digits"): (92.3, 1.999),
    ("graph-paris", "spambase"): (60.1, 4.155),
    ("graph-paris", "pen-digits"): (82.9, 3.765),
}


@pytest.mark.parametrize(("method", "name"), GRAPH_LINKAGE)
def test_graph_linkage_as_measured(paper_data, method, name):
    purity, entropy = GRAPH_LINKAGE[method, name]
    found = row(method, *paper_data(name))
    # Disconnected components are joined in an order of our own, which moves purity a little and entropy not at all.
    assert 100 * found["dendrogram_purity"] == pytest.approx(purity, abs=0.15)
    assert found["structural_entropy"] == pytest.approx(entropy, abs=0.001)


# Entropy that fast refinement of average linkage must reach: what interchanges alone reach, and a margin.
INTERCHANGES = {
    "zoo": 1.767,
    "iris": 2.783,
    "wine": 3.010,
    "breast-cancer": 3.233,
    "optical-digits": 2.001,
    "spambase": 4.088,
    "pen-digits": 3.743,
}


@pytest.mark.parametrize("name", INTERCHANGES)
def test_fast_refinement_goes_below_interchanges(paper_data, name):
    graph = hypcse.similarity_graph(paper_data(name)[0])
    tree = hypcse.refine(hypcse.graph_linkage(graph), graph)
    assert hypcse.structural_entropy(tree, graph) <= INTERCHANGES[name]

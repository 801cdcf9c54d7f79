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

"""Names and settings of the classifiers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hypcse.methods.labelled.features import gradient_boosting, logistic_regression, nearest_neighbors
from hypcse.methods.labelled.hyphc import hyphc_end_to_end, hyphc_two_step
from hypcse.methods.labelled.inputs import Codes
from hypcse.methods.labelled.propagation import label_propagation, label_propagation_graph
from hypcse.methods.options import keyword_options


@dataclass(frozen=True)
class Classifier:
    """A classifier that learns from few labels.

    name    : its name in the registry.
    title   : its name in tables.
    predict : takes features X (n, d), class codes y (n,) with -1 for no label, and by keyword `random_state`,
              `validation` (a mask of rows whose labels may choose an epoch and never train) and its settings; returns
              class codes of all rows.
    reading : our choices where its source leaves something open; empty if there are none.
    """

    name: str
    title: str
    predict: Callable[..., Codes]
    reading: str = ""

    @property
    def settings(self) -> dict[str, Any]:
        """The settings with their defaults."""
        options = keyword_options(self.predict, without=("random_state", "validation"))
        return {option.name: option.default for option in options}


_ALL = (
    Classifier(
        "label-propagation",
        "LP",
        label_propagation,
        "the similarities are not published; exp(-d^2) of features scaled to [0, 1], between all pairs",
    ),
    Classifier(
        "label-propagation-graph",
        "LP on the graph",
        label_propagation_graph,
        "not in the paper: the graph that HypCSE is given",
    ),
    Classifier(
        "hyphc-two-step",
        "HypHC-TS",
        hyphc_two_step,
        "classifier and penalty are not published; logistic regression in the tangent space at the origin, and the "
        "defaults of HypHC",
    ),
    Classifier(
        "hyphc-end-to-end",
        "HypHC-ETE",
        hyphc_end_to_end,
        "classifier and loss weight are not published; the classifier of HypHC-TS without a penalty, and of the "
        "weights 1, 0.1 and 0.01 the best by mean validation accuracy on zoo, iris, glass and segmentation",
    ),
    Classifier("nearest-neighbors", "Nearest neighbours", nearest_neighbors, "not in the paper"),
    Classifier("logistic-regression", "Logistic regression", logistic_regression, "not in the paper"),
    Classifier("gradient-boosting", "Gradient boosting", gradient_boosting, "not in the paper"),
)
CLASSIFIERS: dict[str, Classifier] = {classifier.name: classifier for classifier in _ALL}

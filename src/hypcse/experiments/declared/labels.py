"""Classes from part of the labels: Table 3, and a few labels per class."""

from __future__ import annotations

from hypcse.experiments.declared.model import Experiment, Row
from hypcse.experiments.labelled import FEW

_PEERS = (
    Row("LP", "label-propagation", printed="label-propagation", random=True),
    Row("LP on the graph", "label-propagation-graph", random=True),
    Row("HypHC-TS", "hyphc-two-step", printed="hyphc-two-step", random=True),
    Row("HypHC-ETE", "hyphc-end-to-end", printed="hyphc-end-to-end", random=True),
    Row("nearest neighbours", "nearest-neighbors", random=True),
    Row("logistic regression", "logistic-regression", random=True),
    Row("gradient boosting", "gradient-boosting", random=True),
)
_LABELLED_ROWS = (
    *_PEERS,
    Row(
        "HypCSE, the paper's features",
        "hypcse-classifier",
        {"features": "similarities", "guess_weight": 0.0},
        printed="hypcse",
        random=True,
    ),
    Row("HypCSEClassifier", "hypcse-classifier", random=True),
    Row("respect_labels, then spread_labels", "spread-labels", random=True),
)
# HypHC is quadratic in what it holds, and its leaves on the digits take hours.
_FEW_ROWS = tuple(row for row in _LABELLED_ROWS if row.method not in ("hyphc-two-step", "hyphc-end-to-end"))

TABLE_3 = Experiment(
    "table3",
    "Classes from 30 % of the labels (Table 3)",
    _LABELLED_ROWS,
    ("accuracy", "accuracy_stratified"),
    ("zoo", "iris", "glass", "segmentation"),
    table="table3",
    kind="labelled",
    note="30 % of the labels to train on, 10 % to pick an epoch, 60 % to test; five draws. The paper does not say "
    "how it splits; random splits stand beside its figures. What the sources of LP and of both HypHC leave open is "
    "our reading. The paper's features are the first 10 principal components of the similarities to all points; "
    "that row learns from given labels alone; our default also learns from guesses of the tree.",
)

FEW_LABELS = Experiment(
    "few-labels",
    "Classes from a few labels",
    tuple(row for row in _FEW_ROWS if row.options.get("features") != "similarities"),
    tuple(f"accuracy_{number}" for number in FEW),
    ("optical-digits", "pen-digits"),
    table="none",
    kind="few",
    note="So many labels of each class, drawn by the seed; accuracy on all other points. Nothing is held back for "
    "validation.",
)

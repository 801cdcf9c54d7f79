"""What new points get, beside a fit that had them from the start: `python -m benchmarks holdout`."""

from __future__ import annotations

import argparse
from dataclasses import astuple, dataclass

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import ShuffleSplit
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

import hypcse
from benchmarks.sheet import Sheet
from hypcse import datasets, dendrogram_purity

SHARE = 0.2
COLUMNS = (
    "split",
    "as nearest",
    "ARI with full fit",
    "of points kept",
    "ARI with classes",
    "full fit's",
    "purity, attached",
    "full fit's",
)
REMARKS = (
    f"A share of {SHARE} of the points is held out, and the model is fitted on the others. Figures are of the held-out "
    "points unless said otherwise.",
    "as nearest: share whose predicted label is that of their nearest training point.",
    "ARI with full fit: of predicted labels with those that a fit on all points gives the same points; beside it of "
    "the two fits' labels of the points kept, for which nothing is predicted.",
    "ARI with classes: of predicted labels, and beside it of the full fit's labels of the same points.",
    "purity: dendrogram purity of the tree with the held-out points attached, and beside it of the full fit's tree.",
)


@dataclass(frozen=True)
class Found:
    """Figures of one split, as in the table."""

    as_nearest: float
    with_full: float
    kept_with_full: float
    with_classes: float
    full_with_classes: float
    purity: float
    full_purity: float


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument("--set", default="optical-digits", metavar="NAME", help="data set; optical-digits by default")
    parser.add_argument("--splits", type=int, default=5, metavar="N", help="splits; 5 by default")
    parser.add_argument("--clusters", type=int, metavar="N", help="flat clusters; as many as classes by default")
    parser.add_argument("--epochs", type=int, metavar="N", help="epochs; as the estimator chooses by default")


def show(options: argparse.Namespace, console: Console) -> int:
    """Fit on all points and on every split, and print the table."""
    X, y = datasets.load(options.set)
    model = hypcse.HypCSE(n_clusters=options.clusters or np.unique(y).size, n_epochs=options.epochs)
    sheet = holdout_sheet(model, X, y, options.splits)
    console.print(sheet.to_rich())
    for remark in sheet.remarks:
        console.print(remark, markup=False)
    return 0


def holdout_sheet(model: hypcse.HypCSE, X: NDArray[np.float64], y: NDArray[np.int64], n_splits: int) -> Sheet:
    """One row a split and their mean; the splits are drawn from seed 0."""
    full = clone(model).fit(X)
    splits = ShuffleSplit(n_splits, test_size=SHARE, random_state=0).split(X)
    found = [astuple(held_out(clone(model), full, X, y, split)) for split in splits]
    rows = [(str(k), *_cells(one)) for k, one in enumerate(found)]
    mean = tuple(np.mean(found, axis=0).tolist())
    return Sheet("New points", COLUMNS, (*rows, ("mean", *_cells(mean))), REMARKS)


def held_out(
    model: hypcse.HypCSE,
    full: hypcse.HypCSE,
    X: NDArray[np.float64],
    y: NDArray[np.int64],
    split: tuple[NDArray[np.int64], NDArray[np.int64]],
) -> Found:
    """Fit on the points kept and ask for those held out."""
    kept, held = split
    model.fit(X[kept])
    labels = model.predict(X[held])
    grown = model.tree_.attach(model.places(X[held]))
    nearest = make_pipeline(MinMaxScaler(), KNeighborsClassifier(1)).fit(X[kept], model.labels_)
    return Found(
        float((labels == nearest.predict(X[held])).mean()),
        float(adjusted_rand_score(full.labels_[held], labels)),
        float(adjusted_rand_score(full.labels_[kept], model.labels_)),
        float(adjusted_rand_score(y[held], labels)),
        float(adjusted_rand_score(y[held], full.labels_[held])),
        dendrogram_purity(grown, y[np.concatenate([kept, held])]),
        dendrogram_purity(full.tree_, y),
    )


def _cells(values: tuple[float, ...]) -> tuple[str, ...]:
    return tuple(f"{value:.3f}" for value in values)

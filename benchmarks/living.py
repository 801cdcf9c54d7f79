"""A tree that grows by updates, beside one full fit: `python -m benchmarks living`."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from scipy import sparse
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

import hypcse
from benchmarks.evidence.nested import nested
from benchmarks.sheet import Sheet

START, N_UPDATES = 0.2, 16
N_POINTS, N_VERTICES, N_WORDS = 4_000, 1_000, 300
LARGE, SHARE = (100_000, 1_000_000), 0.01
COLUMNS = (
    "data, order",
    "entropy",
    "full fit's, same graph",
    "more by",
    "ARI with it",
    "ARI with fit of data",
    "classes shown",
    "steady points",
    "after forgetting",
)
REMARKS = (
    f"{START:.0%} of the points, then {N_UPDATES} updates; in random order, or in order of class.",
    "entropy: of the updated tree, of a full fit on the same graph, and by how much the first is higher.",
    "ARI: of labels_ with those of that fit, and with those of a fit that makes its own graph.",
    "classes shown: of the classes that an update brings for the first time, the share for which a cluster of at least "
    "half new rows, most of them of that class, has a new number. Random order brings none.",
    "steady points: share of old rows with their number, in clusters that did not change: those that the update left "
    "over 99 % of their rows, and to which it moved less than 1 %.",
    "after forgetting: relative change of the entropy when the last update is forgotten.",
)

Labels = NDArray[np.int64]


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument("--large", nargs="*", type=int, default=LARGE[:1], metavar="N", help="points of the timings")
    parser.add_argument("--only", nargs="*", choices=DATA, metavar="NAME", help=f"{', '.join(DATA)}; all by default")


def show(options: argparse.Namespace, console: Console) -> int:
    """One row per data set and order, then the times."""
    rows = []
    for name in DATA if options.only is None else options.only:
        X, y = DATA[name]()
        for order in ("random", "class"):
            rows.append((f"{name}, {order}", *grown(X, y, order)))
            console.print(" | ".join(rows[-1]))
    times = [timed(n) for n in options.large]
    for sheet in (
        Sheet("Updates beside a fit", COLUMNS, tuple(rows), REMARKS),
        Sheet("CPU seconds, one thread", ("points", "fit", "new rows", "update", "share of fit"), tuple(times)),
    ):
        if sheet.rows:
            console.print(sheet.to_rich())
            for remark in sheet.remarks:
                console.print(remark, markup=False)
    return 0


def blobs() -> tuple[Any, Labels]:
    """Twelve normal clusters."""
    return make_blobs(N_POINTS, 10, centers=12, cluster_std=1.5, random_state=0)


def gaussians() -> tuple[Any, Labels]:
    """Clusters inside clusters inside clusters; the classes are the five at the top."""
    X, labels = nested(N_POINTS, 16, 0.5, 0)
    return X, labels[-1]


def digits() -> tuple[Any, Labels]:
    """Images of digits."""
    return hypcse.datasets.load("optical-digits")


def texts() -> tuple[Any, Labels]:
    """Counts of words, drawn from ten mixtures of words, by their logarithms."""
    rng = np.random.default_rng(0)
    y = rng.integers(10, size=N_POINTS)
    shares = rng.dirichlet(np.full(N_WORDS, 0.1), size=10)
    return np.log1p(np.array([rng.multinomial(80, shares[k]) for k in y], dtype=np.float64)), y


def planted() -> tuple[Any, Labels]:
    """A graph with twelve planted groups."""
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(12), N_VERTICES // 12)
    upper = np.triu(rng.random((y.size, y.size)) < np.where(y[:, None] == y, 0.25, 0.01), 1)
    return sparse.csr_array((upper | upper.T).astype(np.float64)), y


DATA: dict[str, Callable[[], tuple[Any, Labels]]] = {
    "blobs": blobs,
    "nested": gaussians,
    "digits": digits,
    "texts": texts,
    "graph": planted,
}


def grown(X: Any, y: Labels, order: str) -> tuple[str, ...]:
    """Grow a model by updates, and compare it with full fits."""
    rng = np.random.default_rng(0)
    rows = rng.permutation(y.size)
    rows = rows if order == "random" else rows[np.argsort(y[rows], kind="stable")]
    y, is_graph, is_text = y[rows], sparse.issparse(X), X.shape[1] == N_WORDS
    X = X[rows][:, rows] if is_graph else X[rows]
    ends = np.linspace(START * y.size, y.size, N_UPDATES + 1).astype(int)

    def model() -> hypcse.EntropyClustering:
        return hypcse.EntropyClustering(
            metric="cosine" if is_text else "euclidean", scale="none" if is_text else "minmax", n_jobs=1
        )

    living = model().fit(X[: ends[0], : ends[0]] if is_graph else X[: ends[0]])
    shown, steady, entropy = [], [], 0.0
    for start, end in pairwise(ends):
        entropy = living.entropy_
        living.update(X[:end, :end] if is_graph else X[start:end])
        shown += classes_shown(living, y[:end], start)
        steady.append(steady_share(living))
    same = model().fit(living.graph_) if is_graph else model().fit(X, graph=living.graph_)
    own = same if is_graph else model().fit(X)
    figures = (
        f"{living.entropy_:.4f}",
        f"{same.entropy_:.4f}",
        f"{living.entropy_ / same.entropy_ - 1:+.2%}",
        f"{adjusted_rand_score(same.labels_, living.labels_):.3f}",
        f"{adjusted_rand_score(own.labels_, living.labels_):.3f}",
        f"{sum(shown)} of {len(shown)}",
        f"{np.mean(steady):.2%}",
    )
    return (*figures, f"{living.forget(np.arange(ends[-2], ends[-1])).entropy_ / entropy - 1:+.0e}")


def classes_shown(model: hypcse.EntropyClustering, y: Labels, start: int) -> list[bool]:
    """For each class that came with the last update, with 20 rows or more, whether it has a new cluster."""
    found, changes = [], model.changes_
    fresh = changes.index[changes["change"] == "new"]
    for label in np.setdiff1d(y[start:], y[:start]):
        members = model.labels_[y == label]
        if members.size >= 20:
            found.append(bool(np.isin(np.bincount(members).argmax(), fresh)))
    return found


def steady_share(model: hypcse.EntropyClustering) -> float:
    """Share of old rows with their number, in former clusters that are the same set of old rows up to 1 %."""
    before = model._last_changes().before
    held = before[before >= 0]
    labels = model.labels_[: held.size]
    good, total = 0, 0
    for k in np.unique(held).tolist():
        members = labels[held == k]
        number = int(np.bincount(members).argmax())
        stayed = int((members == number).sum())
        if stayed > 0.99 * members.size and np.count_nonzero(labels == number) < 1.01 * stayed + 1:
            total, good = total + members.size, good + int((members == k).sum())
    return good / total if total else 1.0


def timed(n: int) -> tuple[str, ...]:
    """CPU time of a fit, and of an update by a hundredth."""
    m = int(SHARE * n)
    X, _ = make_blobs(n + m, 16, centers=20, cluster_std=2.0, random_state=0)
    # Compiles what both need.
    hypcse.EntropyClustering(n_jobs=1).fit(X[:3000]).update(X[3000:3020])
    model = hypcse.EntropyClustering(n_jobs=1)
    seconds = []
    for work in (lambda: model.fit(X[:n]), lambda: model.update(X[n:])):
        began = time.process_time()
        work()
        seconds.append(time.process_time() - began)
    fit, update = seconds
    return f"{n:,}", f"{fit:.1f}", f"{m:,}", f"{update:.1f}", f"{update / fit:.0%}"

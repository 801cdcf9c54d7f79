"""What a few labels are worth: `python -m benchmarks labels`."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from scipy import sparse

import hypcse
from benchmarks.evidence.nested import nested
from benchmarks.sheet import Sheet
from hypcse.graph import scale_features

DATASETS = ("optical-digits", "pen-digits")
SHARES = (1.0, 0.1)
STRENGTHS = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0)
N_LABELS = (1, 5, 20)
SMALLEST = 10
DRAWS, SEEDS = (0, 1, 2), (0, 1, 2, 3, 4)

Labels = NDArray[np.int64]
Points = NDArray[np.floating]


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument("--datasets", nargs="*", default=list(DATASETS), metavar="NAME")
    parser.add_argument("--parts", nargs="*", choices=tuple(_PARTS), default=list(_PARTS))


def show(options: argparse.Namespace, console: Console) -> int:
    """One sheet per part."""
    for part in options.parts:
        sheet = _PARTS[part](options.datasets)
        console.print(sheet.to_rich())
        for remark in sheet.remarks:
            console.print(remark, markup=False)
    return 0


def strength_sheet(_: Sequence[str]) -> Sheet:
    """On made data with levels, what each strength does to classes and to the clusters inside them."""
    return Sheet(
        "Strength, on made data",
        ("spread", "labelled", "strength", "classes", "their groups", "their clusters", "groups of other classes"),
        tuple(_strength_row(spread, share, s) for spread in (0.5, 1.0) for share in SHARES for s in STRENGTHS),
        (
            "2,000 points of 100 Gaussian clusters in 25 groups, in 8 dimensions; groups are dealt out to 10 classes, "
            "so that only labels say which belong together. Points of 5 classes are labeled, all or a tenth. "
            "Dendrogram purity in percent, all points of the 5 classes, then of the others; "
            f"mean of seeds {_listed(DRAWS)}.",
        ),
    )


def new_classes_sheet(datasets: Sequence[str]) -> Sheet:
    """Half of the classes are known: how pure the other half comes out, and the known ones."""
    scored = ("new classes", "with labels", "known classes", "with labels", "all classes", "with labels")
    return Sheet(
        "Half of the classes known",
        ("data", "labelled", "draw", *scored),
        tuple(row for name in datasets for share in SHARES for row in _new_classes_rows(name, share)),
        (
            "Points of 5 classes drawn of 10 are labeled, all or a tenth of them. Dendrogram purity in percent, "
            "points of the other classes, of the 5 (labeled or not) and of all; without and with `respect_labels`.",
        ),
    )


def spread_sheet(datasets: Sequence[str]) -> Sheet:
    """Accuracy on the unlabeled points."""
    return Sheet(
        "Labels spread",
        ("data", "per class", "spread_labels", "respect, then spread", "5 neighbors", "1 neighbor", "propagation"),
        tuple(row for name in datasets for row in _spread_rows(name)),
        (
            "Accuracy in percent on the unlabeled points, mean and standard deviation over seeds "
            f"{_listed(SEEDS)}. Propagation: labels move along the same graph of 10 neighbors until they rest.",
        ),
    )


def wrong_sheet(datasets: Sequence[str]) -> Sheet:
    """A tenth of the labels is wrong: how many of these points stay with their true class."""
    rows = [_wrong_row(name, share, strength) for name in datasets for share in SHARES for strength in (0.5, 1.0, 2.0)]
    return Sheet(
        "A tenth of the labels wrong",
        ("data", "labelled", "strength", "with their true class", "known classes"),
        tuple(rows),
        (
            "As above, but a tenth of the labels is that of another known class. Of these points, how many percent lie "
            f"in a subtree of {SMALLEST} leaves or a few more whose other points are mostly of their true class; and "
            f"purity by the true classes. Mean of draws {_listed(DRAWS)}.",
        ),
    )


def purity(tree: hypcse.Tree, points: NDArray[np.bool_], y: Labels) -> float:
    """Dendrogram purity among some points, in percent."""
    return 100 * hypcse.dendrogram_purity(tree.prune(np.flatnonzero(points)), y[points])


def propagated(graph: hypcse.Graph, y: Labels, n_classes: int) -> Labels:
    """Each point takes the weighted mean of its neighbors' classes, labeled ones keep theirs, until nothing moves."""
    degrees = np.maximum(graph.edge_degrees, np.finfo(float).tiny)
    step = sparse.diags_array(1 / degrees) @ graph.without_loops().to_scipy()
    labeled = y >= 0
    held = np.eye(n_classes)[y[labeled]]
    belief = np.zeros((y.size, n_classes))
    belief[labeled] = held
    for _ in range(10_000):
        after = step @ belief
        after[labeled] = held
        if np.abs(after - belief).max() < 1e-6:
            break
        belief = after
    return np.argmax(belief, axis=1)


def _strength_row(spread: float, share: float, strength: float) -> tuple[str, ...]:
    found = np.mean([_made_purities(spread, share, strength, seed) for seed in DRAWS], axis=0)
    return (f"{spread:g}", f"{share:.0%}", f"{strength:g}", *(f"{value:.1f}" for value in found))


def _made_purities(spread: float, share: float, strength: float, seed: int) -> tuple[float, ...]:
    X, (clusters, groups, _) = nested(2_000, 8, spread, seed)
    rng = np.random.default_rng(seed)
    classes = (rng.permutation(25) % 10)[groups]
    known = classes < 5
    y = np.where(known & (rng.random(classes.size) < share), classes, -1)
    graph = hypcse.similarity_graph(X, bandwidth="median")
    tree = hypcse.search_tree(hypcse.respect_labels(graph, y, strength), X)
    inside = (purity(tree, known, one) for one in (classes, groups, clusters))
    return (*inside, purity(tree, ~known, groups))


def _new_classes_rows(name: str, share: float) -> list[tuple[str, ...]]:
    X, y, graph = _loaded(name)
    plain, figures = hypcse.search_tree(graph, X), []
    for draw in DRAWS:
        rng = np.random.default_rng(draw)
        known = np.isin(y, rng.permutation(10)[:5])
        labels = np.where(known & (rng.random(y.size) < share), y, -1)
        told = hypcse.search_tree(hypcse.respect_labels(graph, labels), X)
        everyone = np.ones(y.size, np.bool_)
        figures.append([purity(tree, points, y) for points in (~known, known, everyone) for tree in (plain, told)])
    figures.append(np.mean(figures, axis=0).tolist())
    names = [*map(str, DRAWS), "mean"]
    return [
        (name, f"{share:.0%}", draw, *(f"{value:.1f}" for value in row))
        for draw, row in zip(names, figures, strict=True)
    ]


def _wrong_row(name: str, share: float, strength: float) -> tuple[str, ...]:
    X, y, graph = _loaded(name)
    figures = []
    for draw in DRAWS:
        rng = np.random.default_rng(draw)
        classes = rng.permutation(10)[:5]
        known = np.isin(y, classes)
        labels = np.where(known & (rng.random(y.size) < share), y, -1)
        wrong = np.flatnonzero((labels >= 0) & (rng.random(y.size) < 0.1))
        labels[wrong] = [rng.choice(classes[classes != code]) for code in y[wrong]]
        tree = hypcse.search_tree(hypcse.respect_labels(graph, labels, strength), X)
        stay = 100 * float(np.mean([_company(tree, leaf, y) == y[leaf] for leaf in wrong.tolist()]))
        figures.append((stay, purity(tree, known, y)))
    return (name, f"{share:.0%}", f"{strength:g}", *(f"{value:.1f}" for value in np.mean(figures, axis=0)))


def _company(tree: hypcse.Tree, leaf: int, y: Labels) -> int:
    """The class of most of the others in the smallest subtree around a leaf that is large enough."""
    node = leaf
    while tree.sizes[node] < SMALLEST:
        node = tree.parent[node]
    others = tree.leaves(node)
    return int(np.argmax(np.bincount(y[others[others != leaf]])))


def _spread_rows(name: str) -> list[tuple[str, ...]]:
    X, y, graph = _loaded(name)
    tree, points, rows = hypcse.search_tree(graph, X), scale_features(X, "minmax"), []
    for count in N_LABELS:
        found = []
        for seed in SEEDS:
            labels = _some(y, count, np.random.default_rng(seed))
            hidden = labels < 0
            answers = _answers(tree, graph, X, points, labels)
            found.append([100 * np.mean(answer[hidden] == y[hidden]) for answer in answers])
        means, spreads = np.mean(found, axis=0), np.std(found, axis=0)
        rows.append((name, str(count), *(f"{m:.1f} ± {s:.1f}" for m, s in zip(means, spreads, strict=True))))
    return rows


def _answers(tree: hypcse.Tree, graph: hypcse.Graph, X: Points, points: Points, y: Labels) -> list[Labels]:
    told = hypcse.search_tree(hypcse.respect_labels(graph, y), X)
    return [
        hypcse.spread_labels(tree, y),
        hypcse.spread_labels(told, y),
        _by_neighbors(points, y, 5),
        _by_neighbors(points, y, 1),
        propagated(graph, y, int(y.max()) + 1),
    ]


def _by_neighbors(points: Points, y: Labels, n_neighbors: int) -> Labels:
    from sklearn.neighbors import KNeighborsClassifier

    labeled = y >= 0
    return KNeighborsClassifier(n_neighbors).fit(points[labeled], y[labeled]).predict(points)


def _some(y: Labels, count: int, rng: np.random.Generator) -> Labels:
    """The labels of `count` points of each class, drawn; -1 elsewhere."""
    chosen = np.concatenate(
        [rng.choice(np.flatnonzero(y == code), count, replace=False) for code in range(y.max() + 1)]
    )
    labels = np.full(y.size, -1)
    labels[chosen] = y[chosen]
    return labels


def _loaded(name: str) -> tuple[Points, Labels, hypcse.Graph]:
    X, y = hypcse.datasets.load(name)
    return X, np.unique(y, return_inverse=True)[1], hypcse.similarity_graph(X)


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))


_PARTS: dict[str, Callable[[Sequence[str]], Sheet]] = {
    "strength": strength_sheet,
    "new-classes": new_classes_sheet,
    "wrong": wrong_sheet,
    "spread": spread_sheet,
}

"""The top of the tree: purity at every planted level beside Ward and average linkage: `python -m benchmarks top`."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

import hypcse
from benchmarks.quality.sheet import Sheet

SPREADS = (0.25, 0.5, 0.65, 0.8, 1.0, 1.25)
DIMENSIONS = (4, 8, 16, 32)
SEEDS = (0, 1, 2)
COUNTS, SCALES = (5, 25, 100), (6.0, 3.0, 1.5)
WAYS = ("ours", "ward", "average-linkage")

Labels = NDArray[np.int64]


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument("--dimensions", nargs="*", type=int, default=list(DIMENSIONS), metavar="D")
    parser.add_argument("--spreads", nargs="*", type=float, default=list(SPREADS), metavar="S")
    parser.add_argument("--points", type=int, default=4_000, metavar="N")


def show(options: argparse.Namespace, console: Console) -> int:
    """One row per dimension and spread, the mean over seeds."""
    rows = []
    for d in options.dimensions:
        for spread in options.spreads:
            found = [measured(*nested(options.points, d, spread, seed)) for seed in SEEDS]
            rows.append((str(d), f"{spread:g}", *(cell(np.mean([one[k] for one in found], axis=0)) for k in range(4))))
            console.print(" | ".join(rows[-1]))
    sheet = Sheet(
        "Nested Gaussians, " + ", ".join(map(str, COUNTS)),
        ("dimensions", "spread", *WAYS, "best ARI of a level"),
        tuple(rows),
        (
            f"{options.points:,} points, seeds {', '.join(map(str, SEEDS))}. Dendrogram purity in percent for the "
            f"{COUNTS[2]}, the {COUNTS[1]} and the {COUNTS[0]}, and their mean; then the best adjusted Rand index of a "
            "level with each of them. Ours is average linkage on the graph, refined, joined by features.",
        ),
    )
    console.print(sheet.to_rich())
    for remark in sheet.remarks:
        console.print(remark, markup=False)
    return 0


def nested(n_points: int, d: int, spread: float, seed: int) -> tuple[NDArray[np.float64], list[Labels]]:
    """Points of Gaussians around centers around centers, and their labels from fine to coarse."""
    rng = np.random.default_rng(seed)
    centers, owners = rng.normal(size=(COUNTS[0], d)) * SCALES[0], []
    for count, scale in zip(COUNTS[1:], SCALES[1:], strict=True):
        owners.append(rng.integers(len(centers), size=count))
        centers = centers[owners[-1]] + rng.normal(size=(count, d)) * scale
    labels = [rng.integers(COUNTS[-1], size=n_points)]
    X = centers[labels[0]] + rng.normal(size=(n_points, d)) * spread
    for owner in reversed(owners):
        labels.append(owner[labels[-1]])
    return X, labels


def measured(X: NDArray[np.float64], planted: Sequence[Labels]) -> list[list[float]]:
    """Purities of the three ways, and the best index of a level, each from fine to coarse."""
    from sklearn.metrics import adjusted_rand_score

    graph = hypcse.similarity_graph(X, bandwidth="median")
    tree = hypcse.search_tree(graph, X)
    trees = [tree, *(hypcse.methods.run(name, X) for name in WAYS[1:])]
    found = [[100 * float(hypcse.dendrogram_purity(tree, y)) for y in planted] for tree in trees]
    levels = hypcse.levels(tree, graph)
    return [*found, [max(float(adjusted_rand_score(y, one)) for one in levels) for y in planted]]


def cell(values: NDArray[np.float64]) -> str:
    """Three values and their mean."""
    digits = 1 if values.max() > 1 else 2
    return " / ".join(f"{value:.{digits}f}" for value in values) + f" ({values.mean():.{digits}f})"

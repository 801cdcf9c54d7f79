"""Structural entropy and dendrogram purity of every way to a tree."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import hypcse
from benchmarks.quality.data import KNOWN, Known, Points
from benchmarks.quality.sheet import Sheet, seconds_text

LINKAGES = ("graph-average", "graph-paris", "hcse")
FAST = "refine fast"
THOROUGH = "refine thorough"
THOROUGH_FROM_SINGLE = "thorough from single linkage on the features"


@dataclass(frozen=True)
class Found:
    """What one way came to: dendrogram purity between 0 and 1, structural entropy, seconds where they are measured."""

    purity: float
    entropy: float
    seconds: float | None = None


@dataclass(frozen=True)
class EntropyRow:
    """One data set: what each way found, and the figures from elsewhere where there are any."""

    name: str
    found: dict[str, Found]
    known: Known | None


def entropy_row(points: Points, thorough: bool = False) -> EntropyRow:
    """All ways on one data set; `thorough` adds those that take minutes on thousands of points."""
    trees = {name: hypcse.methods.run(name, graph=points.graph) for name in LINKAGES}
    found = {name: _scored(tree, points) for name, tree in trees.items()}
    start = trees["graph-average"]
    found[FAST] = _timed(points, lambda: hypcse.refine(start, points.graph), n_calls=2)
    if thorough:
        warm_up()
        starts = {THOROUGH: start, THOROUGH_FROM_SINGLE: hypcse.methods.run("single-linkage", points.X)}
        for name, tree in starts.items():
            found[name] = _thoroughly(tree, points)
    return EntropyRow(points.name, found, KNOWN.get(points.name))


def warm_up() -> None:
    """Compile or load what a thorough search uses, so that its only call is timed without that."""
    path = hypcse.Graph.from_edges([0, 1, 2], [1, 2, 3])
    hypcse.refine(hypcse.graph_linkage(path), path, effort="thorough")


def entropy_sheet(rows: Sequence[EntropyRow]) -> Sheet:
    """The rows as text."""
    ways = list(rows[0].found) if rows else []
    columns = ["data set"]
    for way in ways:
        columns += [way, "s"] if _is_timed(way) else [way]
    return Sheet(
        "Entropy",
        (*columns, "HypCSE as printed", "lowest SE before"),
        tuple(_cells(row, ways) for row in rows),
        (
            "Each cell is dendrogram purity in percent / structural entropy; s is seconds.",
            f"{FAST!r} and {THOROUGH!r} begin from graph-average. The seconds of {FAST!r} are those of a second call, "
            "those of the thorough searches of their only call, with everything compiled before.",
        ),
    )


def _cells(row: EntropyRow, ways: Sequence[str]) -> tuple[str, ...]:
    cells = [row.name]
    for way in ways:
        found = row.found[way]
        cells.append(f"{100 * found.purity:.1f} / {found.entropy:.3f}")
        cells += [seconds_text(found.seconds)] if _is_timed(way) else []
    known = row.known
    if known is None:
        return (*cells, "-", "-")
    return (*cells, f"{known.purity:.1f} / {known.entropy:.3f}", f"{known.lowest:.3f}")


def _is_timed(way: str) -> bool:
    return way not in LINKAGES


def _thoroughly(tree: hypcse.Tree, points: Points) -> Found:
    return _timed(points, lambda: hypcse.refine(tree, points.graph, effort="thorough"), n_calls=1)


def _timed(points: Points, call: Callable[[], hypcse.Tree], n_calls: int) -> Found:
    """The last of `n_calls` calls, timed and scored."""
    for _ in range(n_calls):
        began = time.perf_counter()
        tree = call()
        seconds = time.perf_counter() - began
    return _scored(tree, points, seconds)


def _scored(tree: hypcse.Tree, points: Points, seconds: float | None = None) -> Found:
    row = hypcse.score(tree, graph=points.graph, labels=points.y)
    return Found(row["dendrogram_purity"], row["structural_entropy"], seconds)

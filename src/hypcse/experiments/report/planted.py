"""What a report says about made hierarchies: where planted partitions were found, and where others found more."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hypcse.experiments.hierarchies import CASES, HIT, MAX_DEPTH, Case, level_score
from hypcse.experiments.report.blocks import Block, Entry, Grid, Heading, Text
from hypcse.experiments.report.grids import field, mark_best, metric_grid
from hypcse.experiments.results import Figure, Results, Table, Values

NEAR = 1.0
"""Percentage points within which a purity is as good as the best."""


@dataclass(frozen=True)
class _Column:
    """Means over cases: a head, and the score that a case is counted by; None leaves it out."""

    head: str
    score: Callable[[Case], str | None]


def _gaussians(score: str) -> Callable[[Case], str | None]:
    return lambda case: None if case.degrees else score


def _at(level: int) -> Callable[[Case], str | None]:
    return lambda case: None if case.degrees or level > len(case.branching) else level_score("purity", level)


_LEVELS = (
    _Column("mean", _gaussians("mean_purity")),
    _Column("level 1, coarsest", _at(1)),
    *(_Column(f"level {level}", _at(level)) for level in range(2, MAX_DEPTH + 1)),
    _Column("finest", lambda case: _at(len(case.branching))(case)),
)
_FOUND = (
    _Column("hit (percent)", _gaussians("partitions_hit")),
    _Column("best level", _gaussians("best_ari")),
    _Column("main level", _gaussians("main_ari")),
    _Column("structural entropy", _gaussians("structural_entropy")),
    _Column("hit, block model (percent)", lambda case: "partitions_hit" if case.degrees else None),
)


def planted_tables(results: Results) -> Iterator[Block]:
    """Purity by case, purity by planted level, and the planted partitions among the levels of the trees."""
    yield Heading("Purity by case (percent)", 3)
    yield Text(f"Means over the planted levels of a case and over its draws. {_standing(results)}".strip())
    yield metric_grid(results, "mean_purity", marked=True, spread=False)
    cases = _shared_cases(results)
    if not cases:
        return
    counted = "Means over the nested Gaussians; a row that lacks one of these cases, or a draw of it, has no mean."
    yield Heading("Purity by planted level (percent)", 3)
    yield Text(
        f"{counted} A level counts where a case has it, and the finest is the last that it has. The block model is "
        "left out: rows that see features alone cannot see its edges."
    )
    yield _average_grid(results, cases, _LEVELS)
    yield Heading("Planted partitions among the levels of the tree", 3)
    yield Text(
        f"{counted} A planted partition is hit where some level of `hypcse.levels` has an adjusted Rand index of at "
        f"least {HIT:g} with it. Best level: the index of the level that fits a planted partition best. Main level: "
        "that of the level to look at first, `hypcse.main_level`, with the planted partition that it fits best. "
        "Both functions were made for our own trees, and cut those of all rows. The last column is the share of "
        "`blocks-4x4`, with features."
    )
    yield _average_grid(results, cases, _FOUND)


def _standing(results: Results) -> str:
    """On which cases our own rows are behind the best, by how much, and behind whom."""
    values = results.complete("mean_purity")
    ours = {row.label: None for row in results.experiment.rows if row.refined or row.method == "hypcse"}
    return " ".join(_behind(label, values) for label in ours if values.get(label) and len(values) > 1)


def _behind(label: str, values: Values) -> str:
    best = {data: max((row[data], other) for other, row in values.items() if data in row) for data in values[label]}
    gaps = {data: top - values[label][data] for data, (top, _) in best.items()}
    lost = sorted((data for data in gaps if gaps[data] > NEAR), key=lambda data: -gaps[data])
    told = f"{label} is within {NEAR:g} point of the best row on {len(gaps) - len(lost)} of {len(gaps)} cases"
    if not lost:
        return f"{told}."
    return f"{told}; it loses more on " + ", ".join(f"{d} ({gaps[d]:.1f} to {best[d][1]})" for d in lost) + "."


def _shared_cases(results: Results) -> list[Case]:
    """Cases with records that all rows were planned for."""
    rows = {row.label for row, _ in results.planned}
    planned: dict[str, set[str]] = {}
    for row, task in results.planned:
        planned.setdefault(task.data, set()).add(row.label)
    return [CASES[data] for data in results.data_sets if planned[data] == rows and data in CASES]


def _average_grid(results: Results, cases: Sequence[Case], columns: Sequence[_Column]) -> Grid:
    """Means over cases, the best row of the first column first, the best two of each column marked."""
    labels = list(results.table("mean_purity"))
    table: Table = {label: {} for label in labels}
    metrics: dict[str, str] = {}
    for column in columns:
        scores = {case.name: score for case in cases if (score := column.score(case)) is not None}
        if scores:
            metrics[column.head] = next(iter(scores.values()))
            for label, mean in _means(results, scores).items():
                table[label][column.head] = Figure(mean, 0.0, 1)
    marks = {
        place: mark for head, metric in metrics.items() for place, mark in mark_best(table, [head], metric).items()
    }
    first = next(iter(metrics))
    rows = [
        (Entry(label), *(field(table[label].get(head), m, marks.get((label, head), "")) for head, m in metrics.items()))
        for label in sorted(labels, key=lambda label: -table[label][first].mean if first in table[label] else np.inf)
    ]
    return Grid(("", *metrics), tuple(rows))


def _means(results: Results, scores: Mapping[str, str]) -> dict[str, float]:
    """Means over cases, each by its own score, of the rows that have them all."""
    values = {score: results.complete(score) for score in scores.values()}
    found = {}
    for label in results.table(next(iter(values))):
        known = [values[score].get(label, {}).get(data, np.nan) for data, score in scores.items()]
        if np.isfinite(known).all():
            found[label] = float(np.mean(known))
    return found

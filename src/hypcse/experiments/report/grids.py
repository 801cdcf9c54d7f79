"""Figures as fields of tables, and grids of rows by data sets."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from hypcse.experiments.report.blocks import Entry, Grid, Mark
from hypcse.experiments.results import METRICS, Figure, Results, Table, best_two
from hypcse.experiments.synthetic import size_of

_SIGNS = {"reproduced": " =", "better": " +", "not reproduced": " -", None: ""}
PLACES: tuple[Mark, Mark] = ("best", "second")


def metric_grid(results: Results, metric: str, *, marked: bool, spread: bool = True) -> Grid:
    """One metric, rows by data sets: the best two of a column marked, deviations beside the means."""
    table, data_sets = results.table(metric), results.data_sets
    marks = mark_best(table, data_sets, metric) if marked and len(table) > 1 else {}
    rows = [
        (Entry(label), *(field(row.get(data), metric, marks.get((label, data), ""), spread) for data in data_sets))
        for label, row in table.items()
    ]
    return Grid(("", *map(data_head, data_sets)), tuple(rows))


def mark_best(table: Table, columns: Iterable[str], metric: str) -> dict[tuple[str, str], Mark]:
    """The marks of the best two of every column, by row and column."""
    return {
        (label, column): mark
        for column in columns
        for mark, labels in zip(PLACES, best_two(table, column, metric), strict=False)
        for label in labels
    }


def field(figure: Figure | None, metric: str, mark: Mark = "", with_deviation: bool = True) -> Entry:
    """A figure as a table shows it."""
    if figure is None:
        return Entry("-")
    digits = METRICS[metric].digits(figure.mean if figure.n_seeds else figure.paper or 0.0)
    beside = ""
    if figure.paper is not None:
        beside = f" ({_with_spread(figure.paper, figure.paper_deviation, digits)}{_SIGNS[figure.verdict]})"
    if not figure.n_seeds:
        return Entry("failed", after=beside)
    if np.isnan(figure.mean):
        return Entry("-", after=beside)
    deviation = figure.deviation if figure.n_seeds > 1 and with_deviation else None
    failed = f", {figure.n_failed} failed" if figure.n_failed else ""
    stopped = f", {figure.n_stopped} stopped" if figure.n_stopped else ""
    missing = f", {figure.n_missing} missing" if figure.n_missing else ""
    return Entry(_with_spread(figure.mean, deviation, digits), mark, f"{beside}{failed}{stopped}{missing}")


def _with_spread(value: float, deviation: float | None, digits: int) -> str:
    return f"{value:,.{digits}f}" if deviation is None else f"{value:,.{digits}f} ± {deviation:,.{digits}f}"


def data_head(data: str) -> str:
    """What a column of a data set is called: made points by their number."""
    size = size_of(data)
    return data if size is None else f"{size:,}"

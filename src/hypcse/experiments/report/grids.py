"""Grids of rows by data sets."""

from __future__ import annotations

from collections.abc import Iterable

from hypcse.experiments.report.blocks import Entry, Grid, Mark
from hypcse.experiments.report.fields import data_name, field
from hypcse.experiments.summary import Results, Table, best_two

PLACES: tuple[Mark, Mark] = ("best", "second")


def metric_grid(results: Results, metric: str, *, marked: bool, spread: bool = True) -> Grid:
    """One metric, rows by data sets: the best two of a column marked, deviations beside the means."""
    table, data_sets = results.table(metric), results.data_sets
    marks = places(table, data_sets, metric) if marked and len(table) > 1 else {}
    rows = [
        (Entry(label), *(field(row.get(data), metric, marks.get((label, data), ""), spread) for data in data_sets))
        for label, row in table.items()
    ]
    return Grid(("", *map(data_name, data_sets)), tuple(rows))


def places(table: Table, columns: Iterable[str], metric: str) -> dict[tuple[str, str], Mark]:
    """The marks of the best two of every column, by row and column."""
    return {
        (label, column): mark
        for column in columns
        for mark, labels in zip(PLACES, best_two(table, column, metric), strict=False)
        for label in labels
    }

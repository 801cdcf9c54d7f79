"""What a report is made of before it is Markdown or a page, and its tables: figures and verdicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Literal, NamedTuple

import numpy as np

from hypcse.paper.hierarchies import size_of
from hypcse.paper.report.summary import METRICS, Figure, Results, Table, best_two

Mark = Literal["", "best", "second"]
_MARKS: tuple[Mark, Mark] = ("best", "second")
_SIGNS = {"reproduced": " =", "better": " +", "not reproduced": " -", None: ""}


class Heading(NamedTuple):
    """A heading; level 1 is the report's own."""

    text: str
    level: int


class Text(NamedTuple):
    text: str


class Entry(NamedTuple):
    """One field of a grid: a text that may be marked, and one after it that is not."""

    text: str
    mark: Mark = ""
    after: str = ""


class Grid(NamedTuple):
    """A table: its heads, the first of them above the rows' names, and its rows."""

    heads: tuple[str, ...]
    rows: tuple[tuple[Entry, ...], ...]


class Picture(NamedTuple):
    name: str
    svg: str
    caption: str


Block = Heading | Text | Grid | Picture


def metric_grid(results: Results, metric: str, *, marked: bool, spread: bool = True) -> Grid:
    """One metric, rows by data sets: the best two of a column marked, deviations beside the means."""
    table, data_sets = results.table(metric), results.data_sets
    marks = mark_best(table, data_sets, metric) if marked and len(table) > 1 else {}
    rows = [
        (Entry(label), *(field(row.get(data), metric, marks.get((label, data), ""), spread) for data in data_sets))
        for label, row in table.items()
    ]
    return Grid(("", *map(data_head, data_sets)), tuple(rows))


def mean_grid(
    results: Results, columns: Mapping[str, Mapping[str, str]], *, plain: str = "", ranked: bool = False
) -> Grid:
    """Means over the cases of each column, by their metrics; a row that lacks one of them has no mean there.

    plain, ranked : a head without marks, and whether the best row of the first column comes first.
    """
    metrics = {head: next(iter(cases.values())) for head, cases in columns.items()}
    values = {
        name: results.ours(name, complete=True).to_dict("index")
        for cases in columns.values()
        for name in cases.values()
    }
    table: Table = {label: {} for label in results.table(next(iter(metrics.values())))}
    marks: dict[tuple[str, str], Mark] = {}
    for head, cases in columns.items():
        for label, row in table.items():
            means = [values[name].get(label, {}).get(case, np.nan) for case, name in cases.items()]
            if np.isfinite(means).all():
                row[head] = Figure(float(np.mean(means)), 0.0, 1)
        if head != plain:
            marks |= mark_best(table, [head], metrics[head])
    labels, first = list(table), next(iter(metrics))
    if ranked:
        labels.sort(key=lambda label: -table[label][first].mean if first in table[label] else np.inf)
    rows = [
        (Entry(label), *(field(table[label].get(head), m, marks.get((label, head), "")) for head, m in metrics.items()))
        for label in labels
    ]
    return Grid(("", *metrics), tuple(rows))


def mark_best(table: Table, columns: Iterable[str], metric: str) -> dict[tuple[str, str], Mark]:
    """The marks of the best two of every column, by row and column."""
    return {
        (label, column): mark
        for column in columns
        for mark, labels in zip(_MARKS, best_two(table, column, metric), strict=False)
        for label in labels
    }


def field(figure: Figure | None, metric: str, mark: Mark = "", with_deviation: bool = True) -> Entry:
    """A figure as a table shows it."""
    if figure is None:
        return Entry("-")
    digits = METRICS[metric].digits(figure.mean if figure.n_seeds else figure.paper or 0.0)

    def show(value: float, deviation: float | None) -> str:
        return f"{value:,.{digits}f}" if deviation is None else f"{value:,.{digits}f} ± {deviation:,.{digits}f}"

    beside = ""
    if figure.paper is not None:
        beside = f" ({show(figure.paper, figure.paper_deviation)}{_SIGNS[figure.verdict]})"
    if np.isnan(figure.mean):
        return Entry("-" if figure.n_seeds else "failed", after=beside)
    counts = {"failed": figure.n_failed, "stopped": figure.n_stopped, "missing": figure.n_missing}
    beside += "".join(f", {count} {what}" for what, count in counts.items() if count)
    return Entry(show(figure.mean, figure.deviation if figure.n_seeds > 1 and with_deviation else None), mark, beside)


def data_head(data: str) -> str:
    """What a column of a data set is called: made points by their number."""
    size = size_of(data)
    return data if size is None else f"{size:,}"


def verdicts(tables: Mapping[str, Table]) -> Iterator[Block]:
    """How often each row reproduces the paper's."""
    counts = {
        metric: {label: Counter(f.verdict for f in row.values() if f.verdict) for label, row in table.items()}
        for metric, table in tables.items()
    }
    judged = {metric: rows for metric, rows in counts.items() if any(rows.values())}
    labels = dict.fromkeys(label for rows in judged.values() for label, count in rows.items() if count)
    if not labels:
        return
    yield Heading("Verdicts: on how many data sets", 3)
    lines = [
        (label, *(", ".join(f"{n} {word}" for word, n in rows[label].most_common()) or "-" for rows in judged.values()))
        for label in labels
    ]
    yield grid_of(("", *(METRICS[metric].title for metric in judged)), lines)


def grid_of(heads: Iterable[str], lines: Iterable[Iterable[str]]) -> Grid:
    return Grid(tuple(heads), tuple(tuple(map(Entry, line)) for line in lines))

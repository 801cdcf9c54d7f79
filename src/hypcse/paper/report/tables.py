"""What a report is made of before it is Markdown or a page, and its tables: figures, verdicts, ranks, correlations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from hypcse.paper.data import size_of
from hypcse.paper.report import figures
from hypcse.paper.results.metrics import METRICS, with_capital
from hypcse.paper.results.ranks import LEVEL, Agreement, agreements, mean_ranks
from hypcse.paper.results.summary import Figure, Results, Table, best_two

Mark = Literal["", "best", "second"]
_MARKS: tuple[Mark, Mark] = ("best", "second")
_SIGNS = {"reproduced": " =", "better": " +", "not reproduced": " -", None: ""}


@dataclass(frozen=True)
class Heading:
    """A heading; level 1 is the report's own."""

    text: str
    level: int


@dataclass(frozen=True)
class Text:
    """A paragraph."""

    text: str


@dataclass(frozen=True)
class Entry:
    """One field of a grid: a text that may be marked, and one after it that is not."""

    text: str
    mark: Mark = ""
    after: str = ""


@dataclass(frozen=True)
class Grid:
    """A table: its heads, the first of them above the rows' names, and its rows."""

    heads: tuple[str, ...]
    rows: tuple[tuple[Entry, ...], ...]


@dataclass(frozen=True)
class Picture:
    """A drawing as SVG, and what it shows."""

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
    """Means over cases, the best two of each column marked; a row that lacks a case of a column has no mean there.

    columns : by head, the metric that each case is counted by.
    plain   : head of a column without marks.
    ranked  : whether the best row of the first column comes first.
    """
    metrics = {head: next(iter(cases.values())) for head, cases in columns.items()}
    values = {name: results.ours(name, complete=True) for cases in columns.values() for name in cases.values()}
    table: Table = {label: {} for label in results.table(next(iter(metrics.values())))}
    for head, cases in columns.items():
        for label, row in table.items():
            means = [values[name].get(label, {}).get(case, np.nan) for case, name in cases.items()]
            if np.isfinite(means).all():
                row[head] = Figure(float(np.mean(means)), 0.0, 1)
    marks = {
        place: mark
        for head, metric in metrics.items()
        if head != plain
        for place, mark in mark_best(table, [head], metric).items()
    }
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


def verdicts(tables: dict[str, Table]) -> Iterator[Block]:
    """How often each row reproduces the paper's."""
    judged = {
        metric: table for metric, table in tables.items() if any(f.verdict for r in table.values() for f in r.values())
    }
    labels = dict.fromkeys(
        label for table in judged.values() for label, row in table.items() if any(f.verdict for f in row.values())
    )
    if not labels:
        return
    yield Heading("Verdicts: on how many data sets", 3)
    rows = []
    for label in labels:
        fields = [Entry(label)]
        for table in judged.values():
            counts = Counter(figure.verdict for figure in table.get(label, {}).values() if figure.verdict)
            fields.append(Entry(", ".join(f"{n} {word}" for word, n in counts.most_common()) or "-"))
        rows.append(tuple(fields))
    yield Grid(("", *(METRICS[metric].title for metric in judged)), tuple(rows))


def rank_tables(results: Results) -> Iterator[Block]:
    ranked = {metric: mean_ranks(results.ours(metric), metric) for metric in results.experiment.metrics}
    known = {metric: ranks for metric, ranks in ranked.items() if ranks is not None}
    if not known:
        return
    tests = "; ".join(
        f"{METRICS[metric].phrase}: {len(ranks.mean)} rows, {ranks.n_data_sets} data sets, p = {ranks.p_value:.2g}, "
        f"critical difference {ranks.difference:.2f}"
        for metric, ranks in known.items()
    )
    yield Heading("Mean ranks over data sets", 3)
    yield Text(
        "Of rows with a figure on all data sets. A small p, by Friedman's test, says that rows are not all alike. Two "
        f"rows differ at the level {LEVEL} when their mean ranks are further apart than Nemenyi's critical difference. "
        f"{with_capital(tests)}."
    )
    order = next(iter(known.values())).mean
    labels = dict.fromkeys(label for ranks in known.values() for label in ranks.mean)
    rows = [
        (Entry(label), *(Entry(f"{ranks.mean[label]:.2f}" if label in ranks.mean else "-") for ranks in known.values()))
        for label in sorted(labels, key=lambda label: order.get(label, np.inf))
    ]
    yield Grid(("", *(METRICS[metric].title for metric in known)), tuple(rows))
    if figures.can_draw():
        for metric, ranks in known.items():
            name = f"{results.experiment.name}-ranks-{metric.replace('_', '-')}"
            caption = f"Mean ranks by {METRICS[metric].phrase}; bars join rows that do not differ."
            yield Picture(name, figures.rank_lines(name, ranks), caption)


def correlations(results: Results) -> Iterator[Block]:
    """How far metrics agree on the order of the rows, by our figures and by the paper's."""
    metrics, data_sets = results.experiment.metrics, results.data_sets
    sides = {
        "ours": agreements({metric: results.ours(metric) for metric in metrics}),
        "the paper's figures": agreements({metric: results.paper(metric) for metric in metrics}),
    }
    rows = [_correlation_row(one, side, data_sets) for side, pairs in sides.items() for one in pairs]
    if not rows:
        return
    yield Heading("Rank correlation of metrics", 3)
    yield Text(
        "Spearman's correlation over rows, the best row being first in each metric: 1 when two metrics order the rows "
        "alike. Rows count on the data sets where both metrics have a figure."
    )
    yield Grid(("", "rows", *map(data_head, data_sets), "mean"), tuple(rows))


def _correlation_row(one: Agreement, side: str, data_sets: Sequence[str]) -> tuple[Entry, ...]:
    least, most = min(one.n_rows.values()), max(one.n_rows.values())
    known = [value for value in one.correlation.values() if np.isfinite(value)]
    values = [*(one.correlation.get(data, np.nan) for data in data_sets), float(np.mean(known)) if known else np.nan]
    name = f"{with_capital(METRICS[one.first].phrase)} and {METRICS[one.second].phrase}, {side}"
    count = str(most) if least == most else f"{least} to {most}"
    return Entry(name), Entry(count), *(Entry(f"{value:.2f}" if np.isfinite(value) else "-") for value in values)

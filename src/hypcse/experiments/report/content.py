"""What a report says, made of results alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from hypcse.experiments.report import figures
from hypcse.experiments.report.blocks import Block, Entry, Grid, Heading, Picture, Text
from hypcse.experiments.report.comparison import correlations, rank_tables, verdicts
from hypcse.experiments.report.flat import flat_tables
from hypcse.experiments.report.grids import field, metric_grid
from hypcse.experiments.report.planted import planted_tables
from hypcse.experiments.report.preface import describe_runs, legend
from hypcse.experiments.results import METRICS, Results, Table, best_two
from hypcse.experiments.running import Record
from hypcse.experiments.synthetic import size_of

_NO_PLOTS = 'Plots are left out: they need matplotlib, pip install "hypcse[plot]".'


def build_report(results: Sequence[Results], title: str, source: str) -> list[Block]:
    """One report of one or several experiments; `source` says where it comes from.

    Parameters
    ----------
    results
        The experiments and their records.
    title
        Headline of the report.
    source
        Where it comes from, in words.

    Returns
    -------
    list of Block
        What `to_markdown` and `to_html` take.

    Examples
    --------
    >>> len(build_report([], "Nothing", "nowhere")) > 0
    True
    """
    shown = [one for one in results if one.found]
    blocks: list[Block] = [Heading(title, 1)]
    records = list({record["key"]: record for one in shown for record in one.found}.values())
    n_planned = len({task.key for one in results for _, task in one.planned})
    blocks += [Text(text) for text in (f"{source} {describe_runs(records, n_planned)}", *legend(shown))]
    if not figures.can_draw():
        blocks.append(Text(_NO_PLOTS))
    for one in shown:
        blocks.append(Heading(one.experiment.title, 2))
        if one.experiment.note:
            blocks.append(Text(one.experiment.note))
        blocks += _CONTENT[one.experiment.kind](one)
    return [*blocks, *_failures(records)]


def _failures(records: Sequence[Record]) -> Iterator[Block]:
    rows = [
        tuple(Entry(str(record[name])) for name in ("method", "data", "seed", "error"))
        for record in records
        if "error" in record
    ]
    if rows:
        yield Heading("Failures", 2)
        yield Grid(("method", "data", "seed", "error"), tuple(rows))


def _grids(results: Results) -> Iterator[Block]:
    for metric in results.experiment.metrics:
        yield Heading(METRICS[metric].title, 3)
        yield metric_grid(results, metric, marked=results.experiment.kind in ("table", "labelled", "few"))


def _table(results: Results) -> Iterator[Block]:
    yield from _grids(results)
    tables = {metric: results.table(metric) for metric in results.experiment.metrics}
    yield from verdicts(tables)
    yield from rank_tables(results)
    yield from correlations(results)


def _labelled(results: Results) -> Iterator[Block]:
    """Grids, and for each data set and metric who is first: with a bold figure alone a reader must search for it."""
    yield from _grids(results)
    for metric in results.experiment.metrics:
        table = results.table(metric)
        best = [
            f"{' and '.join(first[0])} on {data}"
            for data in results.data_sets
            if (first := best_two(table, data, metric))
        ]
        if best:
            yield Text(f"{METRICS[metric].title}: {'; '.join(best)} ahead.")


def _sweep(results: Results) -> Iterator[Block]:
    chosen = results.experiment
    if figures.can_draw():
        at = {row.label: row.at for row in chosen.rows if row.at is not None}
        tables = {METRICS[metric].title: results.table(metric) for metric in chosen.metrics}
        caption = f"{chosen.title}: HypCSE in paper mode, means and deviations over seeds."
        yield Picture(chosen.name, figures.curves(chosen.name, chosen.axis, at, tables), caption)
    yield from _grids(results)


def _statistics(results: Results) -> Iterator[Block]:
    metrics = results.experiment.metrics
    tables = {metric: results.table(metric) for metric in metrics}
    rows = []
    for data in results.data_sets:
        found = [next(iter(tables[metric].values())).get(data) for metric in metrics]
        rows.append((Entry(data), *map(field, found, metrics)))
    yield Grid(("", *(METRICS[metric].title for metric in metrics)), tuple(rows))


def _disk(results: Results) -> Iterator[Block]:
    if figures.can_draw():
        pictures = {record["data"]: record["picture"] for record in results.found if "picture" in record}
        name, title = results.experiment.name, results.experiment.title
        if pictures:
            yield Picture(name, figures.disks(name, pictures), f"{title}: {', '.join(pictures)}.")
    yield from _grids(results)


def _growth(results: Results) -> Iterator[Block]:
    chosen = results.experiment
    sizes = {data: size for data in results.data_sets if (size := size_of(data)) is not None}
    table = results.table("seconds")
    if figures.can_draw() and any(figure.n_seeds for row in table.values() for figure in row.values()):
        caption = "Seconds over the number of points, both axes logarithmic."
        yield Picture(chosen.name, figures.growth(chosen.name, sizes, table, "seconds"), caption)
    yield from _grids(results)
    rows = [(Entry(label), Entry(f"{slope:.2f}")) for label, slope in _slopes(sizes, table).items()]
    if rows:
        yield Heading("Exponents", 3)
        yield Text("Slope of log seconds over log points, by least squares over the larger half of the sizes.")
        yield Grid(("", "exponent"), tuple(rows))


def _slopes(sizes: dict[str, int], table: Table) -> dict[str, float]:
    large = list(sizes)[len(sizes) // 2 :]
    found = {}
    for label, row in table.items():
        known = [data for data in large if data in row and row[data].n_seeds and row[data].mean > 0]
        if len(known) > 1:
            x, y = np.log([sizes[data] for data in known]), np.log([row[data].mean for data in known])
            found[label] = float(np.polyfit(x, y, 1)[0])
    return found


_CONTENT = {
    "table": _table,
    "sweep": _sweep,
    "statistics": _statistics,
    "disk": _disk,
    "growth": _growth,
    "planted": planted_tables,
    "flat": flat_tables,
    "labelled": _labelled,
    "few": _labelled,
}

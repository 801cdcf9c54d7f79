"""What a report says, made of results alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from hypcse.experiments.report import figures
from hypcse.experiments.report.blocks import Block, Entry, Grid, Heading, Picture, Text
from hypcse.experiments.report.comparison import correlations, rank_tables, verdicts
from hypcse.experiments.report.fields import field, named
from hypcse.experiments.report.flat import flat_tables
from hypcse.experiments.report.grids import PLACES, metric_grid
from hypcse.experiments.report.planted import planted_tables
from hypcse.experiments.summary import RULE, Figure, Results, Table, best_two
from hypcse.experiments.synthetic import made_size, size_of

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
    n_planned = len({cell.key for one in results for _, cell in one.planned})
    blocks += [Text(text) for text in (f"{source} {_circumstances(records, n_planned)}", *_legend(shown))]
    if not figures.can_draw():
        blocks.append(Text(_NO_PLOTS))
    for one in shown:
        blocks.append(Heading(one.experiment.title, 2))
        if one.experiment.note:
            blocks.append(Text(one.experiment.note))
        blocks += _CONTENT[one.experiment.kind](one)
    return [*blocks, *_failures(records)]


def _failures(records: Sequence[dict[str, Any]]) -> Iterator[Block]:
    rows = [
        tuple(Entry(str(record[name])) for name in ("method", "data", "seed", "error"))
        for record in records
        if "error" in record
    ]
    if rows:
        yield Heading("Failures", 2)
        yield Grid(("method", "data", "seed", "error"), tuple(rows))


def _circumstances(records: Sequence[dict[str, Any]], n_planned: int) -> str:
    """Where and when the cells ran, and with which seeds."""
    if not records:
        return "No cell was run."
    failed = sum("error" in record for record in records)
    seconds = sum(record["seconds"] for record in records)
    time = f"{seconds / 3600:.1f} hours" if seconds > 3600 else f"{seconds:.0f} seconds"
    days = sorted({record["when"][:10] for record in records})
    versions = Counter(record["version"] for record in records)
    libraries = Counter(", ".join(f"{k} {v}" for k, v in record["libraries"].items()) for record in records)
    machines = Counter(record["machine"] for record in records)
    part = "" if len(records) == n_planned else f" of {n_planned:,} planned"
    when = days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"
    return (
        f"{len(records):,}{part} cells ({failed} failed) of hypcse {_counted(versions)}, {time} of methods "
        f"at work, {when}. Machines: {_counted(machines)}. Libraries: {_counted(libraries)}.{_seeds(records)}"
    )


def _counted(counts: Counter[str]) -> str:
    if len(counts) == 1:
        return next(iter(counts))
    return "; ".join(f"{text} ({count:,} cells)" for text, count in counts.most_common())


def _seeds(records: Sequence[dict[str, Any]]) -> str:
    """The seeds that random rows had at most, by data set."""
    seeds: dict[str, set[int]] = {}
    for record in records:
        if made_size(record["data"]) is None:
            seeds.setdefault(record["data"], set()).add(record["seed"])
    by_seeds: dict[str, list[str]] = {}
    for data, found in seeds.items():
        first, last = min(found), max(found)
        whole = len(found) == last - first + 1 > 2
        text = f"{first} to {last}" if whole else ", ".join(map(str, sorted(found)))
        by_seeds.setdefault(text, []).append(data)
    parts = [f"{text} on {', '.join(names)}" for text, names in by_seeds.items()]
    return f" Seeds at most: {'; '.join(parts)}." if parts else ""


def _legend(results: Sequence[Results]) -> Iterator[str]:
    kinds = {one.experiment.kind for one in results}
    if kinds & {"table", "sweep", "methods"}:
        yield (
            "Figures are means over seeds ± their deviation. Low entropy and cost are good, and high purity. In tables "
            "of methods the best of a column is bold and the second underlined."
        )
    elif kinds & {"planted", "flat", "labelled", "few"}:
        yield "Figures are means over seeds. The best is bold and the second underlined."
    found = [figure for one in results for figure in _all_figures(one)]
    if any(figure.verdict for figure in found):
        yield f"The paper's figure stands in brackets with = reproduced, + better, - not reproduced. {RULE}"
    elif any(figure.paper is not None for figure in found):
        yield "The paper's figure stands in brackets."


def _all_figures(results: Results) -> Iterator[Figure]:
    for metric in results.experiment.metrics:
        for row in results.table(metric).values():
            yield from row.values()


def _grids(results: Results) -> Iterator[Block]:
    for metric in results.experiment.metrics:
        yield Heading(named(metric), 3)
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
            yield Text(f"{named(metric)}: {'; '.join(best)} ahead.")


def _sweep(results: Results) -> Iterator[Block]:
    chosen = results.experiment
    if figures.can_draw():
        at = {row.label: row.at for row in chosen.rows if row.at is not None}
        tables = {named(metric): results.table(metric) for metric in chosen.metrics}
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
    yield Grid(("", *map(named, metrics)), tuple(rows))


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


def _methods(results: Results) -> Iterator[Block]:
    """Rows by metrics, on one data set; lowest entropy first."""
    (data,) = results.data_sets
    metrics = (*results.experiment.metrics, "seconds")
    tables = {metric: results.table(metric) for metric in metrics}
    marks = {
        (metric, label): mark
        for metric in results.experiment.metrics
        for mark, labels in zip(PLACES, best_two(tables[metric], data, metric), strict=False)
        for label in labels
    }
    entropy = tables["structural_entropy"]
    order = sorted(entropy, key=lambda label: np.nan_to_num(entropy[label][data].mean, nan=np.inf))
    rows = [
        (Entry(label), *(field(tables[m][label][data], m, marks.get((m, label), "")) for m in metrics))
        for label in order
    ]
    yield Grid(("", *map(named, metrics)), tuple(rows))
    yield from correlations(results)


_CONTENT = {
    "methods": _methods,
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

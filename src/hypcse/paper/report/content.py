"""What a report says, made of results alone: what ran where and when, how to read its figures, and these."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from hypcse._checks import say_count
from hypcse.paper.data import made_size, size_of
from hypcse.paper.report import figures
from hypcse.paper.report.made import flat_tables, planted_tables
from hypcse.paper.report.tables import (
    Block,
    Entry,
    Grid,
    Heading,
    Picture,
    Text,
    correlations,
    field,
    metric_grid,
    rank_tables,
    verdicts,
)
from hypcse.paper.results.metrics import METRICS, with_capital
from hypcse.paper.results.summary import RULE, Figure, Results, Table, best_two
from hypcse.paper.running.tasks import Record

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
    shown = [one for one in results if one.finished]
    blocks: list[Block] = [Heading(title, 1)]
    records = list({record["key"]: record for one in shown for record in one.finished}.values())
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
        pictures = {record["data"]: record["picture"] for record in results.finished if "picture" in record}
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


def describe_runs(records: Sequence[Record], n_planned: int) -> str:
    """How many tasks ran, where and when, and with which seeds."""
    if not records:
        return "No task was run."
    failed = sum("error" in record for record in records)
    seconds = sum(record["seconds"] for record in records)
    time = f"{seconds / 3600:.1f} hours" if seconds > 3600 else f"{seconds:.0f} seconds"
    days = sorted({record["when"][:10] for record in records})
    versions = Counter(record["version"] for record in records)
    libraries = Counter(", ".join(f"{k} {v}" for k, v in record["libraries"].items()) for record in records)
    machines = Counter(record["machine"] for record in records)
    ran = say_count(len(records), "task")
    if len(records) != n_planned:
        ran = f"{len(records):,} of {say_count(n_planned, 'planned task')}"
    when = days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"
    return (
        f"{ran}, each one method on one data set with one seed ({failed} failed): {time} of "
        f"methods at work, {when}. Version of hypcse: {_count(versions)}. Machines: {_count(machines)}. "
        f"Libraries: {_count(libraries)}.{_seeds(records)}"
    )


def _count(counts: Counter[str]) -> str:
    """Texts, and where there are several, how many tasks had which."""
    if len(counts) == 1:
        return next(iter(counts))
    return "; ".join(f"{text} ({say_count(count, 'task')})" for text, count in counts.most_common())


def _seeds(records: Sequence[Record]) -> str:
    """The seeds of methods that draw at random, by data set."""
    seeds: dict[str, set[int]] = {}
    for record in records:
        if made_size(record["data"]) is None:
            seeds.setdefault(record["data"], set()).add(record["seed"])
    by_seeds: dict[str, list[str]] = {}
    for data, found in seeds.items():
        by_seeds.setdefault(_range(found), []).append(data)
    parts = [f"{text} on {', '.join(names)}" for text, names in by_seeds.items()]
    return f" Random methods had {'; '.join(parts)}." if parts else ""


def _range(seeds: set[int]) -> str:
    """Seeds in words.

    >>> _range({0, 1, 2}), _range({3})
    ('seeds 0 to 2', 'seed 3')
    """
    first, last = min(seeds), max(seeds)
    if len(seeds) == last - first + 1 > 2:
        return f"seeds {first} to {last}"
    return f"seed{'s' if len(seeds) > 1 else ''} {' and '.join(map(str, sorted(seeds)))}"


def legend(results: Sequence[Results]) -> Iterator[str]:
    """How to read the figures."""
    kinds = {one.experiment.kind for one in results}
    if kinds & {"table", "sweep"}:
        yield (
            f"Figures are means over seeds ± their deviation. {_directions(results)} In tables of methods the best of "
            "a column is bold and the second underlined."
        )
    elif kinds & {"planted", "flat", "labelled", "few"}:
        yield "Figures are means over seeds. The best is bold and the second underlined."
    found = [figure for one in results for figure in _figures(one)]
    if any(figure.verdict for figure in found):
        yield f"The paper's figure stands in brackets with = reproduced, + better, - not reproduced. {RULE}"
    elif any(figure.paper is not None for figure in found):
        yield "The paper's figure stands in brackets."


def _directions(results: Sequence[Results]) -> str:
    """Which metrics of tables and sweeps are good when they are low, and which when they are high."""
    names = dict.fromkeys(
        name for one in results if one.experiment.kind in ("table", "sweep") for name in one.experiment.metrics
    )
    parts = [
        f"{word} is better for {' and '.join(phrases)}"
        for higher, word in ((False, "lower"), (True, "higher"))
        if (phrases := [METRICS[name].phrase for name in names if METRICS[name].higher == higher])
    ]
    return f"{with_capital(', '.join(parts))}."


def _figures(results: Results) -> Iterator[Figure]:
    for metric in results.experiment.metrics:
        for row in results.table(metric).values():
            yield from row.values()


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

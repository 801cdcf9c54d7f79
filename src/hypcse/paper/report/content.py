"""What a report says, made of results alone: what ran where and when, how to read its figures, and these."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from hypcse._checks import say_count
from hypcse.paper.hierarchies import size_of
from hypcse.paper.report import figures
from hypcse.paper.report.made import flat_tables, planted_tables
from hypcse.paper.report.ranks import correlations, rank_tables
from hypcse.paper.report.summary import METRICS, RULE, Results, best_two, with_capital
from hypcse.paper.report.tables import Block, Entry, Grid, Heading, Picture, Text, field, grid_of, metric_grid, verdicts
from hypcse.paper.running.tasks import Record


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
    records = list({record["key"]: record for one in shown for record in one.finished}.values())
    n_planned = len({task.key for one in results for _, task in one.planned})
    blocks: list[Block] = [Heading(title, 1), Text(f"{source} {describe_runs(records, n_planned)}")]
    blocks += map(Text, legend(shown))
    if not figures.can_draw():
        blocks.append(Text('Plots are left out: they need matplotlib, pip install "hypcse[plot]".'))
    for one in shown:
        blocks.append(Heading(one.experiment.title, 2))
        if one.experiment.note:
            blocks.append(Text(one.experiment.note))
        blocks += _CONTENT[one.experiment.kind](one)
    heads = ("method", "data", "seed", "error")
    failures = [[str(record[name]) for name in heads] for record in records if "error" in record]
    return [*blocks, Heading("Failures", 2), grid_of(heads, failures)] if failures else blocks


def _grids(results: Results) -> Iterator[Block]:
    for metric in results.experiment.metrics:
        yield Heading(METRICS[metric].title, 3)
        yield metric_grid(results, metric, marked=results.experiment.kind in ("table", "labelled", "few"))


def _table(results: Results) -> Iterator[Block]:
    yield from _grids(results)
    yield from verdicts({metric: results.table(metric) for metric in results.experiment.metrics})
    yield from rank_tables(results)
    yield from correlations(results)


def _labeled(results: Results) -> Iterator[Block]:
    """Grids, and for each data set and metric who is first: with a bold figure alone a reader must search for it."""
    yield from _grids(results)
    for metric in results.experiment.metrics:
        leaders = {data: best_two(results.table(metric), data, metric) for data in results.data_sets}
        best = [f"{' and '.join(places[0])} on {data}" for data, places in leaders.items() if places]
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
    """Data sets by counts: the one row of each metric, turned."""
    rows = {metric: next(iter(results.table(metric).values())) for metric in results.experiment.metrics}
    lines = [
        (Entry(data), *(field(row.get(data), metric) for metric, row in rows.items())) for data in results.data_sets
    ]
    yield Grid(("", *(METRICS[metric].title for metric in rows)), tuple(lines))


def _disk(results: Results) -> Iterator[Block]:
    name, title = results.experiment.name, results.experiment.title
    pictures = {record["data"]: record["picture"] for record in results.finished if "picture" in record}
    if figures.can_draw() and pictures:
        yield Picture(name, figures.disks(name, pictures), f"{title}: {', '.join(pictures)}.")
    yield from _grids(results)


def _growth(results: Results) -> Iterator[Block]:
    name, table = results.experiment.name, results.table("seconds")
    sizes = {data: size_of(data) or 0 for data in results.data_sets}
    if figures.can_draw() and any(figure.n_seeds for row in table.values() for figure in row.values()):
        caption = "Seconds over the number of points, both axes logarithmic."
        yield Picture(name, figures.growth(name, sizes, table, "seconds"), caption)
    yield from _grids(results)
    lines = []
    for label, row in table.items():
        large = list(sizes)[len(sizes) // 2 :]
        known = [data for data in large if data in row and row[data].n_seeds and row[data].mean > 0]
        if len(known) > 1:
            x, y = np.log([sizes[data] for data in known]), np.log([row[data].mean for data in known])
            lines.append((label, f"{np.polyfit(x, y, 1)[0]:.2f}"))
    if lines:
        yield Heading("Exponents", 3)
        yield Text("Slope of log seconds over log points, by least squares over the larger half of the sizes.")
        yield grid_of(("", "exponent"), lines)


def describe_runs(records: Sequence[Record], n_planned: int) -> str:
    if not records:
        return "No task was run."
    failed = sum("error" in record for record in records)
    seconds = sum(record["seconds"] for record in records)
    time = f"{seconds / 3600:.1f} hours" if seconds > 3600 else f"{seconds:.0f} seconds"
    days = sorted({record["when"][:10] for record in records})
    libraries = (", ".join(f"{k} {v}" for k, v in record["libraries"].items()) for record in records)
    ran = say_count(len(records), "task")
    if len(records) != n_planned:
        ran = f"{len(records):,} of {say_count(n_planned, 'planned task')}"
    when = days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"
    return (
        f"{ran}, each one method on one data set with one seed ({failed} failed): {time} of "
        f"methods at work, {when}. Version of hypcse: {_count(record['version'] for record in records)}. "
        f"Machines: {_count(record['machine'] for record in records)}. Libraries: {_count(libraries)}."
    )


def _count(texts: Iterable[str]) -> str:
    """Different texts, and if there are several, how many tasks had which."""
    counts = Counter(texts)
    if len(counts) == 1:
        return next(iter(counts))
    return "; ".join(f"{text} ({say_count(count, 'task')})" for text, count in counts.most_common())


def legend(results: Sequence[Results]) -> Iterator[str]:
    """How to read the figures, with the metrics of tables and sweeps that are good when they are low, and high."""
    kinds = {one.experiment.kind for one in results}
    if kinds & {"table", "sweep"}:
        shown = [one.experiment for one in results if one.experiment.kind in ("table", "sweep")]
        metrics = [METRICS[name] for name in dict.fromkeys(name for one in shown for name in one.metrics)]
        parts = [
            f"{word} is better for {' and '.join(phrases)}"
            for higher, word in ((False, "lower"), (True, "higher"))
            if (phrases := [metric.phrase for metric in metrics if metric.higher == higher])
        ]
        yield (
            f"Figures are means over seeds ± their deviation. {with_capital(', '.join(parts))}. In tables of methods "
            "the best of a column is bold and the second underlined."
        )
    elif kinds & {"planted", "flat", "labelled", "few"}:
        yield "Figures are means over seeds. The best is bold and the second underlined."
    rows = [row for one in results for metric in one.experiment.metrics for row in one.table(metric).values()]
    if any(figure.verdict for row in rows for figure in row.values()):
        yield f"The paper's figure stands in brackets with = reproduced, + better, - not reproduced. {RULE}"
    elif any(figure.paper is not None for row in rows for figure in row.values()):
        yield "The paper's figure stands in brackets."


_CONTENT = {
    "table": _table,
    "sweep": _sweep,
    "statistics": _statistics,
    "disk": _disk,
    "growth": _growth,
    "planted": planted_tables,
    "flat": flat_tables,
    "labelled": _labeled,
    "few": _labeled,
}

"""What a report says, made of results alone: what ran where and when, how to read its figures, and these."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from hypcse._checks import say_count
from hypcse.paper.experiments import Record, size_of
from hypcse.paper.report import figures
from hypcse.paper.report.render import Block, Entry, Grid, Heading, Mark, Text, grid_of
from hypcse.paper.report.summary import LEVEL, METRICS, RULE, Figure, Results, Table, best_two, mean_ranks, with_capital

_MARKS: tuple[Mark, Mark] = ("best", "second")
_SIGNS = {"reproduced": " =", "better": " +", "not reproduced": " -", None: ""}


def build_report(results: Sequence[Results], title: str, source: str) -> list[Block]:
    """One report of one or several experiments; `source` says in words where it comes from."""
    shown = [one for one in results if one.finished]
    records = list({record["key"]: record for one in shown for record in one.finished}.values())
    n_planned = len({task.key for one in results for _, task in one.planned})
    blocks: list[Block] = [Heading(title, 1), Text(f"{source} {_describe_runs(records, n_planned)}")]
    blocks += map(Text, _legend(shown))
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


def _describe_runs(records: Sequence[Record], n_planned: int) -> str:
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


def _legend(results: Sequence[Results]) -> Iterator[str]:
    """How to read the figures, with the metrics of tables and sweeps that are good when they are low, and high."""
    shown = [one.experiment for one in results if one.experiment.kind in ("table", "sweep")]
    if shown:
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
    elif any(one.experiment.kind in ("labelled", "few") for one in results):
        yield "Figures are means over seeds. The best is bold and the second underlined."
    rows = [row for one in results for metric in one.experiment.metrics for row in one.table(metric).values()]
    if any(figure.verdict for row in rows for figure in row.values()):
        yield f"The paper's figure stands in brackets with = reproduced, + better, - not reproduced. {RULE}"
    elif any(figure.paper is not None for row in rows for figure in row.values()):
        yield "The paper's figure stands in brackets."


def _grids(results: Results) -> Iterator[Block]:
    for metric in results.experiment.metrics:
        yield Heading(METRICS[metric].title, 3)
        yield _metric_grid(results, metric, marked=results.experiment.kind in ("table", "labelled", "few"))


def _metric_grid(results: Results, metric: str, *, marked: bool) -> Grid:
    """One metric, rows by data sets: the best two of a column marked, deviations beside the means."""
    table, data_sets = results.table(metric), results.data_sets
    marks = {
        (label, data): mark
        for data in (data_sets if marked and len(table) > 1 else ())
        for mark, labels in zip(_MARKS, best_two(table, data, metric), strict=False)
        for label in labels
    }
    rows = [
        (Entry(label), *(_entry(row.get(data), metric, marks.get((label, data), "")) for data in data_sets))
        for label, row in table.items()
    ]
    # Made points are named by their number.
    heads = (data if (size := size_of(data)) is None else f"{size:,}" for data in data_sets)
    return Grid(("", *heads), tuple(rows))


def _entry(figure: Figure | None, metric: str, mark: Mark = "") -> Entry:
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
    return Entry(show(figure.mean, figure.deviation if figure.n_seeds > 1 else None), mark, beside)


def _table(results: Results) -> Iterator[Block]:
    yield from _grids(results)
    yield from _verdicts({metric: results.table(metric) for metric in results.experiment.metrics})
    yield from _ranks(results)


def _verdicts(tables: Mapping[str, Table]) -> Iterator[Block]:
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


def _ranks(results: Results) -> Iterator[Block]:
    """Mean ranks by each metric, if enough rows have figures on enough data sets."""
    ranked = {metric: mean_ranks(results.means(metric), metric) for metric in results.experiment.metrics}
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
    lines = [
        (label, *(f"{ranks.mean[label]:.2f}" if label in ranks.mean else "-" for ranks in known.values()))
        for label in sorted(labels, key=lambda label: order.get(label, np.inf))
    ]
    yield grid_of(("", *(METRICS[metric].title for metric in known)), lines)


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
    at = {row.label: row.at for row in chosen.rows if row.at is not None}
    tables = {METRICS[metric].title: results.table(metric) for metric in chosen.metrics}
    caption = f"{chosen.title}: HypCSE in paper mode, means and deviations over seeds."
    yield from figures.picture(chosen.name, caption, figures.curves, chosen.axis, at, tables)
    yield from _grids(results)


def _statistics(results: Results) -> Iterator[Block]:
    """Data sets by counts: the one row of each metric, turned."""
    rows = {metric: next(iter(results.table(metric).values())) for metric in results.experiment.metrics}
    lines = [
        (Entry(data), *(_entry(row.get(data), metric) for metric, row in rows.items())) for data in results.data_sets
    ]
    yield Grid(("", *(METRICS[metric].title for metric in rows)), tuple(lines))


def _disk(results: Results) -> Iterator[Block]:
    pictures = {record["data"]: record["picture"] for record in results.finished if "picture" in record}
    if pictures:
        caption = f"{results.experiment.title}: {', '.join(pictures)}."
        yield from figures.picture(results.experiment.name, caption, figures.disks, pictures)
    yield from _grids(results)


def _growth(results: Results) -> Iterator[Block]:
    table, sizes = results.table("seconds"), {data: size_of(data) or 0 for data in results.data_sets}
    if any(figure.n_seeds for row in table.values() for figure in row.values()):
        caption = "Seconds over the number of points, both axes logarithmic."
        yield from figures.picture(results.experiment.name, caption, figures.growth, sizes, table, "seconds")
    yield from _grids(results)
    large, lines = list(sizes)[len(sizes) // 2 :], []
    for label, row in table.items():
        known = [data for data in large if data in row and row[data].n_seeds and row[data].mean > 0]
        if len(known) > 1:
            x, y = np.log([sizes[data] for data in known]), np.log([row[data].mean for data in known])
            lines.append((label, f"{np.polyfit(x, y, 1)[0]:.2f}"))
    if lines:
        yield Heading("Exponents", 3)
        yield Text("Slope of log seconds over log points, by least squares over the larger half of the sizes.")
        yield grid_of(("", "exponent"), lines)


_CONTENT = {
    "table": _table,
    "sweep": _sweep,
    "statistics": _statistics,
    "disk": _disk,
    "growth": _growth,
    "labelled": _labeled,
    "few": _labeled,
}

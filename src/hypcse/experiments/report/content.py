"""What a report says, made of results alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from hypcse.experiments.ranks import LEVEL, Agreement, agreements, mean_ranks
from hypcse.experiments.report import figures
from hypcse.experiments.report.blocks import Block, Entry, Grid, Heading, Mark, Picture, Text
from hypcse.experiments.summary import RULE, Figure, Results, Table, best_two, digits
from hypcse.experiments.synthetic import size_of

_SIGNS = {"reproduced": " =", "better": " +", "not reproduced": " -", None: ""}
_NO_PLOTS = 'Plots are left out: they need matplotlib, pip install "hypcse[plot]".'


def build_report(results: Sequence[Results], title: str, source: str) -> list[Block]:
    """One report of one or several experiments; `source` says where it comes from."""
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
    return blocks


def _circumstances(records: Sequence[dict[str, Any]], n_planned: int) -> str:
    """Where and when the cells ran, and with which seeds."""
    if not records:
        return "No cell was run."
    failed = sum("error" in record for record in records)
    hours = sum(record["seconds"] for record in records) / 3600
    days = sorted({record["when"][:10] for record in records})
    versions = Counter(record["version"] for record in records)
    libraries = Counter(", ".join(f"{k} {v}" for k, v in record["libraries"].items()) for record in records)
    machines = Counter(record["machine"] for record in records)
    part = "" if len(records) == n_planned else f" of {n_planned:,} planned"
    when = days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"
    return (
        f"{len(records):,}{part} cells ({failed} failed) of hypcse {_counted(versions)}, {hours:.1f} hours of methods "
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
        if size_of(record["data"]) is None:
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
    if kinds & {"table", "sweep"}:
        yield (
            "Figures are means over seeds ± their deviation. Low entropy and cost are good, and high purity. In tables "
            "of methods the best of a column is bold and the second underlined."
        )
    if any(figure.verdict for one in results for figure in _all_figures(one)):
        yield f"The paper's figure stands in brackets with = reproduced, + better, - not reproduced. {RULE}"


def _all_figures(results: Results) -> Iterator[Figure]:
    for metric in results.experiment.metrics:
        for row in results.table(metric).values():
            yield from row.values()


_NAMES = {
    "dendrogram_purity": "Dendrogram purity (percent)",
    "dasgupta_cost": "Dasgupta's cost",
    "peak_mb": "Peak memory (MB)",
}


def _named(metric: str) -> str:
    return _NAMES.get(metric, metric.replace("_", " ").capitalize())


def _lower(metric: str) -> str:
    name = _named(metric)
    return name if name.startswith("Dasgupta") else name[0].lower() + name[1:]


def _field(figure: Figure | None, metric: str, mark: Mark = "") -> Entry:
    """A figure as a table shows it."""
    if figure is None:
        return Entry("-")
    places = digits(figure.mean if figure.n_seeds else figure.paper or 0.0, metric)
    beside = "" if figure.paper is None else f" ({figure.paper:,.{places}f}{_SIGNS[figure.verdict]})"
    if not figure.n_seeds:
        return Entry("failed", after=beside)
    if np.isnan(figure.mean):
        return Entry("-", after=beside)
    spread = f" ± {figure.deviation:,.{places}f}" if figure.n_seeds > 1 else ""
    failed = f", {figure.n_failed} failed" if figure.n_failed else ""
    stopped = f", {figure.n_stopped} stopped" if figure.n_stopped else ""
    missing = f", {figure.n_missing} missing" if figure.n_missing else ""
    return Entry(f"{figure.mean:,.{places}f}{spread}", mark, f"{beside}{failed}{stopped}{missing}")


def _grid(results: Results, metric: str) -> Grid:
    table, data_sets = results.table(metric), results.data_sets
    marks: dict[tuple[str, str], Mark] = {}
    if len(table) > 1 and results.experiment.kind == "table":
        for data in data_sets:
            best, *second = best_two(table, data, metric) or [[]]
            marks |= {(label, data): "best" for label in best}
            marks |= {(label, data): "second" for labels in second for label in labels}
    rows = [
        (Entry(label), *(_field(row.get(data), metric, marks.get((label, data), "")) for data in data_sets))
        for label, row in table.items()
    ]
    return Grid(("", *map(_data_name, data_sets)), tuple(rows))


def _data_name(data: str) -> str:
    size = size_of(data)
    return data if size is None else f"{size:,}"


def _grids(results: Results) -> Iterator[Block]:
    for metric in results.experiment.metrics:
        yield Heading(_named(metric), 3)
        yield _grid(results, metric)


def _table(results: Results) -> Iterator[Block]:
    yield from _grids(results)
    tables = {metric: results.table(metric) for metric in results.experiment.metrics}
    yield from _verdicts(tables)
    yield from _rank_tables(results)
    yield from _correlations(results)


def _verdicts(tables: dict[str, Table]) -> Iterator[Block]:
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
    yield Grid(("", *(_named(metric) for metric in judged)), tuple(rows))


def _rank_tables(results: Results) -> Iterator[Block]:
    ranked = {metric: mean_ranks(results.ours(metric), metric) for metric in results.experiment.metrics}
    known = {metric: ranks for metric, ranks in ranked.items() if ranks is not None}
    if not known:
        return
    tests = "; ".join(
        f"{_lower(metric)}: {len(ranks.mean)} rows, {ranks.n_data_sets} data sets, p = {ranks.p_value:.2g}, critical "
        f"difference {ranks.difference:.2f}"
        for metric, ranks in known.items()
    )
    yield Heading("Mean ranks over data sets", 3)
    yield Text(
        "Of rows with a figure on all data sets. A small p, by Friedman's test, says that rows are not all alike. Two "
        f"rows differ at the level {LEVEL} when their mean ranks are further apart than Nemenyi's critical difference. "
        f"{tests[0].upper()}{tests[1:]}."
    )
    order = next(iter(known.values())).mean
    labels = dict.fromkeys(label for ranks in known.values() for label in ranks.mean)
    rows = [
        (Entry(label), *(Entry(f"{ranks.mean[label]:.2f}" if label in ranks.mean else "-") for ranks in known.values()))
        for label in sorted(labels, key=lambda label: order.get(label, np.inf))
    ]
    yield Grid(("", *(_named(metric) for metric in known)), tuple(rows))
    if figures.can_draw():
        for metric, ranks in known.items():
            drawn = f"{results.experiment.name}-ranks-{metric.replace('_', '-')}"
            caption = f"Mean ranks by {_lower(metric)}; bars join rows that do not differ."
            yield Picture(drawn, figures.rank_lines(drawn, ranks), caption)


def _correlations(results: Results) -> Iterator[Block]:
    """How far metrics agree on the order of the rows, by our figures and by the paper's."""
    metrics, data_sets = results.experiment.metrics, results.data_sets
    sides = {
        "ours": agreements({metric: results.ours(metric) for metric in metrics}),
        "the paper's figures": agreements({metric: results.paper(metric) for metric in metrics}),
    }
    rows = [_correlation_row(one, side, data_sets) for side, found in sides.items() for one in found]
    if not rows:
        return
    yield Heading("Rank correlation of metrics", 3)
    yield Text(
        "Spearman's correlation over rows, the best row being first in each metric: 1 when two metrics order the rows "
        "alike. Rows count on the data sets where both metrics have a figure."
    )
    yield Grid(("", "rows", *map(_data_name, data_sets), "mean"), tuple(rows))


def _correlation_row(one: Agreement, side: str, data_sets: Sequence[str]) -> tuple[Entry, ...]:
    least, most = min(one.n_rows.values()), max(one.n_rows.values())
    known = [value for value in one.correlation.values() if np.isfinite(value)]
    found = [*(one.correlation.get(data, np.nan) for data in data_sets), float(np.mean(known)) if known else np.nan]
    name = f"{_named(one.first)} and {_lower(one.second)}, {side}".replace(" (percent)", "")
    count = str(most) if least == most else f"{least} to {most}"
    return Entry(name), Entry(count), *(Entry(f"{value:.2f}" if np.isfinite(value) else "-") for value in found)


def _sweep(results: Results) -> Iterator[Block]:
    chosen = results.experiment
    if figures.can_draw():
        at = {row.label: row.at for row in chosen.rows if row.at is not None}
        tables = {_named(metric): results.table(metric) for metric in chosen.metrics}
        caption = f"{chosen.title}: HypCSE in paper mode, means and deviations over seeds."
        yield Picture(chosen.name, figures.curves(chosen.name, chosen.axis, at, tables), caption)
    yield from _grids(results)


def _statistics(results: Results) -> Iterator[Block]:
    metrics = results.experiment.metrics
    tables = {metric: results.table(metric) for metric in metrics}
    rows = []
    for data in results.data_sets:
        found = [next(iter(tables[metric].values())).get(data) for metric in metrics]
        rows.append((Entry(data), *map(_field, found, metrics)))
    yield Grid(("", *map(_named, metrics)), tuple(rows))


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


_CONTENT = {"table": _table, "sweep": _sweep, "statistics": _statistics, "disk": _disk, "growth": _growth}

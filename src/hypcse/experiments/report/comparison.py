"""What a table of methods says as a whole: verdicts, ranks, and how far metrics agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from hypcse.experiments.report import figures
from hypcse.experiments.report.blocks import Block, Entry, Grid, Heading, Picture, Text
from hypcse.experiments.report.grids import data_head
from hypcse.experiments.results import METRICS, Agreement, Results, Table, agreements, mean_ranks
from hypcse.experiments.results.metrics import with_capital
from hypcse.experiments.results.ranks import LEVEL


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
    rows = [_correlation_row(one, side, data_sets) for side, found in sides.items() for one in found]
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
    found = [*(one.correlation.get(data, np.nan) for data in data_sets), float(np.mean(known)) if known else np.nan]
    name = f"{with_capital(METRICS[one.first].phrase)} and {METRICS[one.second].phrase}, {side}"
    count = str(most) if least == most else f"{least} to {most}"
    return Entry(name), Entry(count), *(Entry(f"{value:.2f}" if np.isfinite(value) else "-") for value in found)

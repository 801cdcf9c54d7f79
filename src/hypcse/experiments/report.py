"""Tables of results, beside the paper's figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from hypcse.experiments.declared import Experiment
from hypcse.experiments.printed import printed

_PERCENT = ("dendrogram_purity",)


@dataclass(frozen=True)
class Figure:
    """What a row came to on a data set: mean and deviation over the seeds, and the paper's figure."""

    mean: float
    deviation: float
    n_seeds: int
    n_failed: int
    seconds: float
    paper: float | None

    def text(self) -> str:
        """As a table shows it."""
        if not self.n_seeds:
            return "failed" if self.n_failed else "-"
        digits = 1 if self.mean > 10 else 3
        spread = f" ± {self.deviation:.{digits}f}" if self.n_seeds > 1 else ""
        beside = "" if self.paper is None else f" ({self.paper:g})"
        failed = f", {self.n_failed} failed" if self.n_failed else ""
        return f"{self.mean:.{digits}f}{spread}{beside}{failed}"


Table = dict[str, dict[str, Figure]]
"""Figures by the row's label and by the data set."""


def summarize(experiment: Experiment, records: Sequence[dict[str, Any]], metric: str) -> Table:
    """The table of one metric."""
    table: Table = {}
    for row in experiment.rows:
        table[row.label] = {}
        for data in experiment.data_sets:
            found = [record for record in records if (record["row"], record["data"]) == (row.label, data)]
            if found:
                source = "table5" if metric == "dasgupta_cost" else experiment.table
                beside = printed(source, metric, row.printed or "", data)
                table[row.label][data] = _figure(found, metric, beside)
    return table


def _figure(records: Sequence[dict[str, Any]], metric: str, paper: float | None) -> Figure:
    good = [record for record in records if "error" not in record]
    values = np.array([record["scores"][metric] for record in good], dtype=float)
    if metric in _PERCENT:
        values = 100 * values
    mean, deviation = (float(values.mean()), float(values.std())) if good else (np.nan, np.nan)
    seconds = float(np.mean([record["seconds"] for record in good])) if good else np.nan
    return Figure(mean, deviation, len(good), len(records) - len(good), seconds, paper)


def to_markdown(experiment: Experiment, records: Sequence[dict[str, Any]]) -> str:
    """All metrics as Markdown tables: mean ± deviation over the seeds, the paper's figure in brackets."""
    parts = [f"## {experiment.title}"]
    for metric in experiment.metrics:
        table = summarize(experiment, records, metric)
        data_sets = [data for data in experiment.data_sets if any(data in row for row in table.values())]
        unit = " (percent)" if metric in _PERCENT else ""
        lines = [f"### {metric.replace('_', ' ').capitalize()}{unit}", ""]
        lines += ["| | " + " | ".join(data_sets) + " |", "| --- |" + " --- |" * len(data_sets)]
        for label, row in table.items():
            texts = [row[data].text() if data in row else "-" for data in data_sets]
            lines.append(f"| {label} | " + " | ".join(texts) + " |")
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def to_html(experiment: Experiment, records: Sequence[dict[str, Any]]) -> str:
    """All metrics as one page that needs nothing from elsewhere; the best figure of a column is bold, the second
    underlined."""
    parts = [f"<h1>{escape(experiment.title)}</h1>"]
    for metric in experiment.metrics:
        table = summarize(experiment, records, metric)
        data_sets = [data for data in experiment.data_sets if any(data in row for row in table.values())]
        heads = "".join(f"<th>{escape(data)}</th>" for data in data_sets)
        lines = [f"<h2>{escape(metric.replace('_', ' ').capitalize())}</h2>", f"<table><tr><th></th>{heads}</tr>"]
        marks = {data: _marks(table, data, metric) for data in data_sets}
        for label, row in table.items():
            cells = "".join(_html_cell(row.get(data), marks[data].get(label)) for data in data_sets)
            lines.append(f"<tr><th>{escape(label)}</th>{cells}</tr>")
        parts.append("\n".join([*lines, "</table>"]))
    return _PAGE.replace("{title}", escape(experiment.title)).replace("{body}", "\n".join(parts))


def _marks(table: Table, data: str, metric: str) -> dict[str, str]:
    """The tag of the best row of a column and that of the second."""
    good = {label: row[data].mean for label, row in table.items() if data in row and row[data].n_seeds}
    order = sorted(good, key=lambda label: good[label], reverse=metric in _PERCENT)
    return dict(zip(order, ("b", "u"), strict=False))


def _html_cell(figure: Figure | None, tag: str | None) -> str:
    text = escape("-" if figure is None else figure.text())
    return f"<td>{f'<{tag}>{text}</{tag}>' if tag else text}</td>"


_PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{title}</title>
<style>
:root { color-scheme: light dark }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem }
table { border-collapse: collapse; display: block; overflow-x: auto }
td, th { border-bottom: 1px solid #8884; padding: .3rem .8rem; text-align: right; white-space: nowrap }
th:first-child { text-align: left }
</style>
{body}
</html>
"""

"""How figures and names are written in reports."""

from __future__ import annotations

import numpy as np

from hypcse.experiments.report.blocks import Entry, Mark
from hypcse.experiments.summary import Figure, digits
from hypcse.experiments.synthetic import size_of

_SIGNS = {"reproduced": " =", "better": " +", "not reproduced": " -", None: ""}
_NAMES = {
    "dendrogram_purity": "Dendrogram purity (percent)",
    "dasgupta_cost": "Dasgupta's cost",
    "peak_mb": "Peak memory (MB)",
    "accuracy": "Accuracy (percent), random splits",
    "accuracy_stratified": "Accuracy (percent), stratified splits",
    "accuracy_1": "Accuracy (percent), 1 label per class",
    "accuracy_5": "Accuracy (percent), 5 labels per class",
    "accuracy_20": "Accuracy (percent), 20 labels per class",
}


def named(metric: str) -> str:
    return _NAMES.get(metric, metric.replace("_", " ").capitalize())


def in_text(metric: str) -> str:
    name = named(metric)
    return name if name.startswith("Dasgupta") else name[0].lower() + name[1:]


def field(figure: Figure | None, metric: str, mark: Mark = "", with_deviation: bool = True) -> Entry:
    """A figure as a table shows it."""
    if figure is None:
        return Entry("-")
    places = digits(figure.mean if figure.n_seeds else figure.paper or 0.0, metric)
    beside = ""
    if figure.paper is not None:
        beside = f" ({_with_spread(figure.paper, figure.paper_deviation, places)}{_SIGNS[figure.verdict]})"
    if not figure.n_seeds:
        return Entry("failed", after=beside)
    if np.isnan(figure.mean):
        return Entry("-", after=beside)
    deviation = figure.deviation if figure.n_seeds > 1 and with_deviation else None
    failed = f", {figure.n_failed} failed" if figure.n_failed else ""
    stopped = f", {figure.n_stopped} stopped" if figure.n_stopped else ""
    missing = f", {figure.n_missing} missing" if figure.n_missing else ""
    return Entry(_with_spread(figure.mean, deviation, places), mark, f"{beside}{failed}{stopped}{missing}")


def _with_spread(value: float, deviation: float | None, places: int) -> str:
    return f"{value:,.{places}f}" if deviation is None else f"{value:,.{places}f} ± {deviation:,.{places}f}"


def data_name(data: str) -> str:
    size = size_of(data)
    return data if size is None else f"{size:,}"

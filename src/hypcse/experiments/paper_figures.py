"""The figures that the paper prints."""

from __future__ import annotations

import math
import tomllib
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def _tables() -> dict[str, Any]:
    return tomllib.loads(files("hypcse.experiments").joinpath("printed.toml").read_text(encoding="utf-8"))


def read_printed(table: str, metric: str, row: str, data: str) -> float | None:
    """A figure of the paper, or None where it prints none; purities are in percent.

    Parameters
    ----------
    table
        Such as table1.
    metric
        Name of a score.
    row
        The paper's row.
    data
        A data set.

    Returns
    -------
    float or None
        The figure.

    Examples
    --------
    >>> read_printed("table1", "dendrogram_purity", "hypcse", "iris")
    95.1
    >>> read_printed("table3", "accuracy", "hypcse", "glass")
    54.7
    """
    tables = _tables()
    figures = tables.get(table, {}).get(metric, {}).get(row)
    order = tables.get(table, {}).get("datasets", tables["datasets"])
    if figures is None or data not in order or order.index(data) >= len(figures):
        return None
    figure = float(figures[order.index(data)])
    return None if math.isnan(figure) else figure


def paper_data_sets() -> tuple[str, ...]:
    """The seven data sets, in the order of the paper's tables."""
    return tuple(_tables()["datasets"])

"""What the authors published: the settings in their released code, and the figures that the paper prints."""

from __future__ import annotations

import math
import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

from hypcse._checks import did_you_mean
from hypcse.storage.options import nest_options


@cache
def _published() -> dict[str, Any]:
    return tomllib.loads(files("hypcse.paper").joinpath("printed.toml").read_text(encoding="utf-8"))


def authors_options(name: str) -> dict[str, Any]:
    """The authors' values for one data set, all by their plain names."""
    settings = _published()["settings"]
    if name not in paper_data_sets():
        guess, known = did_you_mean(name, paper_data_sets()), ", ".join(paper_data_sets())
        raise ValueError(f"the authors have no settings for {name!r}.{guess} There are some for {known}.")
    return {**settings["common"], **settings[name]}


def paper_settings(name: str) -> dict[str, Any]:
    """The authors' values for one data set, as keywords; neither preset nor random_state is among them.

    Where the paper's text and the released code differ (pen-digits: t1 = 1 and an MLP in print), these are the code's,
    which made the tables.

    Parameters
    ----------
    name
        A data set of the paper.

    Returns
    -------
    dict
        Keywords of `HypCSE`, `training` among them.

    Examples
    --------
    >>> paper_settings("iris")["cse_temperature"]
    1000.0
    """
    from hypcse.neural.hypcse import HypCSE

    return nest_options(HypCSE, authors_options(name))


def read_printed(table: str, metric: str, row: str, data: str) -> float | None:
    """A figure of the paper, or None if it prints none; purities are in percent."""
    tables = _published()
    figures = tables.get(table, {}).get(metric, {}).get(row, [])
    order = tables.get(table, {}).get("datasets", tables["datasets"])
    figure = float(dict(zip(order, figures, strict=False)).get(data, math.nan))
    return None if math.isnan(figure) else figure


def paper_data_sets() -> tuple[str, ...]:
    """The seven data sets, in the order of the paper's tables."""
    return tuple(_published()["datasets"])

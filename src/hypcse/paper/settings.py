"""What the authors published: the settings in their released code, and the figures that the paper prints."""

from __future__ import annotations

import math
import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

from hypcse._checks import did_you_mean
from hypcse.storage.options import nest_options

# In common: 200 epochs, weight decay 5e-4, tau 0.9999, loss weights of 1, k = 10, subgraphs of 2048 from 10 seeds.
_COMMON: dict[str, Any] = {
    "n_epochs": 200,
    "weight_decay": 5e-4,
    "anchor_decay": 0.9999,
    "contrast_weight": 1.0,
    "centroid_weight": 1.0,
    "n_neighbors": 10,
    "batch_size": 2048,
    "n_seeds": 10,
}
_COLUMNS = (
    "learning_rate",
    "embed_dim",
    "hidden_dim",
    "projection_dim",
    "dropout",
    "cse_temperature",
    "contrast_temperature",
    "learner_neighbors",
    "learner",
    "learner_similarity",
    "mask_learner",
    "mask_anchor",
    "edge_drop",
    "encode_on",
    "select_on",
)
_ROWS: dict[str, tuple[Any, ...]] = {
    "zoo": (3e-4, 16, 256, 16, 0.2, 1000.0, 1.0, 15, "gcn", "cosine", 0.05, 0.05, 0.3, "raw", "complete"),
    "iris": (3e-4, 16, 128, 16, 0.4, 1000.0, 1.0, 20, "gcn", "cosine", 0.1, 0.3, 0.5, "normalised", "sparse"),
    "wine": (3e-3, 128, 64, 128, 0.2, 1000.0, 1.0, 20, "gcn", "cosine", 0.05, 0.0, 0.1, "raw", "complete"),
    "breast-cancer": (5e-2, 3, 256, 3, 0.4, 1000.0, 1.0, 15, "gcn", "cosine", 0.5, 0.0, 0.3, "anchor", "complete"),
    "optical-digits": (3e-4, 16, 256, 16, 0.0, 1e3, 1.0, 40, "mlp", "gaussian", 0.3, 0.05, 0.1, "anchor", "complete"),
    "spambase": (3e-3, 4, 128, 4, 0.2, 1000.0, 1.0, 20, "mlp", "gaussian", 0.5, 0.5, 0.1, "normalised", "complete"),
    "pen-digits": (3e-4, 16, 128, 16, 0.2, 0.1, 1000.0, 20, "gcn", "gaussian", 0.3, 0.0, 0.1, "anchor", "complete"),
}  # fmt: skip


def authors_options(name: str) -> dict[str, Any]:
    """The authors' values for one data set, all by their plain names."""
    if name not in _ROWS:
        guess = did_you_mean(name, _ROWS)
        raise ValueError(f"the authors have no settings for {name!r}.{guess} There are some for {', '.join(_ROWS)}.")
    return {**_COMMON, **dict(zip(_COLUMNS, _ROWS[name], strict=True))}


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


@cache
def _tables() -> dict[str, Any]:
    return tomllib.loads(files("hypcse.paper").joinpath("printed.toml").read_text(encoding="utf-8"))


def read_printed(table: str, metric: str, row: str, data: str) -> float | None:
    """A figure of the paper, or None if it prints none; purities are in percent.

    >>> read_printed("table1", "dendrogram_purity", "hypcse", "iris")
    95.1
    """
    tables = _tables()
    figures = tables.get(table, {}).get(metric, {}).get(row, [])
    order = tables.get(table, {}).get("datasets", tables["datasets"])
    figure = float(dict(zip(order, figures, strict=False)).get(data, math.nan))
    return None if math.isnan(figure) else figure


def paper_data_sets() -> tuple[str, ...]:
    """The seven data sets, in the order of the paper's tables."""
    return tuple(_tables()["datasets"])

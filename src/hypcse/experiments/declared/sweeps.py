"""Sensitivity of HypCSE to its options, one at a time."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypcse.experiments.declared.model import Experiment
from hypcse.experiments.declared.rows import (
    ALL_BUT_PEN_DIGITS,
    PURITY_AND_ENTROPY,
    SMALL,
    hypcse_row,
)

_STANDARD_NEIGHBORS = 10


def _sweep(
    name: str, symbol: str, option: str, values: tuple[float, ...], data_sets: tuple[str, ...], note: str = ""
) -> Experiment:
    """HypCSE in paper mode with one option at several values."""
    rows = []
    for value in values:
        given: dict[str, Any] = {option: value}
        row = hypcse_row(f"{symbol} = {value:g}", paper=True, **given)
        neighbors = int(value) if option == "n_neighbors" and value != _STANDARD_NEIGHBORS else None
        rows.append(replace(row, at=float(value), neighbors=neighbors))
    about = f"Three seeds, one on spambase. The paper prints neither figures nor its grid; the values are ours. {note}"
    title = f"Sensitivity to {symbol}"
    return Experiment(
        name, title, tuple(rows), PURITY_AND_ENTROPY, data_sets, "none", 3, 1, "sweep", symbol, about.strip()
    )


SWEEPS = (
    _sweep(
        "tau",
        "tau",
        "anchor_decay",
        (0.9, 0.99, 0.999, 0.9999, 1.0),
        ALL_BUT_PEN_DIGITS,
        "With 1 the anchor graph is never renewed.",
    ),
    _sweep("eta1", "eta_1", "contrast_weight", (0.01, 0.1, 1.0, 10.0, 100.0), ALL_BUT_PEN_DIGITS),
    _sweep(
        "k",
        "k",
        "n_neighbors",
        (5, 10, 15, 20, 30),
        ALL_BUT_PEN_DIGITS,
        "The encoder sees the graph of k neighbours; entropy is taken on the standard graph of 10.",
    ),
    _sweep(
        "t1",
        "t_1",
        "cse_temperature",
        (1.0, 10.0, 100.0, 1e3, 1e4),
        SMALL,
        "There is no sweep of r_1: it is added to every term of the softmax of Eq. (9), and cancels.",
    ),
    _sweep(
        "t2",
        "t_2",
        "contrast_temperature",
        (0.1, 1.0, 10.0, 100.0, 1e3),
        SMALL,
        "There is no sweep of r_2: it is added to every term of the softmax of Eq. (15), and cancels.",
    ),
)

"""The options of training: the parameters of `HypCSE` that are set, else the values of a preset."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from hypcse._choices import Preset
from hypcse.neural.training.config import HINTS, TrainingConfig

# What a preset fills in for parameters that are None. Others keep the defaults of the configuration.
PRESETS: dict[Preset, dict[str, Any]] = {
    "default": {"decoder": "graph", "refine": True, "n_epochs": "auto"},
    "paper": {
        "decoder": "single",
        "refine": False,
        "n_epochs": 200,
        "evaluate_every": 1,
        "include_positive": False,
        "rescale_inserted": False,
        "cse_temperature": 1000.0,
        "select_on": "complete",
    },
}
# The same for `HypCSEClassifier`, which has no presets.
CLASSIFIER: dict[str, Any] = {
    "dropout": 0.0,
    "edge_drop": 0.0,
    "mask_anchor": 0.0,
    "contrast_weight": 0.0,
    "learn_graph": False,
}
# Epochs of "auto", and its patience: so many steps, each over one subgraph, the epochs within these limits. On the
# seven sets later epochs hardly lower the entropy of decoded trees, and not that of answers.
AUTO_STEPS, AUTO_LIMITS, AUTO_PATIENCE = 30, (2, 30), 10


def fill_options(defaults: Mapping[str, Any], parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The options of training and `refine`: the parameters that are set, else the defaults, those of a preset say."""
    names = (*HINTS, "refine")
    return {**defaults, **{name: value for name, value in parameters.items() if name in names and value is not None}}


def count_epochs(options: dict[str, Any], n_points: int) -> dict[str, Any]:
    """The options with "auto" epochs as a number: a bounded number of steps for any size.

    Every epoch is then evaluated, which is cheap compared to it, and training ends when evaluations stop improving; if
    the options set either, they stay.

    >>> count_epochs({"n_epochs": "auto"}, 1_000)
    {'evaluate_every': 1, 'patience': 10, 'n_epochs': 30}
    >>> count_epochs({"n_epochs": "auto", "patience": 3}, 10_000)
    {'evaluate_every': 1, 'patience': 3, 'n_epochs': 6}
    """
    if options.get("n_epochs") != "auto":
        return options
    n_subgraphs = -(-n_points // options.get("batch_size", TrainingConfig.batch_size))
    n_epochs = int(np.clip(AUTO_STEPS // n_subgraphs, *AUTO_LIMITS))
    patience = -(-AUTO_PATIENCE // n_subgraphs)
    return {"evaluate_every": 1, "patience": patience, **options, "n_epochs": n_epochs}

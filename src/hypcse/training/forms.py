"""How the values of a training are written to an archive, and read from it only when they are what they should be."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from hypcse._checks import check_count
from hypcse._forms import Form, parts_of, take_array
from hypcse._typed import put_options, take_options
from hypcse.training.config import TrainingConfig
from hypcse.training.epoch import Losses, Networks
from hypcse.training.run import TrainingStep


def _put_history(history: list[TrainingStep]) -> dict[str, Any]:
    """Columns; NaN for the entropy of an epoch that was not evaluated."""
    losses = [(step.losses.cse, step.losses.contrast, step.losses.centroid, step.losses.total) for step in history]
    entropy = [np.nan if step.entropy is None else step.entropy for step in history]
    return {
        "n_epochs": history[0].n_epochs if history else 0,
        "losses": np.array(losses, np.float64).reshape(-1, 4),
        "evaluated": np.flatnonzero(~np.isnan(entropy)),
        "entropy": np.array([step.entropy for step in history if step.entropy is not None], np.float64),
        "seconds": np.array([step.seconds for step in history], np.float64),
    }


def _take_history(kept: Any) -> list[TrainingStep]:
    n_epochs, *columns = parts_of(kept, ("n_epochs", "losses", "evaluated", "entropy", "seconds"))
    kinds = ((np.float64, 2), (np.int64, 1), (np.float64, 1), (np.float64, 1))
    losses, evaluated, entropy, seconds = (
        take_array(column, *kind) for column, kind in zip(columns, kinds, strict=True)
    )
    n_epochs = check_count("n_epochs", n_epochs, len(seconds))
    if losses.shape != (len(seconds), 4) or evaluated.shape != entropy.shape:
        raise ValueError("the columns of the history do not fit together")
    if evaluated.size and (evaluated[0] < 0 or evaluated[-1] >= len(seconds) or (np.diff(evaluated) < 1).any()):
        raise ValueError("the evaluated epochs are not among those of the history")
    found = dict(zip(evaluated.tolist(), entropy.tolist(), strict=True))
    rows = zip(losses.tolist(), seconds.tolist(), strict=True)
    return [TrainingStep(k + 1, n_epochs, Losses(*row), found.get(k), time) for k, (row, time) in enumerate(rows)]


def _put_state(state: dict[str, Tensor]) -> dict[str, NDArray[Any]]:
    return {name: value.detach().cpu().numpy() for name, value in state.items()}


def _take_state(kept: Any) -> dict[str, Tensor]:
    if not isinstance(kept, dict):
        raise ValueError(f"it is {kept!r:.60} instead of weights by name")
    # Cloned into memory of torch, whose alignment is always the same: sums may depend on it in the last bit.
    return {name: torch.from_numpy(_weights(value)).clone() for name, value in kept.items()}


def _weights(kept: Any) -> NDArray[np.float32]:
    return take_array(kept, np.float32, kept.ndim if isinstance(kept, np.ndarray) else 0)


def check_state(state: dict[str, Tensor], n_features: int, config: TrainingConfig) -> None:
    """Raise unless these are the weights of the networks of this configuration, which takes no memory to tell."""
    try:
        with torch.device("meta"):
            expected = Networks(n_features, config, torch.Generator()).state_dict()
    except (RuntimeError, TypeError, OverflowError) as error:
        raise ValueError(f"there are no networks of such sizes ({str(error).splitlines()[0]})") from None
    wrong = {name for name in expected if name not in state or state[name].shape != expected[name].shape}
    wrong |= state.keys() - expected.keys()
    if wrong:
        raise ValueError(
            f"the weights {min(wrong)!r:.60} are missing, too many, or of another shape than the networks'"
        )


HISTORY = Form(_put_history, _take_history)
STATE = Form(_put_state, _take_state)
CONFIG = Form(
    lambda config: put_options(config.options(), TrainingConfig.hints()),
    lambda kept: TrainingConfig.from_options(**take_options(kept, TrainingConfig.hints())),
)

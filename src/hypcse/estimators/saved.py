"""`save` and `load` of fitted estimators."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator

from hypcse._notebook import ShowsItself
from hypcse.storage.models import load_model, save_model
from hypcse.storage.values import Codec

Attributes = dict[str, Any]


class Saved(ShowsItself, BaseEstimator):
    """`save` and `load` of a fitted estimator.

    _stored : every fitted attribute that is stored, with its codec. What follows from the tree (linkage and its parts)
        is computed again.
    """

    _stored: dict[str, Codec]

    def save(self, folder: str | os.PathLike[str], overwrite: bool = False) -> Path:
        """Write the fitted model to a new folder, completely or not at all; a callback is not saved.

        Parameters
        ----------
        folder
            Where to write.
        overwrite
            Whether to replace a folder that `save` wrote before.

        Returns
        -------
        Path
            Where the model is: `folder`, or `folder`-2, with a warning, if another folder appeared there meanwhile.
        """
        return save_model(self, folder, overwrite)

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> Self:
        """Load a model that `save` wrote. Raises `ModelFileError` for any other folder. Runs no code from the folder.

        Parameters
        ----------
        folder
            The folder that `save` wrote.

        Returns
        -------
        Self
            The fitted model.
        """
        return load_model(cls, folder)

    @staticmethod
    def _filled(model: Any, values: Attributes) -> Attributes:
        """Attributes that an earlier version did not write, from the parameters and the attributes that were read."""
        seed = model.random_state if isinstance(model.random_state, int) else 0
        levels, labels = values.get("levels_"), values.get("labels_")
        if levels is not None and levels.main < 0:
            # Before 0.3 the main level was the one that the labels are.
            same = (k for k, level in enumerate(levels) if labels is not None and np.array_equal(level, labels))
            values["levels_"] = replace(levels, main=next(same, 0))
        return {"_seed": seed, "_kinds": None, "_metric": model.metric, "_outliers": None}

    def _keep(self, **values: Any) -> None:
        """Set the attributes of a fitted model."""
        self.__dict__.update(values)

"""Estimators: thin layers over search, training and decoding. Those that train are loaded on first use."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from hypcse.estimator.entropy_clustering import EntropyClustering
from hypcse.saving.archive import ModelFileError

if TYPE_CHECKING:
    from hypcse.estimator.hypcse import HypCSE
    from hypcse.estimator.labelled.classifier import HypCSEClassifier
    from hypcse.estimator.presets import PRESETS

__all__ = ["PRESETS", "EntropyClustering", "HypCSE", "HypCSEClassifier", "ModelFileError"]

_HOME = {"HypCSE": "hypcse", "HypCSEClassifier": "labelled.classifier", "PRESETS": "presets"}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'hypcse.estimator' has no attribute {name!r}")
    return getattr(import_module(f"hypcse.estimator.{_HOME[name]}"), name)

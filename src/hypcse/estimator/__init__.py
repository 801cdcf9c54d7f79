"""The estimator: a thin shell over training, decoding and the discrete engine."""

from hypcse._archive import ModelFileError
from hypcse.estimator.classifier import HypCSEClassifier
from hypcse.estimator.hypcse import PRESETS, HypCSE

__all__ = ["PRESETS", "HypCSE", "HypCSEClassifier", "ModelFileError"]

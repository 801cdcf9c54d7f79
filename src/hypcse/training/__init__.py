"""Training: configuration, one epoch, evaluation, and the loop around them."""

from hypcse.training.config import TrainingConfig
from hypcse.training.fit import Trained, TrainingDiverged, TrainingStep, fit

__all__ = ["Trained", "TrainingConfig", "TrainingDiverged", "TrainingStep", "fit"]

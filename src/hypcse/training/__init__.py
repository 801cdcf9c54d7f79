"""Training: configuration, one epoch, evaluation, checkpoints, and the loop around them."""

from hypcse.training.config import TrainingConfig
from hypcse.training.extend import Encoding, place_points
from hypcse.training.fit import TrainingInterrupted, fit
from hypcse.training.run import Trained, TrainingDiverged, TrainingStep

__all__ = [
    "Encoding",
    "Trained",
    "TrainingConfig",
    "TrainingDiverged",
    "TrainingInterrupted",
    "TrainingStep",
    "fit",
    "place_points",
]

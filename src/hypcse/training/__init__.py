"""Training: configuration, one epoch, evaluation, and the loop around them."""

from hypcse.training.config import TrainingConfig
from hypcse.training.extend import Encoding, place_points
from hypcse.training.fit import Trained, TrainingDiverged, TrainingStep, fit

__all__ = ["Encoding", "Trained", "TrainingConfig", "TrainingDiverged", "TrainingStep", "fit", "place_points"]

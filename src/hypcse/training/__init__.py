"""Training: configuration, one epoch, evaluation, checkpoints, and the loop around them."""

import hypcse._torch  # noqa: F401
from hypcse.training.config import TrainingConfig, TrainingOptions
from hypcse.training.extend import Encoding, place_points
from hypcse.training.labelled import Classified, Supervision, fit_labelled
from hypcse.training.loop import TrainingInterrupted, fit
from hypcse.training.ranks import RankFailed
from hypcse.training.run import Trained, TrainingDiverged, TrainingStep

__all__ = [
    "Classified",
    "Encoding",
    "RankFailed",
    "Supervision",
    "Trained",
    "TrainingConfig",
    "TrainingDiverged",
    "TrainingInterrupted",
    "TrainingOptions",
    "TrainingStep",
    "fit",
    "fit_labelled",
    "place_points",
]

"""Training: configuration, one epoch, evaluation, checkpoints, and the loop around them."""

from hypcse.neural.training.config import TrainingOptions

__all__ = ["TrainingOptions"]

"""Steps of one fixed shape on a GPU, captured once and then replayed as one launch."""

from hypcse.training.fixed.steps import FixedSteps, can_be_fixed, warn_if_slow

__all__ = ["FixedSteps", "can_be_fixed", "warn_if_slow"]

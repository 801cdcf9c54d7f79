"""Probabilistic hierarchies, FPH and EPH: parents drawn at random, their probabilities optimised."""

from hypcse.methods.probabilistic.expected import eph
from hypcse.methods.probabilistic.flexible import fph

__all__ = ["eph", "fph"]

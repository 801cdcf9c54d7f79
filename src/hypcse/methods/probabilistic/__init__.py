"""Probabilistic hierarchies, FPH and EPH: parents are random, and their probabilities are optimised."""

from hypcse.methods.probabilistic.expected import eph
from hypcse.methods.probabilistic.flexible import fph

__all__ = ["eph", "fph"]

"""Probabilistic hierarchies, FPH and EPH: parents drawn at random, their probabilities optimised."""

from hypcse.methods.probabilistic.eph import eph
from hypcse.methods.probabilistic.fph import fph

__all__ = ["eph", "fph"]

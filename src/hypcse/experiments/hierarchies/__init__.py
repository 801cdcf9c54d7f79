"""Made data with a known hierarchy, and how far a tree finds it."""

from hypcse.experiments.hierarchies.cases import ABOUT, CASES, Case
from hypcse.experiments.hierarchies.made import Planted, make
from hypcse.experiments.hierarchies.scores import HIT, MAX_DEPTH, level_score, planted_scores

__all__ = ["ABOUT", "CASES", "HIT", "MAX_DEPTH", "Case", "Planted", "level_score", "make", "planted_scores"]

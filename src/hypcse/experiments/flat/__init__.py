"""Flat clusters: data with one known partition, methods that give one, and how well they agree."""

from hypcse.experiments.flat.cases import ABOUT, FLAT_CASES, GROUPS, FlatCase
from hypcse.experiments.flat.data import FlatData, flat_data
from hypcse.experiments.flat.methods import FLAT_METHODS, TOLD, Partition, partition
from hypcse.experiments.flat.scores import best_of_levels, flat_scores

__all__ = [
    "ABOUT",
    "FLAT_CASES",
    "FLAT_METHODS",
    "GROUPS",
    "TOLD",
    "FlatCase",
    "FlatData",
    "Partition",
    "best_of_levels",
    "flat_data",
    "flat_scores",
    "partition",
]

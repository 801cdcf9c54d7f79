"""Flat clusters from a tree: cuts, levels, the main level, what lies beyond chance, and how stable levels are."""

from hypcse.partitions.cluster_table import describe
from hypcse.partitions.cuts import best_cut
from hypcse.partitions.evidence import Structure
from hypcse.partitions.nested_levels import Levels, levels, main_level
from hypcse.partitions.report import EntropyReport, entropy_report
from hypcse.partitions.resampling import stability
from hypcse.partitions.significance import beyond_chance

__all__ = [
    "EntropyReport",
    "Levels",
    "Structure",
    "best_cut",
    "beyond_chance",
    "describe",
    "entropy_report",
    "levels",
    "main_level",
    "stability",
]

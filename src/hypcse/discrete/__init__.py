"""Search over trees on a graph: linkage, refinement, cuts and levels. No training."""

from hypcse.discrete.binary import binarize
from hypcse.discrete.budget import Refinement
from hypcse.discrete.compress import compress
from hypcse.discrete.cuts import best_cut
from hypcse.discrete.join import join_components
from hypcse.discrete.levels import levels, main_level
from hypcse.discrete.linkage import graph_linkage
from hypcse.discrete.refine import refine, refinement
from hypcse.discrete.report import EntropyReport, entropy_report

__all__ = [
    "EntropyReport",
    "Refinement",
    "best_cut",
    "binarize",
    "compress",
    "entropy_report",
    "graph_linkage",
    "join_components",
    "levels",
    "main_level",
    "refine",
    "refinement",
]

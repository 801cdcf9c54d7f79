"""Search over trees on a graph: linkage, refinement, cuts and levels. No training."""

from hypcse.discrete.binary import binarize
from hypcse.discrete.cutting.compress import compress
from hypcse.discrete.cutting.cuts import best_cut
from hypcse.discrete.cutting.levels import levels, main_level
from hypcse.discrete.joining.join import join_components
from hypcse.discrete.linking.linkage import graph_linkage
from hypcse.discrete.refining.budget import Refinement
from hypcse.discrete.refining.refine import refine, refinement
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

"""Search over trees on a graph: linkage, refinement, and the joining of components, or all in one call."""

from hypcse.search.binary import binarize
from hypcse.search.budget import Refinement
from hypcse.search.compress import compress
from hypcse.search.join import join_components
from hypcse.search.linkage import graph_linkage
from hypcse.search.recipe import search_tree
from hypcse.search.refine import refine, refinement

__all__ = [
    "Refinement",
    "binarize",
    "compress",
    "graph_linkage",
    "join_components",
    "refine",
    "refinement",
    "search_tree",
]

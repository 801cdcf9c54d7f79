"""From a graph to a tree: linkage, refinement, joining of components, compression, spanning trees. No training."""

from hypcse.search.binary import binarize
from hypcse.search.budget import Refinement
from hypcse.search.compression import compress
from hypcse.search.join import join_components
from hypcse.search.linkage import graph_linkage
from hypcse.search.refining import refine, refinement
from hypcse.search.spanning import spanning_tree

__all__ = [
    "Refinement",
    "binarize",
    "compress",
    "graph_linkage",
    "join_components",
    "refine",
    "refinement",
    "spanning_tree",
]

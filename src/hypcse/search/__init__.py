"""From a graph to a tree: linkage, refinement, joining, or all in one call; compression, spanning trees."""

from hypcse.search.binary import binarize
from hypcse.search.compression import compress
from hypcse.search.join import join_components
from hypcse.search.linkage import graph_linkage
from hypcse.search.refining import refine, search_tree
from hypcse.search.spanning import spanning_tree

__all__ = [
    "binarize",
    "compress",
    "graph_linkage",
    "join_components",
    "refine",
    "search_tree",
    "spanning_tree",
]

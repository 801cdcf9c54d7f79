"""Hierarchies of cells: from AnnData and back into it. pip install "hypcse[cells]"."""

from hypcse.cells.annotation import hierarchy, name_nodes, tree
from hypcse.cells.markers import find_markers

__all__ = ["find_markers", "hierarchy", "name_nodes", "tree"]

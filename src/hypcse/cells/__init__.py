"""Hierarchies of cells: from AnnData and back into it. pip install "hypcse[cells]"."""

from hypcse.cells.annotation import hierarchy
from hypcse.cells.markers import find_markers
from hypcse.cells.naming import name_nodes
from hypcse.cells.written import tree

__all__ = ["find_markers", "hierarchy", "name_nodes", "tree"]

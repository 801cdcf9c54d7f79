"""Hierarchies of cells: from AnnData and back into it. pip install "hypcse[cells]"."""

from hypcse.cells.annotation import hierarchy

__all__ = ["hierarchy"]

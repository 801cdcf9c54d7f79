"""The interactive page: a tree in the hyperbolic disk and as a dendrogram, in one file that asks nothing of anybody."""

from hypcse.viewer.page import view

__all__ = ["view"]

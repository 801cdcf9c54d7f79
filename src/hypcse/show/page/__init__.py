"""The interactive page: a tree in the hyperbolic disk and as a dendrogram, in one file that asks nothing of anybody."""

from hypcse.show.page.page import Page, view

__all__ = ["Page", "view"]

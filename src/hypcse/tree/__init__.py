"""The tree, its formats and its cuts."""

from hypcse.tree.tree import Tree

__all__ = ["Tree"]

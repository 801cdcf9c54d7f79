"""The tree, its forms and its cuts."""

from hypcse.tree.tree import Tree

__all__ = ["Tree"]

"""`Tree`, its checks, formats, cuts and orders."""

from hypcse.tree.tree import Tree

__all__ = ["Tree"]

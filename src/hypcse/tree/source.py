"""A tree, or something that has one."""

from __future__ import annotations

from typing import Any

from hypcse.tree.tree import Tree


def tree_of(source: Any) -> Tree:
    """The tree itself, or that of a fitted model."""
    tree = getattr(source, "tree_", source)
    if isinstance(tree, Tree):
        return tree
    if hasattr(source, "fit"):
        raise ValueError(f"this {type(source).__name__} has no tree_ yet. Call fit first.")
    raise TypeError(
        f"a Tree or a fitted model with tree_ can be shown, got {type(source).__name__}. "
        "Pass Tree.from_linkage(Z) for a linkage matrix and Tree.from_newick(text) for Newick text."
    )

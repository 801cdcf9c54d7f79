"""What a plot is drawn from: a tree, or a fitted model that has one."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from hypcse.plot.palette import LeafClasses, leaf_classes
from hypcse.tree import Tree


def tree_of(source: Any) -> Tree:
    """The tree itself, or that of a fitted model."""
    tree = getattr(source, "tree_", source)
    if isinstance(tree, Tree):
        return tree
    if hasattr(source, "fit"):
        raise ValueError(f"this {type(source).__name__} has no tree_ yet. Call fit first.")
    raise TypeError(
        f"plots show a Tree or a fitted model with tree_, got {type(source).__name__}. "
        "Pass Tree.from_linkage(Z) for a linkage matrix."
    )


def classes_of(source: Any, labels: ArrayLike | None, tree: Tree) -> LeafClasses | None:
    """The classes to colour by: those given, else the flat labels of a model, else none."""
    found = getattr(source, "labels_", None) if labels is None else labels
    return None if found is None else leaf_classes(found, tree.n_leaves)

"""What a plot colours by."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from hypcse.plot.palette import LeafClasses, leaf_classes
from hypcse.tree import Tree


def classes_of(source: Any, labels: ArrayLike | None, tree: Tree) -> LeafClasses | None:
    """The classes to colour by: those given, else the flat labels of a model, else none."""
    found = getattr(source, "labels_", None) if labels is None else labels
    return None if found is None else leaf_classes(found, tree.n_leaves)

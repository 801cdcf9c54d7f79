"""What to show: a tree or a fitted model, the classes of its leaves, and the graph over them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hypcse._checks import check_labels
from hypcse.entropy import graph_over
from hypcse.graph import Graph, GraphLike
from hypcse.tree import Tree


class LeafClasses(NamedTuple):
    """One class per leaf: codes from 0, -1 where unknown, and the name of each code."""

    codes: NDArray[np.int64]
    names: tuple[str, ...]


def tree_of(source: Any) -> Tree:
    """The tree itself, or the tree of a fitted model."""
    tree = getattr(source, "tree_", source)
    if isinstance(tree, Tree):
        return tree
    if hasattr(source, "fit"):
        raise ValueError(f"this {type(source).__name__} has no tree_ yet. Call fit first.")
    raise TypeError(
        f"a Tree or a fitted model with tree_ can be shown, got {type(source).__name__}. "
        "Pass Tree.from_linkage(Z) for a linkage matrix and Tree.from_newick(text) for Newick text."
    )


def given_or_own(given: Any, source: Any, name: str) -> Any:
    """The given value, else the model's attribute of that name; None without either."""
    return getattr(source, name, None) if given is None else given


def flat_of(model: Any) -> Any:
    """The flat labels of a fitted model, else None; of the level to look at if they are one cluster for want of
    structure.
    """
    labels, structure = getattr(model, "labels_", None), getattr(model, "structure_", None)
    if labels is None or structure is None or structure.found or np.max(labels) > 0:
        return labels
    return model.levels_[model.levels_.main]


def graph_of(source: Any, graph: GraphLike | None, tree: Tree) -> Graph | None:
    """The graph over the leaves: the given one, else the model's, else None."""
    found = given_or_own(graph, source, "graph_")
    return None if found is None else graph_over(tree, found)


def classes_of(source: Any, labels: ArrayLike | None, tree: Tree) -> LeafClasses | None:
    """The classes to colour by: the given ones, else the flat labels of a model, outliers unknown, else None."""
    found: Any = flat_of(source) if labels is None else labels
    if labels is None and found is not None and np.min(found) < 0:
        return LeafClasses(found, tuple(map(str, range(int(np.max(found)) + 1))))
    return None if found is None else leaf_classes(found, tree.n_leaves)


def leaf_classes(labels: ArrayLike, n_leaves: int) -> LeafClasses:
    """Codes and names of labels; sorted if the values can be sorted, otherwise in order of appearance.

    None and NaN are unknown labels.
    """
    codes = check_labels(labels, n_leaves, allow_unknown=True)
    known, first = np.unique(codes, return_index=True)
    first = first[known >= 0]
    values = labels if isinstance(labels, list | tuple) else np.asarray(labels)
    return LeafClasses(codes, tuple(str(values[k]) for k in first.tolist()))

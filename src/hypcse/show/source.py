"""What to show: a tree or a fitted model, the classes of its leaves, and the graph over them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hypcse._checks import check_labels
from hypcse.entropy import graph_over
from hypcse.graph import Graph, GraphLike
from hypcse.tree import Tree
from hypcse.tree.flat import count_clusters


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


def flat_of(model: Any) -> Any:
    """The flat labels of a fitted model, else None; if they are one cluster for want of structure, its main level."""
    labels, structure = getattr(model, "labels_", None), getattr(model, "structure_", None)
    if labels is None or structure is None or structure.found or count_clusters(np.asarray(labels)) > 1:
        return labels
    return model.levels_[model.levels_.main]


def graph_of(source: Any, graph: GraphLike | None, tree: Tree) -> Graph | None:
    """The graph over the leaves: the given one, else the model's, else None."""
    graph = getattr(source, "graph_", None) if graph is None else graph
    return None if graph is None else graph_over(tree, graph)


def classes_of(source: Any, labels: ArrayLike | None, tree: Tree) -> LeafClasses | None:
    """The classes to color by: the given ones, else the flat labels of a model, outliers unknown, else None."""
    if labels is not None:
        return leaf_classes(labels, tree.n_leaves)
    own = flat_of(source)
    if own is not None and np.min(own) < 0:
        return LeafClasses(own, tuple(map(str, range(int(np.max(own)) + 1))))
    return None if own is None else leaf_classes(own, tree.n_leaves)


def leaf_classes(labels: ArrayLike, n_leaves: int) -> LeafClasses:
    """Codes and names of labels, sorted if the values can be; None and NaN are unknown."""
    codes = check_labels(labels, n_leaves, allow_unknown=True)
    known, first = np.unique(codes, return_index=True)
    values = labels if isinstance(labels, list | tuple) else np.asarray(labels)
    return LeafClasses(codes, tuple(str(values[k]) for k in first[known >= 0].tolist()))

"""A few labels, spread over a tree."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hypcse.kernels.trees.sweep import inherit_values, subtree_sums
from hypcse.labels.codes import label_codes
from hypcse.tree import Tree


def spread_labels(tree: Tree, labels: ArrayLike) -> NDArray[Any]:
    """Give every leaf the label of the smallest subtree around it that holds a labelled leaf.

    Labelled leaves keep their labels. If that subtree holds several labels, the most frequent one is taken; ties go to
    the first in sorted order.

    Parameters
    ----------
    tree
        The tree. Labels reach every leaf, so join the components of its graph first (`join_components`).
    labels
        One value per leaf. A missing label is -1 among integers, and None or NaN among floats, strings and objects.

    Returns
    -------
    ndarray of shape (n,)
        The labels, none missing, in the dtype of the known ones.

    Notes
    -----
    O(n C) time for C classes, O(n) memory.

    Examples
    --------
    >>> tree = Tree.from_newick("((0,1),((2,3),4));")
    >>> spread_labels(tree, ["cat", None, None, "dog", None]).tolist()
    ['cat', 'cat', 'dog', 'dog', 'dog']
    """
    classes, codes = label_codes(labels)
    if codes.size != tree.n_leaves:
        raise ValueError(f"labels has {codes.size} values, but the tree has {tree.n_leaves} leaves. Pass one per leaf.")
    if classes.size == 0:
        raise ValueError(
            f"all {codes.size} labels are missing (-1, None or NaN); at least one leaf needs a label. "
            "Without labels, cut the tree instead: tree.cut(n_clusters=...) or hypcse.levels(tree, graph)."
        )
    majority = _majorities(tree, codes, classes.size)
    return classes[inherit_values(tree.parent, majority)[: tree.n_leaves]]


def _majorities(tree: Tree, codes: NDArray[np.int64], n_classes: int) -> NDArray[np.int64]:
    """The most frequent class under each node, the first in a tie; -1 where no leaf has one."""
    most = np.zeros(tree.n_nodes)
    majority = np.full(tree.n_nodes, -1, np.int64)
    for code in range(n_classes):
        marks = np.zeros(tree.n_nodes)
        marks[: tree.n_leaves] = codes == code
        count = subtree_sums(tree.parent, marks)
        majority[count > most] = code
        np.maximum(most, count, out=most)
    return majority

"""What a user adds to a page: names of nodes, and other labels of the leaves to compare with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hypcse.show.source import LeafClasses, leaf_classes
from hypcse.tree import Tree

COMPARED = "compared"
"""What labels to compare with are called when they come without a name."""


def check_node_names(given: Mapping[int, str] | None, tree: Tree) -> dict[int, str]:
    """Names by node number; nodes that are leaves, or that the tree lacks, are an error.

    >>> check_node_names({5: "pets"}, Tree.from_newick("((0,1),(2,3));"))
    {5: 'pets'}
    """
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise TypeError(f"node_names is a {type(given).__name__}. Pass a mapping of node numbers to names.")
    found = {}
    for node, name in given.items():
        if isinstance(node, bool) or not isinstance(node, int | np.integer):
            raise TypeError(f"node_names has the key {node!r}. Its keys are node numbers of the tree, whole numbers.")
        if not tree.n_leaves <= node < tree.n_nodes:
            raise ValueError(
                f"node_names names node {node}, but the inner nodes of this tree are {tree.n_leaves} .. "
                f"{tree.n_nodes - 1}. Name leaves by names=."
            )
        found[int(node)] = str(name)
    return found


def compared_labels(given: ArrayLike | Mapping[str, ArrayLike] | None, n_leaves: int) -> dict[str, LeafClasses]:
    """Labels to compare with, by name: those of a mapping, or one set of labels without a name.

    >>> list(compared_labels({"by hand": ["a", "b"]}, 2))
    ['by hand']
    """
    if given is None:
        return {}
    labels: Mapping[Any, ArrayLike] = given if isinstance(given, Mapping) else {COMPARED: given}
    return {str(name): _labels_of(str(name), values, n_leaves) for name, values in labels.items()}


def _labels_of(name: str, values: ArrayLike, n_leaves: int) -> LeafClasses:
    try:
        return leaf_classes(values, n_leaves)
    except ValueError as error:
        raise ValueError(f"compare, {name!r}: {error}") from error

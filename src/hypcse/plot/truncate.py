"""Which subtrees a picture has room for."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hypcse._checks import check_count
from hypcse.discrete import best_cut, levels
from hypcse.graph import Graph
from hypcse.tree import Tree


def shown_clusters(
    tree: Tree, graph: Graph | None, n_clusters: int | None, max_leaves: int | None
) -> NDArray[np.int64] | None:
    """Flat labels of the subtrees to draw as one, or None where all leaves are drawn.

    n_clusters : so many, by the cut of least entropy where there is a graph, from the top otherwise.
    max_leaves : where the tree has more, the finest of its `levels` with two to so many clusters; without a graph, or
                 where no level is such, so many from the top.
    """
    if n_clusters is not None:
        check_count("n_clusters", n_clusters, 1, tree.n_leaves)
        return tree.cut(n_clusters=n_clusters) if graph is None else best_cut(tree, graph, n_clusters=n_clusters)
    if max_leaves is None or tree.n_leaves <= check_count("max_leaves", max_leaves, 1):
        return None
    found = [] if graph is None else [labels for labels in levels(tree, graph) if 0 < labels.max() < max_leaves]
    return found[-1] if found else tree.cut(n_clusters=max_leaves)

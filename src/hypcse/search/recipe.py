"""The search as a whole: linkage, refinement, and the joining of components."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import ArrayLike

from hypcse._choices import Effort, Linkage, Metric, Scale
from hypcse._progress import Callback
from hypcse.graph import GraphLike, as_graph
from hypcse.graph.convert import node_names
from hypcse.search.join import join_components
from hypcse.search.linkage import graph_linkage
from hypcse.search.refining import refine
from hypcse.tree import Tree


def search_tree(
    graph: GraphLike,
    X: ArrayLike | None = None,
    *,
    linkage: Linkage | None = "average",
    effort: Effort | None = "fast",
    starts: Sequence[Tree] = (),
    scale: Scale = "minmax",
    metric: Metric = "euclidean",
    distances: Any = None,
    random_state: int = 0,
    callback: Callback | None = None,
) -> Tree:
    """Search for the tree of lowest structural entropy: `graph_linkage`, `refine` and `join_components` in one call.

    Parameters
    ----------
    graph
        A `Graph`, a networkx graph (its nodes name the leaves), or a symmetric matrix, sparse or dense.
    X
        Features, one row per vertex, or None. They order what no edge joins, see `join_components`; without
        features and distances that order is arbitrary.
    linkage
        Linkage of the first tree, see `graph_linkage`; None to search from `starts` alone.
    effort
        "fast" or "thorough", see `refine`; None for no refinement.
    starts
        Other trees to start from. They come before the linkage: the names of the first one are those of the result, and
        without refinement it is the tree whose components are joined.
    scale, metric
        Those of the graph, as in `similarity_graph`.
    distances
        Distances instead of features: square, condensed or sparse, as for `metric="precomputed"`.
    random_state
        Seed of annealing.
    callback
        Called with a `Progress` after every part of the work. Return True to stop: `graph_linkage` then raises
        `Stopped`, and `refine` ends with the best tree so far.

    Returns
    -------
    Tree
        A binary tree over the vertices. Components, and parts that almost no edge holds together, are joined by
        distance.

    Examples
    --------
    >>> from hypcse import similarity_graph, structural_entropy
    >>> X = [[0.0], [1.0], [2.0], [10.0], [11.0], [13.0]]
    >>> search_tree(similarity_graph(X, n_neighbors=2), X).cut(n_clusters=2).tolist()
    [0, 0, 0, 1, 1, 1]
    """
    starts = list(starts)
    names = starts[0].names if starts else node_names(graph)
    graph = as_graph(graph, names, "leaves of the tree")
    trees = starts[:1] if starts and effort is None else starts
    if linkage is not None and (effort is not None or not starts):
        trees = [*starts, graph_linkage(graph, linkage, callback=callback)]
    if not trees:
        raise ValueError("linkage=None without starts leaves no tree to search from. Pass a linkage, or starts.")
    tree = trees[0].with_names(names)
    if effort is not None:
        tree = refine(tree, graph, effort=effort, starts=trees[1:], random_state=random_state, callback=callback)
    if X is None and distances is None:
        return tree
    return join_components(tree, graph, X, distances, scale=scale, metric=metric, bridges=True)

"""`refine`, which moves subtrees to better places, and `search_tree`: linkage, refinement and joining in one call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import ArrayLike

from hypcse._checks import check_choice
from hypcse._choices import Effort, Linkage, Metric, Objective, Scale
from hypcse._progress import Callback
from hypcse._random import check_seed
from hypcse.entropy import graph_over
from hypcse.graph import GraphLike, as_graph
from hypcse.graph.convert import node_names
from hypcse.search.join import join_components
from hypcse.search.linkage import graph_linkage
from hypcse.search.run import refined
from hypcse.tree import Tree


def refine(
    tree: Tree,
    graph: GraphLike,
    objective: Objective = "entropy",
    effort: Effort = "fast",
    starts: Sequence[Tree] | None = None,
    random_state: int = 0,
    *,
    max_seconds: float | None = None,
    callback: Callback | None = None,
) -> Tree:
    """Improve a tree: find a binary tree over the same leaves with a lower (never higher) objective.

    Paper: Eq. (2), the tree of lowest structural entropy. The search does not guarantee the optimum.

    Subtrees are pruned and regrafted next to a graph neighbor of one of their leaves, at every height on the way up,
    including exchanges with an aunt. All places of a subtree are priced in one walk, and only what a move touches is
    priced again. What `join_components` joined in the given tree stays as it is, and so do the names of the leaves.

    Parameters
    ----------
    tree
        The tree to start from. Its leaf k is vertex k of the graph.
    graph
        A `Graph`, a networkx graph or a symmetric matrix, as for `structural_entropy`.
    objective
        "entropy" (structural entropy) or "dasgupta".
    effort
        "fast" goes downhill from the given tree, from average and Paris linkage, and from the groups of
        `graph_linkage(graph, "multilevel")` at three resolutions. It then takes from each result the clusters that are
        best there, and goes downhill once more. With more than 4,000 vertices there are fewer starts, from 12,000 on
        the given tree and one of groups, and with more than 100,000 only the given tree. "thorough" takes all starts up
        to 100,000 vertices, goes farther down and then anneals from the best. An effort is a budget of moves, so the
        result does not depend on the machine or on threads.
    starts
        Other trees to start from.
    random_state
        Seed of annealing.
    max_seconds
        Stop at the next part of the work after this time. This is the only time limit.
    callback
        Called with a `Progress` after every part of the work. Its stages are "descent", "annealing" and "last descent";
        its value is the lowest so far. Return True to stop; the best tree so far is returned.

    Returns
    -------
    Tree
        A binary tree with heights as from `graph_linkage`.

    Examples
    --------
    >>> from hypcse import Graph, Tree, structural_entropy
    >>> g = Graph.from_edges([0, 1, 2], [1, 2, 3], [3.0, 1.0, 3.0])
    >>> chain = Tree.from_linkage([[0, 2, 1, 2], [1, 4, 2, 3], [3, 5, 3, 4]])
    >>> refine(chain, g).cut(n_clusters=2).tolist()
    [0, 0, 1, 1]
    """
    check_choice("objective", objective, Objective)
    check_choice("effort", effort, Effort)
    check_seed(random_state)
    if max_seconds is not None and (not isinstance(max_seconds, int | float) or not max_seconds >= 0):
        raise ValueError(f"max_seconds={max_seconds!r} must be a number of at least 0, or None for no limit.")
    if isinstance(starts, Tree):
        raise TypeError("starts is one tree; pass a list of trees.")
    graph = graph_over(tree, graph)
    return refined(
        tree, graph, objective, effort, starts or (), random_state, max_seconds=max_seconds, callback=callback
    ).tree


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

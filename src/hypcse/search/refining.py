"""Refines a tree by moving subtrees to better places: first downhill, then by annealing."""

from __future__ import annotations

from collections.abc import Sequence

from hypcse._checks import check_choice
from hypcse._choices import Effort, Objective
from hypcse._progress import Callback
from hypcse._random import check_seed
from hypcse.entropy import graph_over
from hypcse.graph import GraphLike
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

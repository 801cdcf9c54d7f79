"""How similar two trees over the same leaves are."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from hypcse._arrays import plain
from hypcse._checks import check_count, check_finite
from hypcse._random import generator
from hypcse.kernels.trees.sweep import shared_nodes
from hypcse.tree import Tree

MAX_PAIRS = 20_000_000
"""A correlation uses all pairs up to this number, and a sample of this size beyond."""


def cophenetic_correlation(
    tree: Tree, other: Tree | ArrayLike, n_pairs: int | None = None, random_state: int = 0
) -> float:
    """Pearson correlation, over pairs of leaves, of the heights at which they meet with another tree or distances.

    Parameters
    ----------
    tree
        The tree.
    other
        A `Tree` over the same leaves, or distances in SciPy's condensed order.
    n_pairs
        Number of random pairs. By default all pairs up to 20 million (6,325 leaves), and 20 million beyond.
    random_state
        Seed of the draw.

    Returns
    -------
    float
        From -1 to 1; NaN when either side is constant.

    Examples
    --------
    >>> from hypcse import Tree
    >>> tree, other = Tree.from_newick("((0,1),(2,3));"), Tree.from_newick("(((0,1),2),3);")
    >>> round(cophenetic_correlation(tree, other), 3)
    0.316
    """
    n = tree.n_leaves
    if n < 2:
        raise ValueError("a correlation over pairs needs at least 2 leaves.")
    if n_pairs is None and n * (n - 1) // 2 <= MAX_PAIRS:
        first, second = np.triu_indices(n, 1)
    else:
        rng = generator(random_state, "pairs of leaves")
        drawn = rng.integers(n, size=MAX_PAIRS if n_pairs is None else check_count("n_pairs", n_pairs, 2))
        other_leaves = (drawn + rng.integers(1, n, size=drawn.size)) % n
        first, second = np.minimum(drawn, other_leaves), np.maximum(drawn, other_leaves)
    mine = tree.height[tree.lca(first, second)]
    if isinstance(other, Tree):
        _check_same_leaves(tree, other)
        theirs = other.height[other.lca(first, second)]
    else:
        distances, n_all = plain("distances", other, np.float64), n * (n - 1) // 2
        if distances.shape != (n_all,):
            raise ValueError(
                f"distances have shape {distances.shape}; {n} leaves need {n_all} in condensed order. "
                "Pass scipy.spatial.distance.squareform(D)."
            )
        check_finite("distances", distances)
        theirs = distances[n * first - first * (first + 1) // 2 + second - first - 1]
    if np.ptp(mine) == 0 or np.ptp(theirs) == 0:
        return float("nan")
    return float(np.corrcoef(mine, theirs)[0, 1])


def robinson_foulds(tree: Tree, other: Tree, normalized: bool = False) -> float:
    """Number of clusters that only one of the two rooted trees has; leaves and root do not count. O(n).

    Parameters
    ----------
    tree, other
        Two trees over the same leaves.
    normalized
        Whether to divide by the number of clusters of both, so that 1 means nothing in common.

    Returns
    -------
    float
        0 if both have the same clusters.

    Examples
    --------
    >>> from hypcse import Tree
    >>> tree, other = Tree.from_newick("((0,1),(2,3));"), Tree.from_newick("(((0,1),2),3);")
    >>> robinson_foulds(tree, other)
    2.0
    """
    _check_same_leaves(tree, other)
    if tree.n_leaves == 1:
        return 0.0
    shared, _ = shared_nodes(tree.parent, other.parent, tree.n_leaves)
    n_clusters = sum(one.n_nodes - one.n_leaves - 1 for one in (tree, other))
    distance = float(n_clusters - 2 * (shared.size - tree.n_leaves - 1))
    return distance / max(n_clusters, 1) if normalized else distance


def _check_same_leaves(tree: Tree, other: Tree) -> None:
    if tree.n_leaves != other.n_leaves:
        raise ValueError(f"the trees have {tree.n_leaves} and {other.n_leaves} leaves; both need the same leaves.")
    if tree.names is not None and other.names is not None and tree.names != other.names:
        leaf = next(k for k, (mine, theirs) in enumerate(zip(tree.names, other.names, strict=True)) if mine != theirs)
        raise ValueError(
            f"the trees have different leaf names: leaf {leaf} is {tree.names[leaf]!r} and {other.names[leaf]!r}. "
            "Put them in the same order: other.reordered(tree.names)."
        )

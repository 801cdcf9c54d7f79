"""Dendrogram purity, Dasgupta's cost, the registry of scores, and all possible scores as one row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hypcse._checks import check_labels
from hypcse._choices import SelfLoops
from hypcse.entropy import entropy_from_weights, graph_over, lca_weights
from hypcse.graph import GraphLike
from hypcse.kernels.trees.classes import purity_sum
from hypcse.tree import Tree


def dendrogram_purity(tree: Tree, labels: ArrayLike) -> float:
    """Mean purity of the lowest common ancestor over all pairs of leaves of one class, Eq. (29), between 0 and 1.

    Parameters
    ----------
    tree
        The tree.
    labels
        One hashable value per leaf. Leaves of unknown labels, None and NaN, are left out. The number -1 is a class.

    Returns
    -------
    float
        Between 0 and 1; NaN if no two leaves are of one class.

    Notes
    -----
    O(n log n) time, O(n) memory, for any number of classes.

    Examples
    --------
    >>> from hypcse import Tree
    >>> dendrogram_purity(Tree.from_linkage([[0, 1, 1, 2], [2, 3, 1, 2], [4, 5, 2, 4]]), ["a", "a", "b", "b"])
    1.0
    """
    codes = check_labels(labels, tree.n_leaves, allow_unknown=True)
    known = codes >= 0
    counts = np.bincount(codes[known]).astype(np.float64)
    n_pairs = float(np.sum(counts * (counts - 1) / 2))
    if n_pairs == 0:
        return float("nan")
    if not known.all():
        tree, codes = tree.prune(known), codes[known]
    codes = codes[tree.leaf_order()]
    # Small types are sorted in linear time.
    by_class = np.argsort(codes.astype(np.min_scalar_type(counts.size)), kind="stable")
    return purity_sum(tree.ancestor_index, tree.sizes, codes, by_class) / n_pairs


def dasgupta_cost(tree: Tree, graph: GraphLike) -> float:
    """Compute Dasgupta's cost, 2 sum_{i<j} W_ij |leaves(i v j)|: both directions of each edge, without loops.

    Parameters
    ----------
    tree, graph
        As for `structural_entropy`.

    Returns
    -------
    float
        Lower is better.

    Examples
    --------
    >>> from hypcse import Graph, Tree
    >>> dasgupta_cost(Tree.from_linkage([[0, 1, 1, 2], [2, 3, 2, 3]]), Graph.from_edges([0, 1], [1, 2]))
    10.0
    """
    return dasgupta_from_weights(tree, lca_weights(tree, graph))


def dasgupta_from_weights(tree: Tree, weights: NDArray[np.float64]) -> float:
    """`dasgupta_cost` from `lca_weights`."""
    return float(2 * np.dot(weights, tree.sizes.astype(np.float64)))


Part = Literal["graph", "labels", "clusters"]
Unit = Literal["share", "bits", "cost", "index"]


@dataclass(frozen=True, eq=False)
class Scored:
    """A tree, and any of its `graph`, known `labels` of its leaves, and `clusters`, a flat cut."""

    tree: Tree
    graph: Any = None
    labels: Any = None
    clusters: Any = None
    self_loops: SelfLoops = "paper"

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """Weight of the edges that meet at each node."""
        return lca_weights(self.tree, self.graph)

    @cached_property
    def both(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Classes and clusters of the leaves whose class is known."""
        codes = check_labels(self.labels, self.tree.n_leaves, allow_unknown=True)
        return codes[codes >= 0], self.clusters[codes >= 0]

    def purity(self) -> float:
        """Dendrogram purity."""
        return dendrogram_purity(self.tree, self.labels)

    def entropy(self) -> float:
        """Structural entropy."""
        return entropy_from_weights(self.tree, self.graph, self.weights, self.self_loops)

    def cost(self) -> float:
        """Dasgupta's cost."""
        return dasgupta_from_weights(self.tree, self.weights)

    def flat_purity(self) -> float:
        """Share of the leaves that are of the most frequent class of their cluster."""
        classes, clusters = self.both
        if not classes.size:
            return float("nan")
        # Outliers, -1, are in the last row: one cluster more.
        counts = np.zeros((clusters.max() + 2, classes.max() + 1))
        np.add.at(counts, (clusters, classes), 1)
        return float(counts.max(axis=1).sum() / classes.size)


@dataclass(frozen=True)
class Score:
    """A score.

    Attributes
    ----------
    name, title, phrase
        Its name in rows, reports and the command; for the header of a table; and within a sentence.
    needs
        The parts that it is computed from, besides the tree.
    higher
        Whether higher is better.
    unit
        A "share" from 0 to 1 is shown in percent; "bits", a "cost", and an "index" as they are.
    value
        The function that computes it.

    Examples
    --------
    >>> {score.name: score.needs for score in SCORES}["ari"]
    ('labels', 'clusters')
    """

    name: str
    title: str
    phrase: str
    needs: tuple[Part, ...]
    higher: bool
    unit: Unit
    value: Callable[[Scored], float]


def _index(name: str) -> Callable[[Scored], float]:
    """A score of two partitions from scikit-learn."""

    def value(scored: Scored) -> float:
        from sklearn import metrics

        classes, clusters = scored.both
        return float(getattr(metrics, name)(classes, clusters)) if classes.size else float("nan")

    return value


_FLAT: tuple[Part, ...] = ("labels", "clusters")

SCORES = (
    Score("dendrogram_purity", "purity", "dendrogram purity", ("labels",), True, "share", Scored.purity),
    Score("structural_entropy", "entropy", "structural entropy", ("graph",), False, "bits", Scored.entropy),
    Score("dasgupta_cost", "Dasgupta cost", "Dasgupta's cost", ("graph",), False, "cost", Scored.cost),
    Score("flat_purity", "flat purity", "purity of flat clusters", _FLAT, True, "share", Scored.flat_purity),
    Score("ari", "ARI", "adjusted Rand index", _FLAT, True, "index", _index("adjusted_rand_score")),
    Score("ami", "AMI", "adjusted mutual information", _FLAT, True, "index", _index("adjusted_mutual_info_score")),
    Score("nmi", "NMI", "normalized mutual information", _FLAT, True, "index", _index("normalized_mutual_info_score")),
)
"""All scores, in the order of a row. To add one, add an entry here and a test."""

BY_NAME = {score.name: score for score in SCORES}


def score(
    tree: Tree,
    *,
    graph: GraphLike | None = None,
    labels: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    self_loops: SelfLoops = "paper",
) -> dict[str, float]:
    """Compute all scores that the given data allow, as one row.

    Parameters
    ----------
    tree
        The tree to score.
    graph
        A `Graph`, a networkx graph or a symmetric matrix, for `structural_entropy` and `dasgupta_cost`.
    labels
        Known classes, for `dendrogram_purity`; None and NaN are unknown.
    clusters
        A flat cut, whole numbers from 0; with labels, for `flat_purity`, `ari`, `ami` and `nmi`.
    self_loops
        As for `structural_entropy`.

    Returns
    -------
    dict of float
        The values by name, in the order of the registry `hypcse.metrics.SCORES`.

    Examples
    --------
    >>> from hypcse import Graph, graph_linkage
    >>> g = Graph.from_edges([0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5])
    >>> row = score(graph_linkage(g), graph=g, labels=["a", "a", "a", "b", "b", "b"])
    >>> {name: round(value, 3) for name, value in row.items()}
    {'dendrogram_purity': 1.0, 'structural_entropy': 1.561, 'dasgupta_cost': 44.0}
    """
    if graph is None and labels is None:
        raise ValueError("score needs a graph, labels or both: score(tree, graph=g, labels=y).")
    scored = Scored(
        tree,
        None if graph is None else graph_over(tree, graph),
        labels,
        None if clusters is None else check_labels(clusters, tree.n_leaves),
        self_loops,
    )
    return {
        one.name: one.value(scored) for one in SCORES if all(getattr(scored, part) is not None for part in one.needs)
    }


def format_score(name: str, value: Any) -> str:
    """A score as shown in a table for people."""
    return {"share": "{:.1%}", "bits": "{:.4f}", "cost": "{:,.1f}", "index": "{:.3f}"}[BY_NAME[name].unit].format(value)

"""The base of all estimators: points in; a hierarchy and its derived attributes out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from hypcse._checks import check_count
from hypcse._choices import Bandwidth, Metric, Scale
from hypcse._memory import check_memory
from hypcse._progress import Callback, show_fit
from hypcse._random import seed_of
from hypcse._threads import worker_threads
from hypcse.entropy import structural_entropy
from hypcse.estimators.attributes import FITTED
from hypcse.estimators.preparing import Prepared, prepare, take_points
from hypcse.estimators.saved import Attributes, Saved
from hypcse.graph import Graph
from hypcse.graph.similarity import GraphOptions
from hypcse.kernels.warm import warm_up
from hypcse.partitions.cluster_table import describe
from hypcse.partitions.cuts import best_cut, merge_small
from hypcse.partitions.evidence import Structure
from hypcse.partitions.nested_levels import Levels, levels_and_main
from hypcse.partitions.outliers import Outliers, inside_weights, measure, shares_of_clusters, without_points
from hypcse.partitions.resampling import stability
from hypcse.tree import Tree
from hypcse.tree.flat import by_size

if TYPE_CHECKING:
    import pandas


@contextmanager
def restore_on_failure(model: Any) -> Iterator[None]:
    """If a fit fails or is stopped, leave the model as it was."""
    before = dict(vars(model))
    try:
        yield
    except BaseException:
        model.__dict__ = before
        raise


class Fitting(Saved):
    """`fit` of estimators that cluster without labels, and tables of clusters and points; they differ in `_grow`."""

    _stored = FITTED
    least_points = 1

    n_clusters: int | None
    min_cluster_size: int | None = None
    mark_outliers: bool = False
    n_neighbors: int
    bandwidth: Bandwidth
    scale: Scale
    metric: Metric
    random_state: Any
    callback: Callback | None
    n_jobs: int | None
    verbose: int
    tree_: Tree
    graph_: Graph
    labels_: NDArray[np.int64]
    levels_: Levels
    structure_: Structure
    _scaled: NDArray[np.float32] | None
    _outliers: Outliers | None
    _reduction: NDArray[np.float64] | None
    _seed: int
    _stability: NDArray[np.float64] | None

    def fit(self, X: Any, y: object = None, graph: Any = None) -> Self:
        """Cluster points; y is ignored.

        Parameters
        ----------
        X
            Features (array, data frame, or sparse), a `Graph`, a networkx graph, a sparse symmetric affinity, an
            AnnData, `Points` (see `hypcse.read`); or with metric="precomputed" distances (square, condensed, sparse).
        y
            Ignored; present for scikit-learn compatibility.
        graph
            A graph over the rows of X, to use instead of their similarity graph.

        Returns
        -------
        Self
            The fitted model itself.

        Notes
        -----
        The index of a data frame and the nodes of a networkx graph name the leaves of `tree_`.
        """
        with restore_on_failure(self):
            self._fit(X, graph)
        return self

    def _fit(self, X: Any, graph: Any) -> None:
        seed = seed_of(self.random_state)
        options = GraphOptions.of(self)
        if self.min_cluster_size is not None:
            check_count("min_cluster_size", self.min_cluster_size, 1)
        self._check_parameters()
        points = take_points(self, X, graph, self.metric, self.least_points, seed)
        with worker_threads(self.n_jobs, points.n_points), show_fit(self) as callback:
            self._check_size(points.n_points)
            warm_up()
            ready = prepare(points, options)
            tree, grown = self._grow(ready, seed, callback)
            read = self._read(tree, ready, seed)
            named = {"tree_": tree.with_names(points.names), "labels_": by_size(read["labels_"])}
            self._keep(**{**read, **named, **ready.attributes(seed), **grown})

    def _read(
        self,
        tree: Tree,
        ready: Prepared,
        seed: int,
        former: NDArray[np.int64] | None = None,
        structure: Structure | None = None,
    ) -> Attributes:
        """The attributes that are read off a tree and its graph, the structure if not known; see `levels_and_main`."""
        structure = structure or ready.structure(seed, self._reduction is not None)
        found = levels_and_main(tree, ready.graph, ready.telling(structure), structure=structure, former=former)
        nested = Levels([by_size(labels) for labels in found], found.main)
        labels, outliers = self._labels(tree, ready.graph, found), None
        if self.mark_outliers:
            outliers = measure(ready.graph, ready.compared, labels, self.n_neighbors)
            labels = self._labels_without(outliers.marked(), labels, tree, ready, structure)
        return {
            "tree_": tree,
            "graph_": ready.graph,
            "labels_": labels,
            "levels_": nested,
            "structure_": structure,
            "entropy_": float(structural_entropy(tree, ready.graph)),
            "_stability": ready.stability(nested, seed),
            "_outliers": outliers,
        }

    def _check_parameters(self) -> None:
        """Raise for parameters that are wrong for any data."""

    def _check_size(self, n_points: int) -> None:
        """Raise if this many points do not fit into memory."""
        # Measured: the graph, its tree and the search, besides features and libraries.
        needed = n_points * (1000 + 100 * self.n_neighbors)
        check_memory(f"fitting {n_points:,} points", needed, "Lower n_neighbors, or cluster a sample.")

    def _grow(self, ready: Prepared, seed: int, callback: Callback | None) -> tuple[Tree, Attributes]:
        """The tree, and other attributes to keep."""
        raise NotImplementedError

    def _labels(self, tree: Tree, graph: Graph, levels: Levels) -> NDArray[np.int64]:
        if self.n_clusters is not None:
            check_count("n_clusters", self.n_clusters, 1, tree.n_leaves)
            return best_cut(tree, graph, n_clusters=self.n_clusters, min_size=self.min_cluster_size)
        return self._without_small(tree, graph, levels.flat)

    def _without_small(self, tree: Tree, graph: Graph, labels: NDArray[np.int64]) -> NDArray[np.int64]:
        return labels if self.min_cluster_size is None else merge_small(tree, graph, labels, self.min_cluster_size)

    def _labels_without(
        self, marked: NDArray[np.bool_], labels: NDArray[np.int64], tree: Tree, ready: Prepared, structure: Structure
    ) -> NDArray[np.int64]:
        """The labels as the tree without the outliers has them, and -1 for outliers."""
        tree, graph = without_points(tree, ready.graph, marked)
        X = None if ready.compared is None else ready.compared[~marked]
        labels = np.full(marked.size, -1)
        labels[~marked] = self._labels(tree, graph, levels_and_main(tree, graph, X, structure=structure))
        return labels

    def _keep(self, **values: Any) -> None:
        """Set the attributes of a fitted model, and those that follow from the tree."""
        super()._keep(**values)
        measured = None if self._stability is None else self._stability.tolist()
        self.levels_ = Levels(self.levels_, self.levels_.main, measured, self.structure_)
        self.linkage_matrix_ = self.tree_.to_linkage() if self.tree_.n_leaves > 1 else np.empty((0, 4))
        self.children_ = self.linkage_matrix_[:, :2].astype(np.int64)
        self.distances_ = self.linkage_matrix_[:, 2]

    @property
    def stability_(self) -> list[float]:
        """How well each of the `levels_` comes back when a fifth of the edges are left out; see `stability`."""
        check_is_fitted(self)
        if self._stability is None:
            with worker_threads(self.n_jobs, self.tree_.n_leaves):
                measured = stability(self.levels_, self.graph_, self._scaled, scale="none", random_state=self._seed)
            self._stability = np.array(measured)
            self.levels_ = replace(self.levels_, stability=tuple(measured))
        return self._stability.tolist()

    @property
    def outlier_scores_(self) -> NDArray[np.float64]:
        """How far each point lies from its neighbors, from 0 (as usual or closer) to 1, (n,).

        1 - usual distance / mean distance to its nearest neighbors: 0.5 is twice as far as usual, 0.9 ten times. Usual
        is the geometric mean of the medians in its cluster and among all points. For a graph without features, the
        distance is 1 / the weight of the edges into the point's own cluster.
        """
        return self._measured_outliers().scores()

    @property
    def probabilities_(self) -> NDArray[np.float64]:
        """Strength of membership of each point in its cluster of `labels_`, from 0 to 1, (n,); 0 for outliers.

        The share of its edges' weight that stays in the cluster, times 1 - its outlier score; not a probability of a
        statistical model.
        """
        check_is_fitted(self)
        inside, degree = inside_weights(self.graph_, self.labels_), self.graph_.edge_degrees
        shares = np.divide(inside, degree, out=np.ones(degree.size), where=degree > 0)
        return np.where(self.labels_ < 0, 0.0, np.minimum(shares, 1.0) * (1 - self.outlier_scores_))

    def memberships(self) -> NDArray[np.float64]:
        """Share of the weight of each point's edges that goes to each cluster of `labels_`.

        Edges to outliers do not count. A point without other edges belongs to its own cluster or, as an outlier, to all
        clusters by their sizes.

        Returns
        -------
        ndarray of shape (n, n_clusters)
            Shares; each row sums to 1.
        """
        check_is_fitted(self)
        return shares_of_clusters(self.graph_, self.labels_)

    def describe(
        self,
        X: Any,
        *,
        level: int | None = None,
        node: int | None = None,
        classes: ArrayLike | None = None,
        n_columns: int = 4,
    ) -> pandas.DataFrame:
        """Describe the clusters by the columns of X, as `hypcse.describe`.

        Parameters
        ----------
        X, level, node, classes, n_columns
            As for `hypcse.describe`.

        Returns
        -------
        pandas.DataFrame
            One row per cluster.
        """
        check_is_fitted(self)
        return describe(self, X, level=level, node=node, classes=classes, n_columns=n_columns)

    def to_frame(self) -> pandas.DataFrame:
        """Return what is known of each point.

        Returns
        -------
        pandas.DataFrame
            One row per point, by name if the points have names: its `cluster`, its `outlier_score`, and its cluster in
            each of the levels as `level_1`, `level_2`, ...
        """
        check_is_fitted(self)
        frame = self.levels_.to_frame(self.tree_.names)
        frame.insert(0, "cluster", self.labels_)
        frame.insert(1, "outlier_score", self.outlier_scores_)
        return frame

    def _measured_outliers(self) -> Outliers:
        check_is_fitted(self)
        if self._outliers is None:
            self._outliers = measure(self.graph_, self._scaled, self.labels_, self.n_neighbors)
        return self._outliers

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.metric == "precomputed"
        return tags

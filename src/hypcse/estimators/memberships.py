"""What a fitted model says about its clusters and about each point."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from hypcse.graph import Graph
from hypcse.partitions.cluster_table import describe
from hypcse.partitions.nested_levels import Levels
from hypcse.partitions.outliers import Outliers, inside_weights, measure, shares_of_clusters
from hypcse.tree import Tree

if TYPE_CHECKING:
    import pandas


class Memberships:
    """Tables of clusters and points; outlier scores and memberships, computed on access."""

    n_neighbors: int
    tree_: Tree
    graph_: Graph
    labels_: NDArray[np.int64]
    levels_: Levels
    _scaled: NDArray[np.float32] | None
    _outliers: Outliers | None

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
        X
            The rows that were clustered: a data frame, an array or `Points`.
        level
            Describe this level of `levels_` instead of `labels_`.
        node
            Describe this node of `tree_` and its siblings instead.
        classes
            Known classes of the rows; by default those of `Points`.
        n_columns
            How many columns of X are shown.

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

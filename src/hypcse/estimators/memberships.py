"""How firmly the points of a fitted model belong to their clusters, and which are outliers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from hypcse.graph import Graph
from hypcse.partitions.outliers import Outliers, inside_weights, measure, shares_of_clusters


class Memberships:
    """`outlier_scores_`, `probabilities_` and `memberships` of a fitted model, computed on access."""

    n_neighbors: int
    graph_: Graph
    labels_: NDArray[np.int64]
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

    def _measured_outliers(self) -> Outliers:
        check_is_fitted(self)
        if self._outliers is None:
            self._outliers = measure(self.graph_, self._scaled, self.labels_, self.n_neighbors)
        return self._outliers

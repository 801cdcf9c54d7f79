"""`EntropyClustering`: finds the hierarchy of lowest structural entropy, as an estimator."""

from __future__ import annotations

from typing import Any

from numpy.random import Generator, RandomState
from sklearn.base import ClusterMixin

from hypcse._checks import check_choice
from hypcse._choices import Bandwidth, Effort, Linkage, Metric, Refine, Scale
from hypcse._progress import Callback
from hypcse.estimators.attributes import FITTED, n_points
from hypcse.estimators.living import Living
from hypcse.estimators.past import PAST, Past, fits
from hypcse.estimators.preparing import Prepared
from hypcse.estimators.saved import Attributes, Saved
from hypcse.tree import Tree


class EntropyClustering(ClusterMixin, Living):
    """Hierarchical clustering: find the tree of lowest structural entropy.

    Points are scaled and connected to their nearest neighbors. Linkage on that graph gives a first tree, which is then
    refined by moving subtrees to better places. Separate components are joined by distance. Finally, the levels that
    the data support are read off the tree. No training, no torch: a thousand points take a tenth of a second, a million
    less than a minute.

    Parameters
    ----------
    n_clusters
        Number of flat clusters. By default `labels_` is the main one of `levels_` (see `main_level`), or one cluster of
        all points if `structure_` finds nothing beyond chance.
    min_cluster_size
        Smallest number of points per cluster of `labels_`; points of smaller ones join the cluster that they hang on.
        By default clusters of `n_clusters` have a substantial size, see `best_cut`, and those of a level any size.
    mark_outliers
        Whether outliers, points much farther from their neighbors than is usual, are -1 in `labels_`. The clusters are
        then read off the tree without them; `tree_` and `levels_` stay complete.
    n_neighbors
        Number of neighbors per point in the similarity graph.
    bandwidth
        Width of the similarities: a number, "auto" or "median", see `similarity_graph`. "auto" is 1 for features scaled
        by "minmax" and compared by "euclidean", otherwise the largest distance between neighbors: a change of unit
        changes nothing, and no point is cut off from its neighbors.
    scale
        How to scale the columns: "minmax", "standard", "rank" or "none"; see `scale_features`.
    metric
        "euclidean" or "cosine"; "precomputed" if X holds distances.
    linkage
        Linkage on the graph to start from: "average", "paris", "entropy", "single" or "multilevel", see
        `graph_linkage`.
    refine
        How hard to search from there: "fast" (or True), "thorough", or False for no search.
    random_state
        Seed of all random steps: an integer, None for a fresh seed, a `RandomState` or a `Generator`.
    callback
        Called with a `Progress` after every part of the search; return True to stop and keep the best tree so far.
        During linkage="entropy", which has no partial result, a stop raises a TimeoutError.
    n_jobs
        Number of threads; -1 for all, None for numba's default (or one for few points). It does not change the result.
    verbose
        1 shows a progress bar on standard error, and a final line with the entropy.

    Attributes
    ----------
    tree_
        The hierarchy, a `Tree`.
    labels_
        (n,) the flat clusters of all rows held. `fit` numbers them by size, the largest first; after `update` and
        `forget` a cluster keeps its number, new ones take the next free number, and numbers may have gaps.
    levels_
        `Levels`: nested clusters, coarse to fine, numbered likewise. `levels_.main` says which to look at first, also
        if `structure_` finds nothing beyond chance and `labels_` is one cluster.
    linkage_matrix_, children_, distances_
        The tree in the formats of SciPy and scikit-learn.
    graph_
        The graph that was clustered.
    bandwidth_
        The width of the similarities, and of the links of new points; None if a graph was given without features or
        distances.
    entropy_
        Structural entropy of the tree on that graph.
    structure_
        Structure beyond chance; see `beyond_chance`.
    stability_
        One number per level; see `stability`. Measured on first access, or by `fit` if X holds distances, because these
        are not kept.
    outlier_scores_, probabilities_
        (n,) how far each point lies from its neighbors, and the strength of its membership in its cluster, from 0 to 1.
        Measured on access.
    n_features_in_, feature_names_in_
        Number of features, and their names if X has names.

    Examples
    --------
    >>> import hypcse
    >>> X, y = hypcse.datasets.load("optical-digits")
    >>> model = EntropyClustering().fit(X)
    >>> [int(labels.max()) + 1 for labels in model.levels_][0] > 1
    True
    """

    _stored = FITTED | {"_past": PAST.where(lambda past, model: fits(past, n_points(model)))}

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        min_cluster_size: int | None = None,
        mark_outliers: bool = False,
        n_neighbors: int = 10,
        bandwidth: Bandwidth = "auto",
        scale: Scale = "minmax",
        metric: Metric = "euclidean",
        linkage: Linkage = "average",
        refine: Refine = "fast",
        random_state: int | RandomState | Generator | None = 0,
        callback: Callback | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.min_cluster_size = min_cluster_size
        self.mark_outliers = mark_outliers
        self.n_neighbors = n_neighbors
        self.bandwidth = bandwidth
        self.scale = scale
        self.metric = metric
        self.linkage = linkage
        self.refine = refine
        self.random_state = random_state
        self.callback = callback
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _check_parameters(self) -> None:
        check_choice("linkage", self.linkage, Linkage)
        effort_of(self.refine)

    def _grow(self, ready: Prepared, seed: int, callback: Callback | None) -> tuple[Tree, Attributes]:
        tree = ready.search(seed, callback, linkage=self.linkage, effort=effort_of(self.refine))
        return tree, {"_past": Past(ready.points.graph is not None)}

    def _searched(self, tree: Tree, ready: Prepared, callback: Callback | None) -> Tree:
        effort = effort_of(self.refine)
        return ready.search(self._seed, callback, linkage=self.linkage, effort=effort, starts=[tree])

    @staticmethod
    def _filled(model: Any, values: Attributes) -> Attributes:
        # Before 0.3 models did not say whether their graph was given.
        alone = values.get("_scaled") is None and model.metric != "precomputed"
        return {**Saved._filled(model, values), "_past": Past(alone)}


def effort_of(wanted: object) -> Effort | None:
    """The effort for a value of `refine`: an effort, True for "fast", False or None for no refinement."""
    if wanted is None or wanted is False:
        return None
    if wanted is True:
        return "fast"
    check_choice("refine", wanted, Effort)
    return wanted  # type: ignore[return-value]

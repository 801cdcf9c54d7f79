"""`HypCSE`: parameters in, attributes out."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClusterMixin

from hypcse._checks import check_choice, check_count
from hypcse._memory import check_memory
from hypcse._random import check_seed
from hypcse._threads import worker_threads
from hypcse.discrete import best_cut, graph_linkage, levels, refine
from hypcse.discrete.refine import Effort
from hypcse.entropy import structural_entropy
from hypcse.estimator.device import chosen_device
from hypcse.estimator.inputs import Given, understood
from hypcse.estimator.new_points import NewPoints
from hypcse.graph import Graph, scale_features
from hypcse.graph.scaling import Scaling, fit_scaling
from hypcse.graph.similarity import check_similarity, scaled_similarity
from hypcse.graph.spectral import spectral_features
from hypcse.training import Trained, TrainingConfig, TrainingStep, fit
from hypcse.training.fit import Callback
from hypcse.tree import Tree

# What a preset fills in where a parameter is None. Everything else keeps the defaults of the configuration.
PRESETS: dict[str, dict[str, Any]] = {
    "default": {"decoder": "graph", "refine": True, "n_epochs": "auto"},
    "paper": {
        "decoder": "single",
        "refine": False,
        "n_epochs": 200,
        "evaluate_every": 1,
        "include_positive": False,
        "rescale_inserted": False,
        "cse_temperature": 1000.0,
        "select_on": "complete",
    },
}
# Epochs of "auto": so many steps over all subgraphs of an epoch, within these limits.
AUTO_STEPS, AUTO_LIMITS = 400, (10, 100)
_OF_THE_SHELL = (
    "n_clusters",
    "preset",
    "n_neighbors",
    "bandwidth",
    "scale",
    "metric",
    "refine",
    "random_state",
    "callback",
    "device",
    "n_jobs",
    "verbose",
)


class HypCSE(NewPoints, ClusterMixin, BaseEstimator):
    """Hierarchical clustering by continuous structural entropy in hyperbolic space.

    Features are scaled, their similarity graph is encoded, and the encoder is trained to lower Eq. (17); the best tree
    that decoding finds on the way is refined. Parameters that are None are filled by the preset; see `TrainingConfig`
    for their meaning.

    n_clusters   : number of flat clusters; by default `labels_` is the coarsest of the levels found.
    preset       : "default", or "paper" for the authors' way: single-linkage decoding, no refinement.
    n_neighbors, bandwidth, scale, metric : of the similarity graph; metric="precomputed" says that X holds distances.
    refine       : whether the tree is refined, or "thorough"; linkage on the graph is then a second start, so that the
                   answer is never worse than the search's own.
    random_state : seed of everything random.
    callback     : told of every epoch; a true answer stops training.
    device       : where the networks live: "auto" (a GPU where there is one), "cpu", "cuda", ...
    n_jobs       : threads of the kernels; -1 for all, None for numba's own number or for few points one. It changes no
                   answer.
    verbose      : 1 writes a line to standard error for every evaluation, 2 for every epoch.

    After `fit`: `tree_`, `linkage_matrix_`, `children_`, `distances_`, `labels_`, `embedding_` (leaves in the ball),
    `graph_`, `entropy_`, `history_`, `n_features_in_`. New points: `predict`, `transform`, `places`.

    >>> import hypcse
    >>> X, y = hypcse.datasets.load("optical-digits")
    >>> model = HypCSE(n_clusters=3, n_epochs=1, batch_size=100).fit(X[:100])
    >>> model.labels_.max()
    np.int64(2)
    """

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        preset: str = "default",
        n_neighbors: int = 10,
        bandwidth: float | str = 1.0,
        scale: str = "minmax",
        metric: str = "euclidean",
        refine: bool | str | None = None,
        random_state: int = 0,
        callback: Callback | None = None,
        device: str = "auto",
        n_jobs: int | None = None,
        verbose: int = 0,
        n_epochs: int | str | None = None,
        learning_rate: float | None = None,
        weight_decay: float | None = None,
        batch_size: int | None = None,
        n_seeds: int | None = None,
        evaluate_every: int | None = None,
        patience: int | None = None,
        encode_on: str | None = None,
        select_on: str | None = None,
        decoder: str | None = None,
        hidden_dim: int | None = None,
        embed_dim: int | None = None,
        projection_dim: int | None = None,
        dropout: float | None = None,
        aggregation: str | None = None,
        learner: str | None = None,
        learner_similarity: str | None = None,
        learner_neighbors: int | None = None,
        cse_temperature: float | None = None,
        contrast_temperature: float | None = None,
        contrast_weight: float | None = None,
        centroid_weight: float | None = None,
        include_positive: bool | None = None,
        learn_graph: bool | None = None,
        anchor_decay: float | None = None,
        rescale_inserted: bool | None = None,
        edge_drop: float | None = None,
        mask_learner: float | None = None,
        mask_anchor: float | None = None,
    ) -> None:
        for name, value in list(locals().items()):
            if name not in ("self", "__class__"):
                setattr(self, name, value)

    def fit(self, X: Any, y: object = None, graph: Any = None) -> HypCSE:
        """Cluster points; y is not looked at.

        X     : features (array, data frame, or sparse), a `Graph`, a networkx graph, a sparse symmetric affinity, or
                with metric="precomputed" distances (square, condensed, or sparse).
        graph : a graph over the rows of X, instead of their similarity graph.

        The index of a data frame and the nodes of a networkx graph name the leaves of `tree_`.
        """
        seed = check_seed(self.random_state)
        given = understood(self, X, graph, self.metric, seed)
        options = self._options()
        wanted = options.pop("refine")
        check_similarity(self.n_neighbors, self.bandwidth)
        with worker_threads(self.n_jobs, given.n_points):
            check_memory(
                f"fitting {given.n_points:,} points",
                needed_bytes(given.n_points, self.n_neighbors, options),
                "Lower batch_size, n_neighbors or hidden_dim, or cluster a sample and use predict for the rest.",
            )
            self._scaler, scaled = self._scaling(given)
            graph, self._bandwidth = self._graph_over(given, scaled)
            self._config = TrainingConfig.from_options(**self._with_epochs(options, graph.n_vertices))
            fed = scale_features(spectral_features(graph, random_state=seed)) if scaled is None else scaled
            trained = fit(fed, graph, self._config, seed, self._told, device=chosen_device(self.device))
            self._keep(trained, graph, given.names, wanted, seed)
        self._scaled = scaled if self.metric == "euclidean" else None
        self._state, self._encoded_on = trained.state, trained.encoded_on
        return self

    def _scaling(self, given: Given) -> tuple[Scaling | None, NDArray[np.float32] | None]:
        """The scale of the features and the features on it, where there are any."""
        if given.features is None:
            return None, None
        scaler, scaled = fit_scaling(given.features, self.scale)
        # A copy where nothing was scaled: what the caller does to X later must not reach the model.
        return scaler, scaled.copy() if np.may_share_memory(scaled, given.features) else scaled

    def _graph_over(self, given: Given, scaled: NDArray[np.float32] | None) -> tuple[Graph, float]:
        """The graph to cluster, given or of similarity, and the bandwidth by which new points are linked."""
        points = given.distances if scaled is None else scaled
        if given.graph is not None and (points is None or not isinstance(self.bandwidth, str)):
            return given.graph, 1.0 if isinstance(self.bandwidth, str) else float(self.bandwidth)
        similarity, bandwidth = scaled_similarity(points, self.n_neighbors, self.bandwidth, metric=self.metric)
        return similarity if given.graph is None else given.graph, bandwidth

    def _told(self, step: TrainingStep) -> bool:
        """Tell the callback and, if asked, the person at the terminal."""
        if self.verbose > 1 or (self.verbose and step.entropy is not None):
            entropy = "" if step.entropy is None else f", entropy {step.entropy:.4f}"
            print(f"epoch {step.epoch}: loss {step.losses.total:.4f}{entropy}, {step.seconds:.2f} s", file=sys.stderr)
        return self.callback is not None and self.callback(step) is True

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.metric == "precomputed"
        return tags

    def _options(self) -> dict[str, Any]:
        """What training is told: the parameters that are set, over the preset's values."""
        check_choice("preset", self.preset, tuple(PRESETS))
        given = {name: value for name, value in self.get_params(deep=False).items() if name not in _OF_THE_SHELL}
        given["refine"] = self.refine
        return {**PRESETS[self.preset], **{name: value for name, value in given.items() if value is not None}}

    def _with_epochs(self, options: dict[str, Any], n_points: int) -> dict[str, Any]:
        """The options with "auto" epochs counted: a bounded number of steps whatever the size."""
        if options.get("n_epochs") != "auto":
            return options
        n_subgraphs = -(-n_points // options.get("batch_size", TrainingConfig().schedule.batch_size))
        return {**options, "n_epochs": int(np.clip(AUTO_STEPS // n_subgraphs, *AUTO_LIMITS))}

    def _keep(
        self, trained: Trained, graph: Graph, names: tuple[str, ...] | None, wanted: bool | str, seed: int
    ) -> None:
        """The attributes of a fitted model."""
        tree = trained.tree
        if wanted:
            effort: Effort = "thorough" if wanted == "thorough" else "fast"
            tree = refine(tree, graph, effort=effort, starts=[graph_linkage(graph)], random_state=seed)
        self.tree_ = tree if names is None else Tree(tree.parent, tree.height, names)
        self.graph_, self.history_ = graph, trained.history
        self.embedding_ = trained.leaves
        self.entropy_ = structural_entropy(tree, graph)
        self.linkage_matrix_ = tree.to_linkage()
        self.children_ = self.linkage_matrix_[:, :2].astype(np.int64)
        self.distances_ = self.linkage_matrix_[:, 2]
        self.labels_ = self._labels(graph)

    def _labels(self, graph: Graph) -> NDArray[np.int64]:
        if self.n_clusters is None:
            return levels(self.tree_, graph)[0]
        check_count("n_clusters", self.n_clusters, 1, self.tree_.n_leaves)
        return best_cut(self.tree_, graph, n_clusters=self.n_clusters)


def needed_bytes(n_points: int, n_neighbors: int, options: dict[str, Any]) -> int:
    """About how much memory a fit takes at its highest, above what the libraries take.

    Measured on tables of 10,000 and 100,000 points: the graph and its tensors, the hidden states of all points at
    evaluation, and the square matrices of one subgraph.
    """
    config = TrainingConfig()
    batch = min(n_points, options.get("batch_size", config.schedule.batch_size))
    hidden = options.get("hidden_dim", config.model.hidden_dim)
    return n_points * (40 * 2 * n_neighbors + 12 * hidden) + 40 * batch * batch

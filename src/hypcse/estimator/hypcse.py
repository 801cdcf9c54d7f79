"""`HypCSE`: parameters in, attributes out."""

from __future__ import annotations

import os
import sys
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_is_fitted

from hypcse._checks import check_choice, check_count
from hypcse._memory import check_memory
from hypcse._random import check_seed
from hypcse._threads import worker_threads
from hypcse.chance import Structure, beyond_chance, stability
from hypcse.discrete import best_cut, graph_linkage, join_components, refine
from hypcse.discrete.budget import Effort
from hypcse.discrete.levels import Levels, levels_and_main
from hypcse.entropy import structural_entropy
from hypcse.estimator import saving
from hypcse.estimator.device import chosen_device
from hypcse.estimator.inputs import Given, understood
from hypcse.estimator.new_points import NewPoints
from hypcse.estimator.preparing import Prepared, needed_bytes, prepared
from hypcse.graph import Graph
from hypcse.graph.neighbors import unit_rows
from hypcse.graph.similarity import check_similarity
from hypcse.training import TrainingConfig, TrainingStep, fit
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
    "checkpoint_dir",
    "checkpoint_every",
)


class HypCSE(NewPoints, ClusterMixin, BaseEstimator):
    """Hierarchical clustering by continuous structural entropy in hyperbolic space.

    Features are scaled, their similarity graph is encoded, and the encoder is trained to lower Eq. (17); the best tree
    that decoding finds on the way is refined. Parameters that are None are filled by the preset; see `TrainingConfig`
    for their meaning.

    n_clusters   : number of flat clusters; by default `labels_` is the main one of `levels_`, see `main_level`, and all
                   points are one cluster where `structure_` says that there is nothing beyond chance.
    preset       : "default", or "paper" for the authors' way: single-linkage decoding, no refinement.
    n_neighbors, bandwidth, metric : of the similarity graph; metric="precomputed" says that X holds distances.
    scale        : of the columns: "minmax", "standard", "rank" or "none", see `scale_features`.
    refine       : whether the tree is refined, or "thorough"; linkage on the graph is then a second start, so that the
                   answer is never worse than the search's own.
    random_state : seed of everything random.
    callback     : told of every epoch; a true answer stops training.
    device       : where the networks live: "auto" (a GPU where there is one), "cpu", "cuda", ...
    n_jobs       : threads of the kernels; -1 for all, None for numba's own number or for few points one. It changes no
                   answer.
    verbose      : 1 writes a line to standard error for every evaluation, 2 for every epoch.
    checkpoint_dir, checkpoint_every : a folder where the state of training is kept every so many epochs; a fit of the
                   same data and settings goes on from there, bit for bit.

    Ctrl-C ends training: the best tree so far is refined and kept, with a warning.

    After `fit`: `tree_`, `linkage_matrix_`, `children_`, `distances_`, `labels_`, `levels_` (nested labels, coarse to
    fine), `structure_` (against chance, see `beyond_chance`), `stability_` (of each level, see `stability`; measured
    when first asked for, and of distances by `fit`, since they are not kept), `embedding_` (leaves in the ball),
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
        checkpoint_dir: str | None = None,
        checkpoint_every: int = 10,
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
        before = dict(vars(self))
        try:
            self._fit(X, graph)
        except BaseException:
            # A fit that fails leaves the model as it was.
            self.__dict__ = before
            raise
        return self

    def _fit(self, X: Any, graph: Any) -> None:
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
            ready = prepared(given, self.n_neighbors, self.bandwidth, self.scale, self.metric, seed)
            config = TrainingConfig.from_options(**self._with_epochs(options, given.n_points))
            trained = fit(
                ready.inputs,
                ready.graph,
                config,
                seed,
                self._told,
                chosen_device(self.device),
                checkpoint_dir=self.checkpoint_dir,
                checkpoint_every=self.checkpoint_every,
            )
            tree = self._refined(trained.tree, ready.graph, wanted, seed)
            if options["decoder"] == "graph" or wanted:
                # Both go by the edges alone, which say nothing of what no edge joins.
                tree = self._joined(tree, ready)
            structure = self._structure(given, ready, seed)
            found = levels_and_main(tree, ready.graph, structure.found)
            self._keep(
                tree_=tree if given.names is None else Tree(tree.parent, tree.height, given.names),
                graph_=ready.graph,
                embedding_=trained.leaves,
                labels_=self._labels(tree, ready.graph, found),
                levels_=found.labels,
                structure_=structure,
                entropy_=float(structural_entropy(tree, ready.graph)),
                history_=trained.history,
                _scaler=ready.scaler,
                _scaled=self._compared(ready),
                _stability=self._stability_of(found, ready, seed),
                _bandwidth=ready.bandwidth,
                _config=config,
                _state=trained.state,
                _encoded_on=trained.encoded_on,
            )

    def save(self, folder: str | os.PathLike[str], overwrite: bool = False) -> None:
        """Write the fitted model to a new folder, whole or not at all; the callback is not kept."""
        saving.save(self, folder, overwrite)

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> Self:
        """The model that `save` wrote; raises `ModelFileError` for any other folder. No code of the folder is run."""
        return saving.load(cls, folder)

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

    def _refined(self, tree: Tree, graph: Graph, wanted: bool | str, seed: int) -> Tree:
        """The tree, refined where that is wanted."""
        if not wanted:
            return tree
        effort: Effort = "thorough" if wanted == "thorough" else "fast"
        return refine(tree, graph, effort=effort, starts=[graph_linkage(graph)], random_state=seed)

    def _joined(self, tree: Tree, ready: Prepared) -> Tree:
        """The tree with what no edge joins joined by features, or by distances that were given."""
        if ready.scaled is None:
            return join_components(tree, ready.graph, distances=ready.distances, bridges=True)
        return join_components(tree, ready.graph, ready.scaled, scale="none", metric=self.metric, bridges=True)

    def _keep(self, **found: Any) -> None:
        """The attributes of a fitted model, as `saving.FITTED` lists them, and those that the tree gives."""
        for name, value in found.items():
            setattr(self, name, value)
        self.linkage_matrix_ = self.tree_.to_linkage()
        self.children_ = self.linkage_matrix_[:, :2].astype(np.int64)
        self.distances_ = self.linkage_matrix_[:, 2]

    def _compared(self, ready: Prepared) -> NDArray[np.float32] | None:
        """The points whose Euclidean distances the graph goes by; None without features."""
        if ready.scaled is None or self.metric != "cosine":
            return ready.scaled
        return unit_rows(ready.scaled).astype(np.float32)

    def _structure(self, given: Given, ready: Prepared, seed: int) -> Structure:
        """What there is beyond chance: of the graph where one was given, else of the features or distances."""
        if given.graph is not None:
            return beyond_chance(given.graph, random_state=seed)
        data = ready.distances if ready.scaled is None else ready.scaled
        return beyond_chance(data, scale="none", metric=self.metric, random_state=seed)

    def _stability_of(self, found: Levels, ready: Prepared, seed: int) -> NDArray[np.float64] | None:
        """Of levels of distances, which are not kept; None where all that it takes is, so that it can wait."""
        if ready.distances is None:
            return None
        return np.array(stability(found.labels, ready.graph, distances=ready.distances, random_state=seed))

    @property
    def stability_(self) -> list[float]:
        """Of each of the `levels_` how alike it comes out when a fifth of the edges are left out, see `stability`."""
        check_is_fitted(self)
        if self._stability is None:
            seed = check_seed(self.random_state)
            with worker_threads(self.n_jobs, self.tree_.n_leaves):
                found = stability(self.levels_, self.graph_, self._scaled, scale="none", random_state=seed)
            self._stability = np.array(found)
        return self._stability.tolist()

    def _labels(self, tree: Tree, graph: Graph, found: Levels) -> NDArray[np.int64]:
        if self.n_clusters is None:
            return found.labels[found.main]
        check_count("n_clusters", self.n_clusters, 1, tree.n_leaves)
        return best_cut(tree, graph, n_clusters=self.n_clusters)

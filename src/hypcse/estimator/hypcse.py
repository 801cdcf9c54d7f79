"""`HypCSE`: parameters in, attributes out."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import Generator, RandomState
from sklearn.base import ClusterMixin

from hypcse._backend import choose_device
from hypcse._checks import check_choice
from hypcse._memory import check_memory
from hypcse._progress import Callback
from hypcse.chance.structure import UNTESTED
from hypcse.discrete import graph_linkage, levels
from hypcse.estimator.attributes import FITTED, sizes_of_tree
from hypcse.estimator.base import Attributes, Fitting
from hypcse.estimator.entropy_clustering import effort_of, searched
from hypcse.estimator.preparing import Prepared
from hypcse.estimator.trained import (
    ENCODED,
    Embedding,
    encoder_inputs,
    n_inputs,
    needed_bytes,
    sizes_of_encoder,
)
from hypcse.training import TrainingConfig, fit
from hypcse.training.loop import check_checkpoints
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


class HypCSE(Embedding, ClusterMixin, Fitting):
    """Hierarchical clustering by continuous structural entropy in hyperbolic space: the system of the paper.

    What training adds to `EntropyClustering`, whose contract this is: an encoder, and with it `embedding_` (places in
    the hyperbolic ball) and `transform` for new points. What it does not add: a better tree. On the seven data sets of
    the paper both find the same entropy to the third digit, and training takes a hundred times as long. Take it for the
    embedding, for the paper's figures (`preset="paper"`), or to train with other losses.

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
    callback     : called with a `Progress` after every epoch and every part of the refinement; return True to stop the
                   one or the other and keep the best so far.
    device       : where the networks live: "auto" (a GPU where there is one), "cpu", "cuda", ...
    n_jobs       : threads of the kernels; -1 for all, None for numba's own number or for few points one. It changes no
                   answer.
    verbose      : 1 draws a progress bar on standard error, and at the end writes a line with the entropy.
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

    stored = FITTED | ENCODED
    least_points = 2

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
        random_state: int | RandomState | Generator | None = 0,
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
        self.n_clusters = n_clusters
        self.preset = preset
        self.n_neighbors = n_neighbors
        self.bandwidth = bandwidth
        self.scale = scale
        self.metric = metric
        self.refine = refine
        self.random_state = random_state
        self.callback = callback
        self.device = device
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.checkpoint_dir = checkpoint_dir
        self.checkpoint_every = checkpoint_every
        self.n_epochs = n_epochs
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay
        self.batch_size = batch_size
        self.n_seeds = n_seeds
        self.evaluate_every = evaluate_every
        self.patience = patience
        self.encode_on = encode_on
        self.select_on = select_on
        self.decoder = decoder
        self.hidden_dim = hidden_dim
        self.embed_dim = embed_dim
        self.projection_dim = projection_dim
        self.dropout = dropout
        self.aggregation = aggregation
        self.learner = learner
        self.learner_similarity = learner_similarity
        self.learner_neighbors = learner_neighbors
        self.cse_temperature = cse_temperature
        self.contrast_temperature = contrast_temperature
        self.contrast_weight = contrast_weight
        self.centroid_weight = centroid_weight
        self.include_positive = include_positive
        self.learn_graph = learn_graph
        self.anchor_decay = anchor_decay
        self.rescale_inserted = rescale_inserted
        self.edge_drop = edge_drop
        self.mask_learner = mask_learner
        self.mask_anchor = mask_anchor

    def _check_parameters(self) -> None:
        options = self._options()
        effort_of(options.pop("refine"))
        n_epochs = options.pop("n_epochs")
        TrainingConfig.from_options(**options, n_epochs=1 if n_epochs == "auto" else n_epochs)
        check_checkpoints(self.checkpoint_dir, self.checkpoint_every)

    def _check_size(self, n_points: int) -> None:
        check_memory(
            f"fitting {n_points:,} points",
            needed_bytes(n_points, self.n_neighbors, self._options()),
            "Lower batch_size, n_neighbors or hidden_dim, or cluster a sample and use predict for the rest.",
        )

    def _grown(self, ready: Prepared, seed: int, callback: Callback | None) -> tuple[Tree, Attributes]:
        options = self._options()
        effort = effort_of(options.pop("refine"))
        config = TrainingConfig.from_options(**self._with_epochs(options, ready.graph.n_vertices))
        trained = fit(
            encoder_inputs(ready, seed),
            ready.graph,
            config,
            seed,
            callback,
            choose_device(self.device),
            checkpoint_dir=self.checkpoint_dir,
            checkpoint_every=self.checkpoint_every,
        )
        tree = trained.tree
        if effort is not None:
            tree = searched(tree, ready, effort, seed, callback, graph_linkage(ready.graph))
        if options["decoder"] == "graph" or effort is not None:
            # Both go by the edges alone, which say nothing of what no edge joins.
            tree = ready.joined(tree)
        return tree, {
            "embedding_": trained.leaves,
            "history_": trained.history,
            "_config": config,
            "_state": trained.state,
            "_encoded_on": trained.encoded_on,
        }

    @staticmethod
    def filled(model: Any, found: Attributes) -> Attributes:
        """Models of before 0.2 have no levels, which are found again, and nothing was compared with chance."""
        missing = {**Fitting.filled(model, found), "structure_": UNTESTED, "_stability": None}
        if "levels_" not in found and {"tree_", "graph_"} <= found.keys():
            missing["levels_"] = levels(found["tree_"], found["graph_"])
        return missing

    @classmethod
    def sizes(cls, found: Attributes) -> dict[str, bool]:
        return {**sizes_of_tree(found, n_inputs(found["_state"])), **sizes_of_encoder(found)}

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

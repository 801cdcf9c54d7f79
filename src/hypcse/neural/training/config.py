"""Everything that training depends on: the options that users set, the values of presets, and what follows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from hypcse._checks import check_choice, check_count, check_number
from hypcse._choices import Aggregation, Decoder, EncodeOn, Learner, LearnerSimilarity, Preset, SelectOn
from hypcse.graph import Graph


@dataclass(repr=False, kw_only=True)
class TrainingOptions(BaseEstimator):
    """Options of training that few users set: the networks, the graph learner, the weights of the losses, the schedule.

    Pass them as `HypCSE(training=TrainingOptions(...))`, and to `HypCSEClassifier` likewise. What is None is filled by
    the estimator or its preset; otherwise it takes the default named here.

    Parameters
    ----------
    batch_size
        Vertices of one subgraph that training sees at a time; 2,048.
    n_seeds
        Vertices that each subgraph grows from (Appendix C); 10.
    subgraphs_per_step
        Subgraphs whose mean gradient makes a step. By default one for each process of torchrun, and one without it.
    weight_decay
        Of the optimizer; 5e-4.
    evaluate_every
        Epochs between two evaluations: by default 5, and 1 with n_epochs="auto".
    patience
        Evaluations without a better tree after which training stops. By default n_epochs="auto" has one of its own, and
        a given number of epochs is never cut short.
    encode_on
        Graph to encode on at evaluation: the initial one, "raw" or "normalised" (default), or the current "anchor".
    select_on
        Graph whose structural entropy picks the epoch: the "sparse" initial (default) or the "complete" one.
    decoder
        How leaves become a tree: "graph", by linkage on the graph; "single", by the exact spanning tree, as in the
        paper; or "neighbors", single linkage by the nearest others alone, as Appendix C describes it for large data.
    hidden_dim
        Width of the encoder's hidden layers; 128.
    projection_dim
        Dimension of the projector; 16.
    dropout
        Share of values dropped inside the encoder's linear layers; 0.2.
    aggregation
        How the encoder gathers neighbors: "mean" (default), or "attention", Eq. (11).
    learner
        Kind of the graph learner: "gcn" (default) or "mlp".
    learner_similarity
        How the learner compares embeddings: "cosine" (default) or "gaussian".
    learner_neighbors
        Edges that the learner proposes for each vertex; 20.
    contrast_weight, centroid_weight
        Weights of the contrastive and of the centroid loss in Eq. (17); 1.
    include_positive
        Whether the positive pair is in the denominator of Eq. (15), as printed; True.
    learn_graph
        Whether the second view is the learner's graph (True, default); otherwise both views augment the anchor.
    anchor_decay
        Decay of the anchor in Eq. (13), 0.9999; 1 switches the update off.
    rescale_inserted
        Whether inserted edges get the anchor's mean weight; True.
    edge_drop
        Share of edges dropped from each view; 0.3.
    mask_learner, mask_anchor
        Shares of feature columns masked in the learned and in the anchor view; 0.1.
    checkpoint_dir
        A folder where the state of training is kept; a fit of the same data and settings goes on from there, bit for
        bit. `HypCSE` only.
    checkpoint_every
        Epochs between two checkpoints.

    Examples
    --------
    >>> TrainingOptions(dropout=0.1).set_params(hidden_dim=64)
    TrainingOptions(dropout=0.1, hidden_dim=64)
    """

    batch_size: int | None = None
    n_seeds: int | None = None
    subgraphs_per_step: int | None = None
    weight_decay: float | None = None
    evaluate_every: int | None = None
    patience: int | None = None
    encode_on: EncodeOn | None = None
    select_on: SelectOn | None = None
    decoder: Decoder | None = None
    hidden_dim: int | None = None
    projection_dim: int | None = None
    dropout: float | None = None
    aggregation: Aggregation | None = None
    learner: Learner | None = None
    learner_similarity: LearnerSimilarity | None = None
    learner_neighbors: int | None = None
    contrast_weight: float | None = None
    centroid_weight: float | None = None
    include_positive: bool | None = None
    learn_graph: bool | None = None
    anchor_decay: float | None = None
    rescale_inserted: bool | None = None
    edge_drop: float | None = None
    mask_learner: float | None = None
    mask_anchor: float | None = None
    checkpoint_dir: str | None = None
    checkpoint_every: int = 10


@dataclass(frozen=True)
class TrainingConfig:
    """The values that training works with; each is a parameter of `HypCSE` or one of its `TrainingOptions`."""

    hidden_dim: int = 128
    embed_dim: int = 16
    projection_dim: int = 16
    dropout: float = 0.2
    aggregation: Aggregation = "mean"
    learner: Learner = "gcn"
    learner_similarity: LearnerSimilarity = "cosine"
    learner_neighbors: int = 20
    cse_temperature: float = 1.0
    contrast_temperature: float = 1.0
    contrast_weight: float = 1.0
    centroid_weight: float = 1.0
    include_positive: bool = True
    learn_graph: bool = True
    anchor_decay: float = 0.9999
    rescale_inserted: bool = True
    edge_drop: float = 0.3
    mask_learner: float = 0.1
    mask_anchor: float = 0.1
    n_epochs: int = 200
    learning_rate: float = 3e-3
    weight_decay: float = 5e-4
    batch_size: int = 2048
    n_seeds: int = 10
    subgraphs_per_step: int | None = None
    evaluate_every: int = 5
    patience: int | None = None
    encode_on: EncodeOn = "normalised"
    select_on: SelectOn = "sparse"
    decoder: Decoder = "graph"

    def __post_init__(self) -> None:
        """Raise for any value out of its range, with the value, the limit and the way out."""
        for name, hint in HINTS.items():
            if get_origin(hint) is Literal:
                check_choice(name, getattr(self, name), hint)
        for names, low, high in _LIMITS:
            for name in names.split():
                value = getattr(self, name)
                if isinstance(low, float):
                    check_number(name, value, low, high)
                elif value is not None or NoneType not in get_args(HINTS[name]):
                    check_count(name, value, low, int(high))
        for name in ("dropout", "edge_drop", "mask_learner", "mask_anchor"):
            check_number(name, getattr(self, name), 0.0, 1.0, below=True)


HINTS: dict[str, Any] = get_type_hints(TrainingConfig)
"""The type of each value of a `TrainingConfig`."""
_LIMITS: tuple[tuple[str, float, float], ...] = (
    ("hidden_dim embed_dim projection_dim", 2, 65_536),
    ("learner_neighbors batch_size n_seeds subgraphs_per_step evaluate_every patience", 1, 10**9),
    ("n_epochs", 0, 10**9 - 1),
    ("anchor_decay", 0.0, 1.0),
    ("learning_rate", 1e-30, 100.0),
    ("weight_decay contrast_weight centroid_weight", 0.0, 1e6),
    ("cse_temperature contrast_temperature", 1e-6, 1e6),
)
"""The least and the most of each number; beyond them float32, or the name of a checkpoint, holds nothing."""


@dataclass(frozen=True, eq=False)
class Setup:
    """Scaled features (n, d), their graph, settings, seed and device: the same setup gives the same training."""

    features: NDArray[np.float32]
    graph: Graph
    config: TrainingConfig
    random_state: int = 0
    device: str = "cpu"


# What a preset fills in for parameters that are None. Others keep the defaults of the configuration.
PRESETS: dict[Preset, dict[str, Any]] = {
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
# The same for `HypCSEClassifier`, which has no presets.
CLASSIFIER: dict[str, Any] = {
    "dropout": 0.0,
    "edge_drop": 0.0,
    "mask_anchor": 0.0,
    "contrast_weight": 0.0,
    "learn_graph": False,
}
# Epochs of "auto", and its patience: so many steps, each over one subgraph, the epochs within these limits. On the
# seven sets later epochs hardly lower the entropy of decoded trees, and not that of answers.
AUTO_STEPS, AUTO_LIMITS, AUTO_PATIENCE = 30, (2, 30), 10


def fill_options(defaults: Mapping[str, Any], parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The options of training and `refine`: the parameters that are set, else the defaults, those of a preset say."""
    names = (*HINTS, "refine")
    return {**defaults, **{name: value for name, value in parameters.items() if name in names and value is not None}}


def count_epochs(options: dict[str, Any], n_points: int) -> dict[str, Any]:
    """The options with "auto" epochs as a number, evaluated each and ended by patience; options that are set stay."""
    if options.get("n_epochs") != "auto":
        return options
    n_subgraphs = -(-n_points // options.get("batch_size", TrainingConfig.batch_size))
    n_epochs = int(np.clip(AUTO_STEPS // n_subgraphs, *AUTO_LIMITS))
    patience = -(-AUTO_PATIENCE // n_subgraphs)
    return {"evaluate_every": 1, "patience": patience, **options, "n_epochs": n_epochs}

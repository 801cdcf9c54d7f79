"""Everything that training depends on, as frozen values."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, get_type_hints

from hypcse._checks import check_choice, check_count, check_number
from hypcse._choices import Aggregation, Decoder, EncodeOn, Learner, LearnerSimilarity, SelectOn


@dataclass(frozen=True)
class ModelConfig:
    """Sizes and kinds of the networks.

    hidden_dim, embed_dim : dimensions of the encoder f; projection_dim : of the projector h.
    dropout               : inside the encoder's linear layers.
    aggregation           : "mean" (normalised adjacency) or "attention", Eq. (11).
    learner               : "gcn" or "mlp", the graph learner g.
    learner_similarity    : "cosine" or "gaussian", between the learner's embeddings.
    learner_neighbors     : p, edges that the learner proposes a vertex.
    """

    hidden_dim: int = 128
    embed_dim: int = 16
    projection_dim: int = 16
    dropout: float = 0.2
    aggregation: Aggregation = "mean"
    learner: Learner = "gcn"
    learner_similarity: LearnerSimilarity = "cosine"
    learner_neighbors: int = 20


@dataclass(frozen=True)
class LossConfig:
    """The objective, Eq. (17).

    cse_temperature       : t1 of Eq. (9).
    contrast_temperature  : t2 of Eq. (15).
    contrast_weight       : eta_1; 0 with `learn_graph` off leaves the base model of Table 2.
    centroid_weight       : eta_2.
    include_positive      : whether the positive pair is in the denominator of Eq. (15), as printed.
    """

    cse_temperature: float = 1.0
    contrast_temperature: float = 1.0
    contrast_weight: float = 1.0
    centroid_weight: float = 1.0
    include_positive: bool = True


@dataclass(frozen=True)
class StructureConfig:
    """Graph structure learning and augmentation.

    learn_graph          : whether the second view is the learner's graph; else both views augment the anchor.
    anchor_decay         : tau of Eq. (13); 1 switches the update off.
    rescale_inserted     : whether inserted edges get the anchor's mean weight.
    edge_drop            : share of edges dropped from each view.
    mask_learner, mask_anchor : share of feature columns masked in each view.
    """

    learn_graph: bool = True
    anchor_decay: float = 0.9999
    rescale_inserted: bool = True
    edge_drop: float = 0.3
    mask_learner: float = 0.1
    mask_anchor: float = 0.1


@dataclass(frozen=True)
class ScheduleConfig:
    """Optimisation, subgraphs, and which epoch is kept.

    batch_size, n_seeds : size of a subgraph and the vertices it grows from (Appendix C).
    subgraphs_per_step  : subgraphs whose mean gradient makes a step; None: one for each rank, and one without torchrun.
    evaluate_every      : epochs between two evaluations.
    patience            : evaluations without a better tree after which training stops; None never.
    encode_on           : graph to encode on at evaluation: the initial one "raw" or sym-"normalised", or the current
                          "anchor".
    select_on           : graph whose structural entropy picks the epoch: the "sparse" initial or the "complete" one.
    decoder             : "graph", "single", or "neighbors": single linkage by the nearest others alone, as Appendix C
                          describes it for large data.
    """

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


@dataclass(frozen=True)
class TrainingConfig:
    """All of it."""

    model: ModelConfig = ModelConfig()
    loss: LossConfig = LossConfig()
    structure: StructureConfig = StructureConfig()
    schedule: ScheduleConfig = ScheduleConfig()

    @classmethod
    def from_options(cls, **options: Any) -> TrainingConfig:
        """From the flat names of the estimator's parameters; an unknown name is an error.

        >>> TrainingConfig.from_options(embed_dim=2, anchor_decay=1.0).model.embed_dim
        2
        """
        parts: dict[str, Any] = {}
        for name, kind in _PARTS.items():
            own = {f.name for f in fields(kind)} & set(options)
            parts[name] = kind(**{key: options.pop(key) for key in own})
        if options:
            known = sorted(f.name for kind in _PARTS.values() for f in fields(kind))
            raise TypeError(f"{sorted(options)[0]!r} is no option of training; the options are {', '.join(known)}.")
        config = cls(**parts)
        check_config(config)
        return config

    def options(self) -> dict[str, Any]:
        """The flat options that make it again.

        >>> TrainingConfig.from_options(**TrainingConfig().options()) == TrainingConfig()
        True
        """
        return {f.name: getattr(part, f.name) for part in _parts_of(self) for f in fields(part)}

    @staticmethod
    def hints() -> dict[str, Any]:
        """The type of each flat option."""
        return {name: hint for kind in _PARTS.values() for name, hint in get_type_hints(kind).items()}


_PARTS: dict[str, type[Any]] = {
    "model": ModelConfig,
    "loss": LossConfig,
    "structure": StructureConfig,
    "schedule": ScheduleConfig,
}
_CHOICES: dict[str, Any] = {
    "aggregation": Aggregation,
    "learner": Learner,
    "learner_similarity": LearnerSimilarity,
    "encode_on": EncodeOn,
    "select_on": SelectOn,
    "decoder": Decoder,
}
_LIMITS: dict[str, tuple[float, float]] = {
    "hidden_dim": (2, 65_536),
    "embed_dim": (2, 65_536),
    "projection_dim": (2, 65_536),
    "learner_neighbors": (1, 10**9),
    "n_epochs": (0, 10**9 - 1),
    "batch_size": (1, 10**9),
    "n_seeds": (1, 10**9),
    "subgraphs_per_step": (1, 10**9),
    "evaluate_every": (1, 10**9),
    "patience": (1, 10**9),
    "anchor_decay": (0.0, 1.0),
    "learning_rate": (1e-30, 100.0),
    "weight_decay": (0.0, 1e6),
    "cse_temperature": (1e-6, 1e6),
    "contrast_temperature": (1e-6, 1e6),
    "contrast_weight": (0.0, 1e6),
    "centroid_weight": (0.0, 1e6),
}
"""The least and the most of each number; beyond them float32, or the name of a checkpoint, holds nothing."""
_OPTIONAL = ("patience", "subgraphs_per_step")
"""May be None."""
_SHARES = ("dropout", "edge_drop", "mask_learner", "mask_anchor")
"""From 0 to below 1."""


def check_config(config: TrainingConfig) -> None:
    """Raise for any value out of its range, with the value, the limit and the way out."""
    values = config.options()
    for name, choices in _CHOICES.items():
        check_choice(name, values[name], choices)
    for name, (low, high) in _LIMITS.items():
        if isinstance(low, int) and isinstance(high, int):
            if values[name] is not None or name not in _OPTIONAL:
                check_count(name, values[name], low, high)
        else:
            check_number(name, values[name], low, high)
    for name in _SHARES:
        check_number(name, values[name], 0.0, 1.0, below=True)


def _parts_of(config: TrainingConfig) -> tuple[Any, ...]:
    return config.model, config.loss, config.structure, config.schedule

"""Everything that training depends on, as frozen values."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, get_type_hints

from hypcse._checks import check_choice, check_count
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
_SHARES = ("dropout", "edge_drop", "mask_learner", "mask_anchor")
_POSITIVE = ("cse_temperature", "contrast_temperature", "learning_rate")
_NOT_NEGATIVE = ("contrast_weight", "centroid_weight", "weight_decay")


def check_config(config: TrainingConfig) -> None:
    """Raise for any value out of its range, with the value, the limit and the way out."""
    values = config.options()
    for name, choices in _CHOICES.items():
        check_choice(name, values[name], choices)
    for name in ("hidden_dim", "embed_dim", "projection_dim"):
        check_count(name, values[name], 2)
    for name in ("learner_neighbors", "n_epochs", "batch_size", "n_seeds", "evaluate_every"):
        check_count(name, values[name], 0 if name == "n_epochs" else 1)
    for name in _SHARES:
        _check_range(name, values[name], 0.0, 1.0, below=True)
    _check_range("anchor_decay", values["anchor_decay"], 0.0, 1.0)
    for name in _POSITIVE:
        if not values[name] > 0:
            raise ValueError(f"{name}={values[name]} must be above 0.")
    for name in _NOT_NEGATIVE:
        if not values[name] >= 0:
            raise ValueError(f"{name}={values[name]} must be at least 0.")


def _parts_of(config: TrainingConfig) -> tuple[Any, ...]:
    return config.model, config.loss, config.structure, config.schedule


def _check_range(name: str, value: float, low: float, high: float, below: bool = False) -> None:
    if not (low <= value <= high) or (below and value == high):
        raise ValueError(f"{name}={value} must be from {low} to {'below ' if below else ''}{high}.")

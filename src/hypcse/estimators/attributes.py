"""The stored attributes of fitted estimators: how each is stored, and what makes it fit the others."""

from __future__ import annotations

from typing import Any

import numpy as np

from hypcse._checks import check_choice
from hypcse._choices import Evidence, Metric, Scale
from hypcse._random import check_seed
from hypcse.graph.features import Shifts
from hypcse.graph.scaling import KINDS, Scaling
from hypcse.partitions.evidence import Structure
from hypcse.partitions.nested_levels import Levels
from hypcse.partitions.outliers import Outliers
from hypcse.storage.archive import Content
from hypcse.storage.values import COUNT, GRAPH, NAMES, NUMBER, TREE, Codec, array, decode_array, or_none, read_parts


def _encode_scaler(scaler: Scaling) -> Content:
    stored: dict[str, Any] = {"kind": scaler.kind, **{name: getattr(scaler, name) for name in scaler.parts}}
    if scaler.shifts is not None:
        stored = {"kind": "shifted", **scaler.shifts._asdict(), "inner": stored}
    return stored if scaler.weights is None else {"kind": "weighted", "weights": scaler.weights, "inner": stored}


def _decode_scaler(stored: Any) -> Scaling:
    shifts = weights = None
    if _kind(stored) == "weighted":
        _, weights, stored = read_parts(stored, ("kind", "weights", "inner"))
        weights = decode_array(weights, np.float32, 1)
    if _kind(stored) == "shifted":
        _, offset, exponent, stored = read_parts(stored, ("kind", "offset", "exponent", "inner"))
        shifts = Shifts(decode_array(offset, np.float64, 1), decode_array(exponent, np.int64, 1))
    check_choice("kind", _kind(stored), Scale)
    scaling: Any = KINDS[stored["kind"]]
    parts = dict(zip(scaling.parts, read_parts(stored, ("kind", *scaling.parts))[1:], strict=True))
    # Version 0.2 stored ranked values in float32.
    if getattr(parts.get("values"), "dtype", None) == np.float32:
        parts["values"] = parts["values"].astype(np.float64)
    arrays = {name: decode_array(parts[name], dtype, 1) for name, dtype in scaling.parts.items()}
    return scaling(**arrays, shifts=shifts, weights=weights)


def _kind(stored: Any) -> Any:
    return stored.get("kind") if isinstance(stored, dict) else None


def words(stored: Any, *types: type) -> list[Any]:
    """A list whose items have exactly these types."""
    if not isinstance(stored, list) or not all(type(item) in types for item in stored):
        raise ValueError(f"it is {stored!r:.60} instead of a list of {' or '.join(one.__name__ for one in types)}")
    return stored


def record(kind: type[Any], **parts: Codec) -> Codec:
    """The codec of a value with these parts."""

    def decode(stored: Any) -> Any:
        values = zip(parts.values(), read_parts(stored, tuple(parts)), strict=True)
        return kind(*(codec.decode(value) for codec, value in values))

    return Codec(lambda value: {name: codec.encode(getattr(value, name)) for name, codec in parts.items()}, decode)


def _choice(name: str, choices: Any) -> Codec:
    """The codec of a word."""

    def decode(stored: Any) -> str:
        check_choice(name, stored, choices)
        return stored

    return Codec(str, decode)


def _decode_structure(stored: Any) -> Structure:
    # Version 0.2 did not write rests_on.
    return _STRUCTURE.decode({"rests_on": [], **stored} if isinstance(stored, dict) else stored)


def _decode_levels(stored: Any) -> Levels:
    # Before 0.3 it was the labels alone; `Saved._filled` finds the main level.
    main, stored = (-1, stored) if not isinstance(stored, dict) else read_parts(stored, ("main", "labels"))
    labels = list(decode_array(stored, np.int64, 2))
    if not labels:
        raise ValueError("it holds no level")
    if main != -1 and COUNT.decode(main) >= len(labels):
        raise ValueError(f"level {main} is to be the main one of {len(labels)}, counted from 0")
    return Levels(labels, main)


def n_points(model: dict[str, Any]) -> int:
    """Number of points of a model, from its attributes by name."""
    return model["tree_"].n_leaves


def _n_columns(model: dict[str, Any]) -> int:
    """Number of columns that are scaled."""
    return model["n_features_in_"] if model["_reduction"] is None else len(model["_reduction"])


_NUMBERS = array(np.float64, 1)
_STRUCTURE = record(
    Structure,
    word=_choice("word", Evidence),
    score=NUMBER,
    excess=NUMBER,
    rests_on=Codec(list, lambda stored: tuple(words(stored, str, int))),
)

SHARED = {
    "tree_": TREE,
    "graph_": GRAPH.where(lambda graph, model: graph.n_vertices == n_points(model)),
    "levels_": Codec(lambda levels: {"main": levels.main, "labels": np.stack(levels.labels)}, _decode_levels).where(
        lambda levels, model: levels[0].shape == (n_points(model),) and min(map(np.min, levels)) >= 0
    ),
    "entropy_": NUMBER,
    "bandwidth_": or_none(NUMBER),
    "n_features_in_": COUNT,
    "feature_names_in_": or_none(NAMES).where(lambda names, model: names.shape == (model["n_features_in_"],)),
    "_reduction": or_none(array(np.float64, 2)).where(lambda axes, model: axes.shape[1] == model["n_features_in_"]),
    "_scaler": or_none(Codec(_encode_scaler, _decode_scaler)).where(
        lambda scaler, model: scaler.n_columns == _n_columns(model)
    ),
    # Under the cosine metric, rows of zeros have a column of their own.
    "_scaled": or_none(array(np.float32, 2)).where(
        lambda scaled, model: (
            model["_scaler"] is not None
            and len(scaled) == n_points(model)
            and scaled.shape[1] - _n_columns(model) in (0, 1)
        )
    ),
    "_seed": Codec(int, check_seed),
    "_kinds": or_none(Codec(list, lambda stored: tuple(words(stored, str, type(None))))).where(
        lambda kinds, model: len(kinds) == model["n_features_in_"]
    ),
    "_metric": _choice("metric", Metric),
}
"""Attributes of every estimator."""

FITTED = {
    **SHARED,
    "labels_": array(np.int64, 1).where(
        lambda labels, model: (
            labels.shape == (n_points(model),) and labels.min() >= (0 if model["_outliers"] is None else -1)
        )
    ),
    "structure_": Codec(_STRUCTURE.encode, _decode_structure),
    "_stability": or_none(_NUMBERS).where(lambda measured, model: measured.size == len(model["levels_"])),
    "_outliers": or_none(record(Outliers, distances=_NUMBERS, usual=_NUMBERS, limit=NUMBER)).where(
        lambda outliers, model: (
            outliers.distances.size == outliers.usual.size == n_points(model) and bool((outliers.usual > 0).all())
        )
    ),
}
"""Attributes of estimators that cluster without labels."""

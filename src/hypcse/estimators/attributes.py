"""The stored attributes of fitted estimators: their codecs, and checks that they fit together."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hypcse._checks import check_choice
from hypcse._choices import Evidence, Metric, Scale
from hypcse._random import check_seed
from hypcse.estimators.similarities import Similarities
from hypcse.graph.precision import Shifts
from hypcse.graph.scales import Scaling
from hypcse.graph.scaling import KINDS
from hypcse.partitions.evidence import Structure
from hypcse.partitions.nested_levels import Levels
from hypcse.partitions.outliers import Outliers
from hypcse.storage.archive import Content
from hypcse.storage.values import COUNT, GRAPH, NAMES, NUMBER, TREE, Codec, array, decode_array, or_none, read_parts

LABEL_TYPES = ("|b1", *(f"<{kind}{size}" for kind in "iuf" for size in (2, 4, 8)), "|i1", "|u1")


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


def _items(stored: Any, *types: type) -> list[Any]:
    """A list whose items have exactly these types."""
    if not isinstance(stored, list) or not all(type(item) in types for item in stored):
        raise ValueError(f"it is {stored!r:.60} instead of a list of {' or '.join(one.__name__ for one in types)}")
    return stored


def _record(kind: type[Any], **parts: Codec) -> Codec:
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


def _encode_classes(classes: NDArray[Any]) -> Content:
    """Labels: numbers and booleans as an array, others as text; they must be strings."""
    kind = classes.dtype.kind
    if kind in "iufb":
        return {"kind": classes.dtype.str, "values": classes.astype(np.float64 if kind == "f" else np.int64)}
    if not all(isinstance(label, str) for label in classes.tolist()):
        raise ValueError("only labels that are numbers or text can be saved. Rename the classes.")
    return {"kind": "O" if kind == "O" else "U", "values": [str(label) for label in classes]}


def _decode_classes(stored: Any) -> NDArray[Any]:
    kind, values = read_parts(stored, ("kind", "values"))
    if kind in ("O", "U"):
        return np.array(_items(values, str), dtype=object if kind == "O" else np.str_)
    if not isinstance(kind, str) or kind not in LABEL_TYPES:
        raise ValueError(f"labels are of type {kind!r:.20}")
    return decode_array(values, np.float64 if np.dtype(kind).kind == "f" else np.int64, 1).astype(kind)


_NUMBERS, _TABLE = array(np.float64, 1), array(np.float64, 2)
_POINTS = array(np.float32, 2)
_CLASSES = Codec(_encode_classes, _decode_classes)
_STRUCTURE = _record(
    Structure,
    word=_choice("word", Evidence),
    score=NUMBER,
    excess=NUMBER,
    rests_on=Codec(list, lambda stored: tuple(_items(stored, str, int))),
)

SHARED = {
    "tree_": TREE,
    "graph_": GRAPH,
    "levels_": Codec(lambda levels: {"main": levels.main, "labels": np.stack(levels.labels)}, _decode_levels),
    "entropy_": NUMBER,
    "bandwidth_": or_none(NUMBER),
    "n_features_in_": COUNT,
    "feature_names_in_": or_none(NAMES),
    "_scaler": or_none(Codec(_encode_scaler, _decode_scaler)),
    "_scaled": or_none(_POINTS),
    "_reduction": or_none(_TABLE),
    "_seed": Codec(int, check_seed),
    "_kinds": or_none(Codec(list, lambda stored: tuple(_items(stored, str, type(None))))),
    "_metric": _choice("metric", Metric),
}
"""Attributes of every estimator."""

FITTED = {
    **SHARED,
    "labels_": array(np.int64, 1),
    "structure_": Codec(_STRUCTURE.encode, _decode_structure),
    "_stability": or_none(_NUMBERS),
    "_outliers": or_none(_record(Outliers, distances=_NUMBERS, usual=_NUMBERS, limit=NUMBER)),
}
"""Attributes of estimators that cluster without labels."""

CLASSIFIED = {
    "classes_": _CLASSES,
    "transduction_": _CLASSES,
    "prototypes_": _TABLE,
    "biases_": _NUMBERS,
    "validation_score_": or_none(NUMBER),
    "_scores": _TABLE,
    "_inputs": _POINTS,
    "_similarities": or_none(_record(Similarities, points=_POINTS, mean=_NUMBERS, axes=_TABLE)),
}
"""Attributes of a classifier besides those of every estimator and of the encoder."""


def sizes_of_points(values: dict[str, Any], n_columns: int | None = None) -> dict[str, bool]:
    """For each `SHARED` attribute, whether it has the same points and (scaled) features as the tree."""
    n_points, n_features = values["tree_"].n_leaves, values["n_features_in_"]
    levels, scaler, scaled = values["levels_"], values["_scaler"], values["_scaled"]
    names, kinds, reduction = values["feature_names_in_"], values["_kinds"], values["_reduction"]
    if n_columns is None:
        n_columns = n_features if scaler is None else scaler.n_columns
    return {
        "graph_": values["graph_"].n_vertices == n_points,
        "levels_": levels[0].shape == (n_points,) and min(map(np.min, levels)) >= 0,
        "_reduction": reduction is None or reduction.shape[1] == n_features,
        # Under the cosine metric, rows of zeros have a column of their own.
        "_scaled": scaled is None
        or (scaler is not None and len(scaled) == n_points and scaled.shape[1] - n_columns in (0, 1)),
        "_scaler": scaler is None or scaler.n_columns == n_columns,
        "feature_names_in_": names is None or names.shape == (n_features,),
        "_kinds": kinds is None or len(kinds) == n_features,
    }


def sizes_of_tree(values: dict[str, Any], n_columns: int | None = None) -> dict[str, bool]:
    """For each `FITTED` attribute, whether it has the same points and features as the tree."""
    measured, labels, outliers = values["_stability"], values["labels_"], values["_outliers"]
    return {
        **sizes_of_points(values, n_columns),
        "labels_": labels.shape == (values["tree_"].n_leaves,) and labels.min() >= (0 if outliers is None else -1),
        "_stability": measured is None or measured.size == len(values["levels_"]),
        "_outliers": outliers is None
        or (outliers.distances.size == outliers.usual.size == labels.size and bool((outliers.usual > 0).all())),
    }


def sizes_of_classes(values: dict[str, Any], width: int) -> dict[str, bool]:
    """For each `CLASSIFIED` attribute, whether it fits the others and an encoder of that width."""
    n_points, n_classes, dim = values["tree_"].n_leaves, len(values["classes_"]), values["_config"].embed_dim
    labels, similar = values["transduction_"], values["_similarities"]
    return {
        "transduction_": labels.shape == (n_points,) and bool(np.isin(labels, values["classes_"]).all()),
        "prototypes_": values["prototypes_"].shape == (n_classes, dim + 1),
        "biases_": values["biases_"].shape == (n_classes,),
        "_scores": values["_scores"].shape == (n_points, n_classes),
        "_inputs": values["_inputs"].shape == (n_points, width),
        "_similarities": similar is None
        or (len(similar.points), similar.mean.size, *similar.axes.shape) == (n_points, n_points, width, n_points),
    }

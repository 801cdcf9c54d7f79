"""The stored attributes of fitted estimators: their codecs, and checks that they fit together."""

from __future__ import annotations

from dataclasses import asdict
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


def _decode_structure(kept: Any) -> Structure:
    # Version 0.2 did not write rests_on.
    kept = {"rests_on": [], **kept} if isinstance(kept, dict) else kept
    word, score, excess, columns = read_parts(kept, ("word", "score", "excess", "rests_on"))
    check_choice("word", word, Evidence)
    if not isinstance(columns, list) or not all(type(column) in (str, int) for column in columns):
        raise ValueError(f"rests_on is {columns!r:.60} instead of a list of columns")
    return Structure(word, NUMBER.decode(score), NUMBER.decode(excess), tuple(columns))


def _encode_structure(structure: Structure) -> Content:
    return {**asdict(structure), "rests_on": list(structure.rests_on)}


def _decode_outliers(kept: Any) -> Outliers:
    distances, usual, limit = read_parts(kept, ("distances", "usual", "limit"))
    usual = decode_array(usual, np.float64, 1)
    if not (usual > 0).all():
        raise ValueError("usual distances must be positive")
    return Outliers(decode_array(distances, np.float64, 1), usual, NUMBER.decode(limit))


def _encode_levels(found: Levels) -> Content:
    return {"main": found.main, "labels": np.stack(found.labels)}


def _decode_levels(kept: Any) -> Levels:
    if not isinstance(kept, dict):
        # Before 0.3 it was the labels alone; `Saved.filled` finds the main level.
        return Levels(_decode_labels(kept), -1)
    main, labels = read_parts(kept, ("main", "labels"))
    found = _decode_labels(labels)
    if COUNT.decode(main) >= len(found):
        raise ValueError(f"level {main} is to be the main one of {len(found)}, counted from 0")
    return Levels(found, main)


def _decode_labels(kept: Any) -> list[NDArray[np.int64]]:
    labels = list(decode_array(kept, np.int64, 2))
    if not labels:
        raise ValueError("it holds no level")
    return labels


def _decode_kinds(kept: Any) -> tuple[str | None, ...]:
    if not isinstance(kept, list) or not all(kind is None or type(kind) is str for kind in kept):
        raise ValueError(f"it is {kept!r:.60} instead of a list of texts and none")
    return tuple(kept)


def _decode_metric(kept: Any) -> str:
    check_choice("metric", kept, Metric)
    return kept


def _encode_classes(classes: NDArray[Any]) -> Content:
    """Labels: numbers and booleans as an array, others as text; they must be strings."""
    if classes.dtype.kind in "iufb":
        return {
            "kind": classes.dtype.str,
            "values": classes.astype(np.float64 if classes.dtype.kind == "f" else np.int64),
        }
    if not all(isinstance(label, str) for label in classes.tolist()):
        raise ValueError("only labels that are numbers or text can be saved. Rename the classes.")
    return {"kind": "O" if classes.dtype.kind == "O" else "U", "values": [str(label) for label in classes]}


def _decode_classes(kept: Any) -> NDArray[Any]:
    kind, values = read_parts(kept, ("kind", "values"))
    if kind in ("O", "U"):
        if not isinstance(values, list) or not all(isinstance(label, str) for label in values):
            raise ValueError("the labels are not texts")
        return np.array(values, dtype=object if kind == "O" else np.str_)
    if not isinstance(kind, str) or kind not in LABEL_TYPES:
        raise ValueError(f"labels are of type {kind!r:.20}")
    return decode_array(values, np.float64 if np.dtype(kind).kind == "f" else np.int64, 1).astype(kind)


def _encode_similarities(similarities: Similarities) -> Content:
    return {"points": similarities.points, "mean": similarities.mean, "axes": similarities.axes}


def _decode_similarities(kept: Any) -> Similarities:
    points, mean, axes = read_parts(kept, ("points", "mean", "axes"))
    return Similarities(
        decode_array(points, np.float32, 2), decode_array(mean, np.float64, 1), decode_array(axes, np.float64, 2)
    )


SHARED = {
    "tree_": TREE,
    "graph_": GRAPH,
    "levels_": Codec(_encode_levels, _decode_levels),
    "entropy_": NUMBER,
    "bandwidth_": or_none(NUMBER),
    "n_features_in_": COUNT,
    "feature_names_in_": or_none(NAMES),
    "_scaler": or_none(Codec(_encode_scaler, _decode_scaler)),
    "_scaled": or_none(array(np.float32, 2)),
    "_reduction": or_none(array(np.float64, 2)),
    "_seed": Codec(int, check_seed),
    "_kinds": or_none(Codec(list, _decode_kinds)),
    "_metric": Codec(str, _decode_metric),
}
"""Attributes of every estimator."""

FITTED = {
    **SHARED,
    "labels_": array(np.int64, 1),
    "structure_": Codec(_encode_structure, _decode_structure),
    "_stability": or_none(array(np.float64, 1)),
    "_outliers": or_none(Codec(asdict, _decode_outliers)),
}
"""Attributes of estimators that cluster without labels."""

CLASSIFIED = {
    "classes_": Codec(_encode_classes, _decode_classes),
    "transduction_": Codec(_encode_classes, _decode_classes),
    "prototypes_": array(np.float64, 2),
    "biases_": array(np.float64, 1),
    "validation_score_": or_none(NUMBER),
    "_scores": array(np.float64, 2),
    "_inputs": array(np.float32, 2),
    "_similarities": or_none(Codec(_encode_similarities, _decode_similarities)),
}
"""Attributes of a classifier besides those of every estimator and of the encoder."""


def sizes_of_points(found: dict[str, Any], n_columns: int | None = None) -> dict[str, bool]:
    """For each `SHARED` attribute, whether it has the same points and features as the tree.

    n_columns : number of scaled features, if known from elsewhere; by default the number of columns of the scale.
    """
    n_points, n_features = found["tree_"].n_leaves, found["n_features_in_"]
    scaler, scaled, names = found["_scaler"], found["_scaled"], found["feature_names_in_"]
    if n_columns is None:
        n_columns = n_features if scaler is None else scaler.n_columns
    return {
        "graph_": found["graph_"].n_vertices == n_points,
        "levels_": found["levels_"][0].shape == (n_points,) and min(map(np.min, found["levels_"])) >= 0,
        "_reduction": found["_reduction"] is None or found["_reduction"].shape[1] == n_features,
        # Under the cosine metric, rows of zeros have a column of their own.
        "_scaled": scaled is None
        or (scaler is not None and len(scaled) == n_points and scaled.shape[1] - n_columns in (0, 1)),
        "_scaler": scaler is None or scaler.n_columns == n_columns,
        "feature_names_in_": names is None or names.shape == (n_features,),
        "_kinds": found["_kinds"] is None or len(found["_kinds"]) == n_features,
    }


def sizes_of_tree(found: dict[str, Any], n_columns: int | None = None) -> dict[str, bool]:
    """For each `FITTED` attribute, whether it has the same points and features as the tree."""
    measured, labels, outliers = found["_stability"], found["labels_"], found["_outliers"]
    return {
        **sizes_of_points(found, n_columns),
        "labels_": labels.shape == (found["tree_"].n_leaves,) and labels.min() >= (0 if outliers is None else -1),
        "_stability": measured is None or measured.size == len(found["levels_"]),
        "_outliers": outliers is None or outliers.distances.size == outliers.usual.size == labels.size,
    }


def sizes_of_classes(found: dict[str, Any], width: int) -> dict[str, bool]:
    """For each `CLASSIFIED` attribute, whether it fits the others.

    width : width of the encoder's input.
    """
    n_points, n_classes, dim = found["tree_"].n_leaves, len(found["classes_"]), found["_config"].embed_dim
    similarities = found["_similarities"]
    return {
        "transduction_": found["transduction_"].shape == (n_points,)
        and bool(np.isin(found["transduction_"], found["classes_"]).all()),
        "prototypes_": found["prototypes_"].shape == (n_classes, dim + 1),
        "biases_": found["biases_"].shape == (n_classes,),
        "_scores": found["_scores"].shape == (n_points, n_classes),
        "_inputs": found["_inputs"].shape == (n_points, width),
        "_similarities": similarities is None
        or (len(similarities.points), similarities.mean.size, *similarities.axes.shape)
        == (n_points, n_points, width, n_points),
    }

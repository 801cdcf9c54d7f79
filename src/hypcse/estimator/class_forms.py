"""How what a classifier learns of classes is written down."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hypcse._archive import Content
from hypcse._forms import NUMBER, Form, array, or_none, parts_of, take_array
from hypcse.estimator.similarities import Similarities
from hypcse.estimator.trained import n_inputs

LABEL_TYPES = ("|b1", *(f"<{kind}{size}" for kind in "iuf" for size in (2, 4, 8)), "|i1", "|u1")


def _put_classes(classes: NDArray[Any]) -> Content:
    """Labels: numbers and booleans as an array, all else as text, which is what such labels must be."""
    if classes.dtype.kind in "iufb":
        return {
            "kind": classes.dtype.str,
            "values": classes.astype(np.float64 if classes.dtype.kind == "f" else np.int64),
        }
    if not all(isinstance(label, str) for label in classes.tolist()):
        raise ValueError("only labels that are numbers or text can be saved. Rename the classes.")
    return {"kind": "O" if classes.dtype.kind == "O" else "U", "values": [str(label) for label in classes]}


def _take_classes(kept: Any) -> NDArray[Any]:
    kind, values = parts_of(kept, ("kind", "values"))
    if kind in ("O", "U"):
        if not isinstance(values, list) or not all(isinstance(label, str) for label in values):
            raise ValueError("the labels are no texts")
        return np.array(values, dtype=object if kind == "O" else np.str_)
    if not isinstance(kind, str) or kind not in LABEL_TYPES:
        raise ValueError(f"labels are of type {kind!r:.20}")
    return take_array(values, np.float64 if np.dtype(kind).kind == "f" else np.int64, 1).astype(kind)


def _put_similarities(similarities: Similarities) -> Content:
    return {"points": similarities.points, "mean": similarities.mean, "axes": similarities.axes}


def _take_similarities(kept: Any) -> Similarities:
    points, mean, axes = parts_of(kept, ("points", "mean", "axes"))
    return Similarities(
        take_array(points, np.float32, 2), take_array(mean, np.float64, 1), take_array(axes, np.float64, 2)
    )


CLASSIFIED = {
    "classes_": Form(_put_classes, _take_classes),
    "transduction_": Form(_put_classes, _take_classes),
    "prototypes_": array(np.float64, 2),
    "biases_": array(np.float64, 1),
    "validation_score_": or_none(NUMBER),
    "_scores": array(np.float64, 2),
    "_inputs": array(np.float32, 2),
    "_similarities": or_none(Form(_put_similarities, _take_similarities)),
}
"""Attributes of a classifier beside those of every estimator and of the encoder."""


def sizes_of_classes(found: dict[str, Any]) -> dict[str, bool]:
    """Of each of the `CLASSIFIED` attributes whether it fits the others."""
    n_points, n_classes, dim = found["tree_"].n_leaves, len(found["classes_"]), found["_config"].model.embed_dim
    similarities, width = found["_similarities"], n_inputs(found["_state"])
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

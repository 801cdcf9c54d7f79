"""What only a classifier holds: its classes, features made only from similarities, and how these are stored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from hypcse._memory import check_memory
from hypcse.estimators.attributes import n_points, record, words
from hypcse.neural.trained import n_inputs
from hypcse.storage.archive import Content
from hypcse.storage.values import NUMBER, Codec, array, decode_array, or_none, read_parts

LABEL_TYPES = ("|b1", *(f"<{kind}{size}" for kind in "iuf" for size in (2, 4, 8)), "|i1", "|u1")
N_COMPONENTS = 10


@dataclass(frozen=True, eq=False)
class Similarities:
    """Principal components of the similarities exp(-d^2) to all points: their mean (n,) and first axes (10, n)."""

    points: NDArray[np.float32]
    mean: NDArray[np.float64]
    axes: NDArray[np.float64]

    @classmethod
    def learn(cls, points: NDArray[np.float32]) -> Self:
        """From the training points; O(n^2) in memory."""
        n = len(points)
        check_memory(f"all similarities of {n:,} points", 24 * n * n, 'Pass features="table".')
        similar = np.exp(-cdist(points, points, "sqeuclidean"))
        mean = similar.mean(axis=0)
        _, axes = np.linalg.eigh((similar - mean).T @ (similar - mean))
        first = axes[:, ::-1][:, :N_COMPONENTS].T
        # The sign of an axis is arbitrary: its largest entry is made positive.
        largest = first[np.arange(len(first)), np.abs(first).argmax(axis=1)]
        return cls(points, mean, first * np.sign(largest)[:, None])

    def apply(self, points: NDArray[np.float32]) -> NDArray[np.float32]:
        """Components (m, 10) of points (m, d), scaled."""
        similar = np.exp(-cdist(points, self.points, "sqeuclidean"))
        return ((similar - self.mean) @ self.axes.T).astype(np.float32)


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
        return np.array(words(values, str), dtype=object if kind == "O" else np.str_)
    if not isinstance(kind, str) or kind not in LABEL_TYPES:
        raise ValueError(f"labels are of type {kind!r:.20}")
    return decode_array(values, np.float64 if np.dtype(kind).kind == "f" else np.int64, 1).astype(kind)


_CLASSES = Codec(_encode_classes, _decode_classes)
_TABLE, _NUMBERS, _POINTS = array(np.float64, 2), array(np.float64, 1), array(np.float32, 2)


def _n_classes(model: dict[str, Any]) -> int:
    return len(model["classes_"])


def _similarities_fit(similar: Similarities, model: dict[str, Any]) -> bool:
    n, width = n_points(model), n_inputs(model["_state"])
    shapes = *similar.points.shape, similar.mean.size, *similar.axes.shape
    return shapes == (n, model["_scaler"].n_columns, n, width, n)


CLASSIFIED = {
    "classes_": _CLASSES,
    "transduction_": _CLASSES.where(
        lambda labels, model: labels.shape == (n_points(model),) and bool(np.isin(labels, model["classes_"]).all())
    ),
    "prototypes_": _TABLE.where(
        lambda places, model: places.shape == (_n_classes(model), model["_config"].embed_dim + 1)
    ),
    "biases_": _NUMBERS.where(lambda biases, model: biases.shape == (_n_classes(model),)),
    "validation_score_": or_none(NUMBER),
    "_scores": _TABLE.where(lambda scores, model: scores.shape == (n_points(model), _n_classes(model))),
    "_inputs": _POINTS.where(lambda inputs, model: inputs.shape == (n_points(model), n_inputs(model["_state"]))),
    "_similarities": or_none(record(Similarities, points=_POINTS, mean=_NUMBERS, axes=_TABLE)).where(_similarities_fit),
}
"""Attributes of a classifier besides those of every estimator and of the encoder."""

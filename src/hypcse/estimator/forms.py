"""How the attributes of fitted estimators are written down."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hypcse._archive import Content
from hypcse._checks import check_choice
from hypcse._forms import COUNT, GRAPH, NAMES, NUMBER, TREE, Form, array, or_none, parts_of, take_array
from hypcse.chance.structure import WORDS, Structure
from hypcse.graph.features import KINDS, SCALES, Scaling, WeightedScaling
from hypcse.graph.neighbors import METRICS


def _put_scaler(scaler: Scaling) -> Content:
    kept = {"kind": scaler.kind, **{name: getattr(scaler, name) for name in scaler.parts}}
    return {**kept, "inner": _put_scaler(scaler.inner)} if isinstance(scaler, WeightedScaling) else kept


def _take_scaler(kept: Any) -> Scaling:
    kind: Any = kept.get("kind") if isinstance(kept, dict) else None
    if kind == WeightedScaling.kind:
        _, weights, inner = parts_of(kept, ("kind", "weights", "inner"))
        if isinstance(inner, dict) and inner.get("kind") == kind:
            raise ValueError("a weighted scale holds another")
        return WeightedScaling(_take_scaler(inner), take_array(weights, np.float32, 1))
    check_choice("kind", kind, SCALES)
    scaling: Any = KINDS[kind]
    _, *found = parts_of(kept, ("kind", *scaling.parts))
    return scaling(*(take_array(part, dtype, 1) for part, dtype in zip(found, scaling.parts.values(), strict=True)))


def _take_structure(kept: Any) -> Structure:
    word, score, excess = parts_of(kept, ("word", "score", "excess"))
    check_choice("word", word, WORDS)
    return Structure(word, NUMBER.take(score), NUMBER.take(excess))


def _take_levels(kept: Any) -> list[NDArray[np.int64]]:
    found = list(take_array(kept, np.int64, 2))
    if not found:
        raise ValueError("it holds no level")
    return found


def _take_kinds(kept: Any) -> tuple[str | None, ...]:
    if not isinstance(kept, list) or not all(kind is None or type(kind) is str for kind in kept):
        raise ValueError(f"it is {kept!r:.60} instead of a list of texts and none")
    return tuple(kept)


def _take_metric(kept: Any) -> str:
    check_choice("metric", kept, METRICS)
    return kept


SHARED = {
    "tree_": TREE,
    "graph_": GRAPH,
    "levels_": Form(np.stack, _take_levels),
    "entropy_": NUMBER,
    "n_features_in_": COUNT,
    "feature_names_in_": or_none(NAMES),
    "_scaler": or_none(Form(_put_scaler, _take_scaler)),
    "_scaled": or_none(array(np.float32, 2)),
    "_reduction": or_none(array(np.float64, 2)),
    "_bandwidth": NUMBER,
    "_seed": COUNT,
    "_kinds": or_none(Form(list, _take_kinds)),
    "_metric": Form(str, _take_metric),
}
"""Attributes of every estimator."""

FITTED = {
    **SHARED,
    "labels_": array(np.int64, 1),
    "structure_": Form(asdict, _take_structure),
    "_stability": or_none(array(np.float64, 1)),
}
"""Attributes of estimators that cluster without labels."""


def sizes_of_points(found: dict[str, Any], n_columns: int | None = None) -> dict[str, bool]:
    """Of each of the `SHARED` attributes whether it is about the same points and features as the tree.

    n_columns : of the features on their scale, where something else tells it; those of the scale by default.
    """
    n_points, n_features = found["tree_"].n_leaves, found["n_features_in_"]
    scaler, scaled, names = found["_scaler"], found["_scaled"], found["feature_names_in_"]
    if n_columns is None:
        n_columns = n_features if scaler is None else scaler.n_columns
    return {
        "graph_": found["graph_"].n_vertices == n_points,
        "levels_": found["levels_"][0].shape == (n_points,) and min(map(np.min, found["levels_"])) >= 0,
        "_reduction": found["_reduction"] is None or found["_reduction"].shape[1] == n_features,
        "_scaled": scaled is None or (scaler is not None and scaled.shape == (n_points, n_columns)),
        "_scaler": scaler is None or scaler.n_columns == n_columns,
        "feature_names_in_": names is None or names.shape == (n_features,),
        "_kinds": found["_kinds"] is None or len(found["_kinds"]) == n_features,
    }


def sizes_of_tree(found: dict[str, Any], n_columns: int | None = None) -> dict[str, bool]:
    """Of each of the `FITTED` attributes whether it is about the same points and features as the tree."""
    measured, labels = found["_stability"], found["labels_"]
    return {
        **sizes_of_points(found, n_columns),
        "labels_": labels.shape == (found["tree_"].n_leaves,) and labels.min() >= 0,
        "_stability": measured is None or measured.size == len(found["levels_"]),
    }

"""Saving and loading of fitted estimators: a folder of safetensors and JSON."""

from __future__ import annotations

import os
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from hypcse._archive import FACTS, FILES, Content, ModelFileError, fail, pack, read_archive
from hypcse._checks import check_choice
from hypcse._folders import check_place, write_folder
from hypcse.chance.structure import UNTESTED, WORDS, Structure
from hypcse.discrete import levels
from hypcse.estimator.similarities import Similarities
from hypcse.graph.scaling import KINDS, SCALES, Scaling
from hypcse.training.forms import (
    CONFIG,
    COUNT,
    GRAPH,
    HISTORY,
    NAMES,
    NUMBER,
    STATE,
    TREE,
    Form,
    array,
    check_state,
    or_none,
    parts_of,
    take_array,
)
from hypcse.training.typed import put_options, take_options

KIND = "hypcse-model"
LABEL_TYPES = ("|b1", *(f"<{kind}{size}" for kind in "iuf" for size in (2, 4, 8)), "|i1", "|u1")
INNER = "model"
"""Folder of the model inside what `hypcse fit` writes."""


def _put_scaler(scaler: Scaling) -> Content:
    return {"kind": scaler.kind, **{name: getattr(scaler, name) for name in scaler.parts}}


def _take_scaler(kept: Any) -> Scaling:
    kind: Any = kept.get("kind") if isinstance(kept, dict) else None
    check_choice("kind", kind, SCALES)
    scaling: Any = KINDS[kind]
    _, *found = parts_of(kept, ("kind", *scaling.parts))
    return scaling(*(take_array(part, dtype, 1) for part, dtype in zip(found, scaling.parts.values(), strict=True)))


def _take_structure(kept: Any) -> Structure:
    word, score, excess = parts_of(kept, ("word", "score", "excess"))
    check_choice("word", word, WORDS)
    return Structure(word, NUMBER.take(score), NUMBER.take(excess))


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


def _take_levels(kept: Any) -> list[NDArray[np.int64]]:
    found = list(take_array(kept, np.int64, 2))
    if not found:
        raise ValueError("it holds no level")
    return found


# Every attribute that fitting makes, and how it is stored. What the tree gives (linkage and its parts) is made anew.
SHARED = {
    "tree_": TREE,
    "graph_": GRAPH,
    "embedding_": array(np.float64, 2),
    "levels_": Form(np.stack, _take_levels),
    "entropy_": NUMBER,
    "history_": HISTORY,
    "n_features_in_": COUNT,
    "feature_names_in_": or_none(NAMES),
    "_scaler": or_none(Form(_put_scaler, _take_scaler)),
    "_scaled": or_none(array(np.float32, 2)),
    "_reduction": or_none(array(np.float64, 2)),
    "_bandwidth": NUMBER,
    "_config": CONFIG,
    "_state": STATE,
    "_encoded_on": GRAPH,
}
FITTED = {
    **SHARED,
    "labels_": array(np.int64, 1),
    "structure_": Form(asdict, _take_structure),
    "_stability": or_none(array(np.float64, 1)),
}
CLASSIFIED = {
    **SHARED,
    "classes_": Form(_put_classes, _take_classes),
    "transduction_": Form(_put_classes, _take_classes),
    "prototypes_": array(np.float64, 2),
    "biases_": array(np.float64, 1),
    "validation_score_": or_none(NUMBER),
    "_scores": array(np.float64, 2),
    "_inputs": array(np.float32, 2),
    "_similarities": or_none(Form(_put_similarities, _take_similarities)),
}
FORMS = {"HypCSE": FITTED, "HypCSEClassifier": CLASSIFIED}
"""The attributes of each estimator, by its name."""

ADDED = ("levels_", "structure_", "_stability")
"""What models of before 0.2 do not hold: levels are found again, and nothing was compared with chance."""

Model = TypeVar("Model")


def save(model: Any, folder: str | os.PathLike[str], overwrite: bool = False) -> None:
    """Write a fitted estimator to a folder, whole or not at all; a folder of ours is replaced only if asked."""
    place = Path(folder)
    check_is_fitted(model)
    check_place(place, overwrite, FILES)
    write_folder(place, packed(model))


def packed(model: Any) -> dict[str, bytes]:
    """The files of a fitted estimator, by name."""
    content = {
        "estimator": type(model).__name__,
        "parameters": put_options({**model.get_params(deep=False), "callback": None}, _hints(type(model))),
        "fitted": {name: form.put(getattr(model, name, None)) for name, form in FORMS[type(model).__name__].items()},
    }
    # Attributes may have been changed by hand since: what could not be read again is not written.
    _restored(type(model), content)
    return pack(KIND, content)


def load(kind: type[Model], folder: str | os.PathLike[str]) -> Model:
    """The estimator of that class in a folder; `ModelFileError` where there is none, or not a whole one."""
    place = Path(folder)
    if not (place / FACTS).exists() and (place / INNER / FACTS).is_file():
        raise ModelFileError(
            f"{place} holds no model itself; that of `hypcse fit` lies in {place / INNER}. Load it there."
        )
    content = read_archive(place, KIND)
    try:
        return _restored(kind, content)
    except (ValueError, TypeError) as error:
        if isinstance(error, ModelFileError):
            raise
        fail(place, str(error))


def _restored(kind: type[Model], content: Content) -> Model:
    """A new estimator with the parameters and attributes of a content; ValueError unless all fits together."""
    estimator, parameters, fitted = parts_of(content, ("estimator", "parameters", "fitted"))
    if estimator != kind.__name__:
        raise ValueError(f"it is a {estimator!r:.60}, which {kind.__name__}.load does not read")
    model: Any = kind(**take_options(parameters, _hints(kind)))
    forms = FORMS[kind.__name__]
    earlier = kind.__name__ == "HypCSE" and isinstance(fitted, dict) and not any(name in fitted for name in ADDED)
    names = tuple(name for name in forms if not (earlier and name in ADDED))
    found = {name: _taken(forms[name], name, kept) for name, kept in zip(names, parts_of(fitted, names), strict=True)}
    if earlier:
        found |= {"levels_": levels(found["tree_"], found["graph_"]), "structure_": UNTESTED, "_stability": None}
    _check_together(found)
    model._keep(**{name: value for name, value in found.items() if value is not None or name.startswith("_")})
    return model


def _taken(form: Form, name: str, kept: Any) -> Any:
    try:
        return form.take(kept)
    except (ValueError, TypeError) as error:
        raise ValueError(f"{name} is not what it should be: {error}") from None


def _check_together(found: dict[str, Any]) -> None:
    """Raise unless all attributes are about the same points and features, and the weights those of the networks."""
    n_points, n_features = found["tree_"].n_leaves, found["n_features_in_"]
    n_inputs = _n_inputs(found["_state"])
    compared = found.get("_similarities")
    n_columns = n_inputs if compared is None else compared.points.shape[1]
    config, names = found["_config"], found["feature_names_in_"]
    sizes = {
        "graph_": found["graph_"].n_vertices == n_points,
        "embedding_": found["embedding_"].shape == (n_points, config.model.embed_dim),
        "history_": all(step.n_epochs == config.schedule.n_epochs for step in found["history_"]),
        "levels_": found["levels_"][0].shape == (n_points,) and min(map(np.min, found["levels_"])) >= 0,
        "_encoded_on": found["_encoded_on"].n_vertices == n_points,
        "_reduction": found["_reduction"] is None or found["_reduction"].shape[1] == n_features,
        "_scaled": found["_scaled"] is None or found["_scaled"].shape == (n_points, n_columns),
        "_scaler": found["_scaler"] is None or found["_scaler"].n_columns == n_columns,
        "feature_names_in_": names is None or names.shape == (n_features,),
    }
    sizes |= _sizes_of_labels(found, n_points)
    wrong = [name for name, right in sizes.items() if not right]
    if wrong:
        raise ValueError(
            f"{wrong[0]} does not fit the settings and the tree of {n_points} points, {n_features} features"
        )
    if found["_scaled"] is not None and found["_scaler"] is None:
        raise ValueError("there are features but no scale of them")
    check_state(found["_state"], n_inputs, config)


def _sizes_of_labels(found: dict[str, Any], n_points: int) -> dict[str, bool]:
    """Whether what only one of the estimators has fits."""
    if "labels_" in found:
        measured = found["_stability"]
        return {
            "labels_": found["labels_"].shape == (n_points,) and found["labels_"].min() >= 0,
            "_stability": measured is None or measured.size == len(found["levels_"]),
        }
    n_classes, dim = len(found["classes_"]), found["_config"].model.embed_dim
    similarities, n_inputs = found["_similarities"], _n_inputs(found["_state"])
    return {
        "transduction_": found["transduction_"].shape == (n_points,)
        and bool(np.isin(found["transduction_"], found["classes_"]).all()),
        "prototypes_": found["prototypes_"].shape == (n_classes, dim + 1),
        "biases_": found["biases_"].shape == (n_classes,),
        "_scores": found["_scores"].shape == (n_points, n_classes),
        "_inputs": found["_inputs"].shape == (n_points, n_inputs),
        "_similarities": similarities is None
        or (len(similarities.points), similarities.mean.size, *similarities.axes.shape)
        == (n_points, n_points, n_inputs, n_points),
    }


def _n_inputs(state: dict[str, Any]) -> int:
    """Width of what the encoder is fed: features, reduced ones, or those of the graph."""
    first = state.get("encoder.linears.0.weight")
    if first is None or first.ndim != 2 or first.shape[1] < 2:
        raise ValueError("the weights of the encoder's first layer are missing")
    return int(first.shape[1]) - 1


def _hints(kind: type[Any]) -> dict[str, Any]:
    """The types of a constructor's parameters."""
    hints = get_type_hints(kind.__init__)
    hints.pop("return", None)
    return hints

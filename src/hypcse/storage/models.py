"""Saving and loading of fitted estimators, which declare by codecs what they store."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, TypeVar

from sklearn.utils.validation import check_is_fitted

from hypcse.storage.archive import FACTS, FILES, Content, ModelFileError, check_folder, fail, pack, read_archive
from hypcse.storage.files import check_place, write_folder
from hypcse.storage.options import decode_options, encode_options, hints_of, nest_options, spread_options
from hypcse.storage.values import read_parts

KIND = "hypcse-model"
INNER = "model"
"""Folder of the model inside the folder that `hypcse fit` writes."""

HOMES = {
    "EntropyClustering": "hypcse.EntropyClustering",
    "HypCSE": "hypcse.HypCSE",
    "HypCSEClassifier": "hypcse.HypCSEClassifier",
    "MethodClustering": "hypcse.methods.MethodClustering",
    "TopicClusterer": "hypcse.topics.TopicClusterer",
}
"""The public name of each estimator."""

RENAMED = {"_bandwidth": "bandwidth_"}
"""Attributes that versions before 0.3 wrote under another name."""

Model = TypeVar("Model")


def save_model(model: Any, folder: str | os.PathLike[str], overwrite: bool = False) -> Path:
    """Write a fitted estimator to a folder, completely or not at all, and return where it is."""
    place = Path(folder)
    check_is_fitted(model)
    check_place(place, overwrite, FILES)
    return write_folder(place, pack_model(model), overwrite)


def pack_model(model: Any) -> dict[str, bytes]:
    """The files of a fitted estimator, by name."""
    kind = type(model)
    parameters = spread_options(kind, model.get_params(deep=False))
    # A callback is code, and a generator is used up: `_seed` has the seed.
    for name in {"callback", "random_state"} & parameters.keys():
        value = parameters[name]
        parameters[name] = value.__index__() if hasattr(value, "__index__") else None
    content = {
        "estimator": kind.__name__,
        "parameters": encode_options(parameters, hints_of(kind)),
        "fitted": {name: codec.encode(getattr(model, name, None)) for name, codec in kind._stored.items()},
    }
    # Attributes may have been changed by hand: refuse to write what could not be read again.
    _restore(kind, content)
    return pack(KIND, content)


def load_model(kind: type[Model], folder: str | os.PathLike[str]) -> Model:
    """Load an estimator of that class from a folder; `ModelFileError` if there is none, or if it is incomplete."""
    place = Path(folder)
    check_folder(place)
    if not (place / FACTS).exists() and (place / INNER / FACTS).is_file():
        raise ModelFileError(f"{place} is a folder of `hypcse fit`; its model is in {place / INNER}. Load that folder.")
    content, version = read_archive(place, KIND)
    try:
        return _restore(kind, content, version)
    except (ValueError, TypeError) as error:
        fail(place, str(error))


def _restore(kind: type[Model], content: Content, version: str = "") -> Model:
    """A new estimator with these parameters and attributes; ValueError if they do not fit together."""
    estimator, parameters, fitted = read_parts(content, ("estimator", "parameters", "fitted"))
    if estimator != kind.__name__:
        way_out = f" Call {HOMES[estimator]}.load." if estimator in HOMES else ""
        raise ValueError(f"it is a {estimator!r:.60}, which {kind.__name__}.load cannot read.{way_out}")
    owner: Any = kind
    writer = f"it was written by hypcse {version or 'of an unknown version'}"
    try:
        options = decode_options(parameters, hints_of(owner))
    except ValueError as error:
        raise ValueError(f"{writer}, and of its parameters {error}") from None
    model = owner(**nest_options(owner, options))
    if not isinstance(fitted, dict):
        raise ValueError(f"what was fitted is {fitted!r:.60}")
    fitted = {RENAMED.get(name, name): value for name, value in fitted.items()}
    unknown = sorted(map(str, fitted.keys() - owner._stored.keys()))
    if unknown:
        raise ValueError(f"{writer} and holds {unknown[0]!r:.60}, which this version does not know")
    values = {}
    for name, value in fitted.items():
        try:
            values[name] = owner._stored[name].decode(value)
        except (ValueError, TypeError) as error:
            raise ValueError(f"{name} is not what it should be: {error}") from None
    values = {**owner._filled(model, values), **values}
    missing = [name for name in owner._stored if name not in values]
    if missing:
        raise ValueError(f"{missing[0]} is missing")
    wrong = [name for name, codec in owner._stored.items() if not codec.fits(values[name], values)]
    if wrong:
        raise ValueError(
            f"{wrong[0]} does not fit the settings and the tree of {values['tree_'].n_leaves} points, "
            f"{values['n_features_in_']} features"
        )
    model._keep(**{name: value for name, value in values.items() if value is not None or name != "feature_names_in_"})
    return model

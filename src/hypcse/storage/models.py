"""Saving and loading of fitted estimators: a folder of safetensors and JSON.

An estimator declares what it stores: `stored` (attributes with their codecs), `sizes` (whether they fit together),
`filled` (what older versions did not write) and `keep` (how attributes are set).
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, TypeVar

from sklearn.utils.validation import check_is_fitted

from hypcse.storage.archive import FACTS, FILES, Content, ModelFileError, check_folder, fail, pack, read_archive
from hypcse.storage.options import decode_options, encode_options, hints_of, nest_options, spread_options
from hypcse.storage.values import Codec, read_parts
from hypcse.storage.whole import check_place, write_folder

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
    """Write a fitted estimator to a folder, completely or not at all; an existing model is replaced only if asked.

    Returns where it is: `folder`, or a name beside it if another folder appeared there meanwhile.
    """
    place = Path(folder)
    check_is_fitted(model)
    check_place(place, overwrite, FILES)
    return write_folder(place, pack_model(model), overwrite)


def pack_model(model: Any) -> dict[str, bytes]:
    """The files of a fitted estimator, by name."""
    options = spread_options(type(model), model.get_params(deep=False))
    parameters = {name: _storable(name, value) for name, value in options.items()}
    content = {
        "estimator": type(model).__name__,
        "parameters": encode_options(parameters, hints_of(type(model))),
        "fitted": {name: codec.encode(getattr(model, name, None)) for name, codec in type(model).stored.items()},
    }
    # Attributes may have been changed by hand: refuse to write what could not be read again.
    _restore(type(model), content)
    return pack(KIND, content)


def _storable(name: str, value: Any) -> Any:
    """A parameter as it is stored: no callback, and None for a generator, which is used up; `_seed` has the seed."""
    if name == "callback" or (name == "random_state" and not isinstance(value, int)):
        return value.__index__() if hasattr(value, "__index__") else None
    return value


def load_model(kind: type[Model], folder: str | os.PathLike[str]) -> Model:
    """Load an estimator of that class from a folder; `ModelFileError` if there is none, or if it is incomplete."""
    place = Path(folder)
    check_folder(place)
    try:
        is_inside = not (place / FACTS).exists() and (place / INNER / FACTS).is_file()
    except OSError as error:
        fail(place / FACTS, f"the file cannot be read ({error.strerror})")
    if is_inside:
        raise ModelFileError(f"{place} is a folder of `hypcse fit`; its model is in {place / INNER}. Load that folder.")
    content, version = read_archive(place, KIND)
    try:
        return _restore(kind, content, version)
    except (ValueError, TypeError) as error:
        if isinstance(error, ModelFileError):
            raise
        fail(place, str(error))


def _restore(kind: type[Model], content: Content, version: str = "") -> Model:
    """A new estimator with these parameters and attributes; ValueError if they do not fit together."""
    estimator, parameters, fitted = read_parts(content, ("estimator", "parameters", "fitted"))
    if estimator != kind.__name__:
        way_out = f" Call {HOMES[estimator]}.load." if estimator in HOMES else ""
        raise ValueError(f"it is a {estimator!r:.60}, which {kind.__name__}.load cannot read.{way_out}")
    owner: Any = kind
    model = owner(**nest_options(owner, _parameters(owner, parameters, version)))
    if not isinstance(fitted, dict):
        raise ValueError(f"what was fitted is {fitted!r:.60}")
    fitted = {RENAMED.get(name, name): kept for name, kept in fitted.items()}
    unknown = sorted(map(str, fitted.keys() - owner.stored.keys()))
    if unknown:
        raise ValueError(f"{_written_by(version)} and holds {unknown[0]!r:.60}, which this version does not know")
    found = {name: _decode(owner.stored[name], name, kept) for name, kept in fitted.items()}
    found = {**owner.filled(model, found), **found}
    missing = [name for name in owner.stored if name not in found]
    if missing:
        raise ValueError(f"{missing[0]} is missing")
    _check_sizes(owner, found)
    model.keep(**{name: value for name, value in found.items() if value is not None or name != "feature_names_in_"})
    return model


def _parameters(kind: Any, parameters: Any, version: str) -> dict[str, Any]:
    """The stored parameters: missing ones take their defaults, and unknown ones are an error."""
    try:
        return decode_options(parameters, hints_of(kind))
    except ValueError as error:
        raise ValueError(f"{_written_by(version)}, and of its parameters {error}") from None


def _written_by(version: str) -> str:
    return f"it was written by hypcse {version or 'of an unknown version'}"


def _decode(codec: Codec, name: str, kept: Any) -> Any:
    try:
        return codec.decode(kept)
    except (ValueError, TypeError) as error:
        raise ValueError(f"{name} is not what it should be: {error}") from None


def _check_sizes(kind: Any, found: dict[str, Any]) -> None:
    """Raise unless all attributes are about the same points and features."""
    wrong = [name for name, right in kind.sizes(found).items() if not right]
    if wrong:
        raise ValueError(
            f"{wrong[0]} does not fit the settings and the tree of {found['tree_'].n_leaves} points, "
            f"{found['n_features_in_']} features"
        )

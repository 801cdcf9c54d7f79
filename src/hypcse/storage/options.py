"""Options as plain values, checked against the annotations of the functions that take them."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from typing import Any, Literal, get_args, get_origin, get_type_hints

import numpy as np
from sklearn.base import BaseEstimator

Hints = Mapping[str, Any]


def to_plain(value: Any, hint: Any) -> Any:
    """The value as a JSON value if it is equivalent to one: NumPy's numbers, paths, and 1 for True."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if isinstance(value, bool | int) and not fits(value, hint):
        other = int(value) if isinstance(value, bool) else bool(value)
        return other if other == value and fits(other, hint) else value
    return value


def fits(value: Any, hint: Any) -> bool:
    """Whether a JSON value has the annotated type. Functions never match; whole numbers count as floats."""
    if any(type(value) is type(word) and value == word for word in literals(hint)):
        return True
    kinds = kinds_of(hint)
    if type(value) is int and float in kinds:
        return True
    return type(value) in kinds and not (isinstance(value, float) and not math.isfinite(value))


def literals(hint: Any) -> tuple[Any, ...]:
    """The literal values in an annotation, including those in unions."""
    return tuple(word for part in _parts(hint) if get_origin(part) is Literal for word in get_args(part))


def kinds_of(hint: Any) -> tuple[Any, ...]:
    """The types in the union of an annotation, without its literals."""
    return tuple(part for part in _parts(hint) if get_origin(part) is not Literal)


def options_class(hint: Any) -> type[BaseEstimator] | None:
    """The class of a parameter that holds options of its own."""
    return next((kind for kind in kinds_of(hint) if isinstance(kind, type) and issubclass(kind, BaseEstimator)), None)


def hints_of(kind: type[Any]) -> dict[str, Any]:
    """The types of the parameters of a class, those of a nested value by their plain names."""
    hints = {}
    for name, hint in get_type_hints(kind.__init__).items():
        inner = options_class(hint)
        hints.update({name: hint} if inner is None else hints_of(inner))
    hints.pop("return", None)
    return hints


def spread_options(kind: type[Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a class, those that a nested value sets by their plain names."""
    hints, spread = get_type_hints(kind.__init__), {}
    for name, value in options.items():
        if options_class(hints.get(name)) is None:
            spread[name] = value
        elif value is not None:
            spread.update({inner: one for inner, one in value.get_params().items() if one is not None})
    return spread


def nest_options(kind: type[Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """The inverse of `spread_options`: what the class takes."""
    nested = dict(options)
    for name, hint in get_type_hints(kind.__init__).items():
        inner = options_class(hint)
        if inner is not None:
            own = {key: nested.pop(key) for key in hints_of(inner) if key in nested}
            own = {key: value for key, value in own.items() if value is not None}
            nested.update({name: inner(**own)} if own else {})
    return nested


def _parts(hint: Any) -> tuple[Any, ...]:
    return (hint,) if get_origin(hint) is Literal else get_args(hint) or (hint,)


def decode_options(options: Any, hints: Hints) -> dict[str, Any]:
    """The options, if each is annotated and of its type; options added in later versions may be missing."""
    unknown = sorted(map(str, set(options) - set(hints))) if isinstance(options, dict) else [f"{options!r:.60}"]
    if unknown:
        raise ValueError(f"{unknown[0]!r:.60} is not an option of this version")
    for name, value in options.items():
        if not fits(value, hints[name]):
            raise ValueError(f"the option {name} is {value!r:.60}, which has the wrong type")
    return options


def encode_options(options: Mapping[str, Any], hints: Hints) -> dict[str, Any]:
    """The options as plain values; raise for one that cannot be read again."""
    return decode_options({name: to_plain(value, hints[name]) for name, value in options.items()}, hints)

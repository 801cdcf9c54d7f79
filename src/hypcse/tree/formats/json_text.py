"""The JSON form of a tree: its arrays, in an object that names its format."""

from __future__ import annotations

import json
import reprlib
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

FORMAT = "hypcse-tree"
VERSION = 1
_KEYS = ("parent", "height", "names")
_show = reprlib.repr
_WAY_OUT = "Pass text written by Tree.to_json."


def write_json(parent: NDArray[np.int64], height: NDArray[np.float64], names: Sequence[str] | None) -> str:
    """JSON text of a tree; heights are read back exactly.

    >>> write_json(np.array([2, 2, -1]), np.array([0.0, 0.0, 0.5]), None)
    '{"format": "hypcse-tree", "version": 1, "parent": [2, 2, -1], "height": [0.0, 0.0, 0.5], "names": null}'
    """
    form = {
        "format": FORMAT,
        "version": VERSION,
        "parent": parent.tolist(),
        "height": height.tolist(),
        "names": None if names is None else list(names),
    }
    return json.dumps(form, allow_nan=False)


def read_json(text: str) -> tuple[NDArray[np.int64], NDArray[np.float64], tuple[str, ...] | None]:
    """Parents, heights and names (or None) of JSON text. `Tree` checks that they form a tree."""
    form = _parse(text)
    _check_header(form)
    parent, height, names = (form[key] for key in _KEYS)
    _check_items("parent", parent, (int,), "whole numbers")
    _check_items("height", height, (int, float), "numbers")
    if names is not None:
        _check_items("names", names, (str,), "strings, or be null")
    if len(parent) != len(height):
        raise ValueError(
            f"'parent' has {len(parent)} values and 'height' {len(height)}; a tree has one of each per node."
        )
    _check_range("parent", parent, -1, len(parent) - 1)
    _check_range("height", height, -sys.float_info.max, sys.float_info.max)
    ids, heights = np.array(parent, dtype=np.int64), np.array(height, dtype=np.float64)
    return ids, heights, None if names is None else tuple(names)


def _parse(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=_reject_constant)
    except json.JSONDecodeError as error:
        problem = f"the text is not JSON: {error.msg} at line {error.lineno}, column {error.colno}"
    except RecursionError:
        problem = "the JSON text is nested too deeply; a tree is one object of flat lists"
    except ValueError as error:
        problem = f"the JSON text holds an invalid value: {error}"
    raise ValueError(f"{problem}. {_WAY_OUT}")


def _reject_constant(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not finite")


def _check_header(form: Any) -> None:
    """Raise unless this is a tree object of a known version, with all its keys."""
    if not isinstance(form, dict):
        raise ValueError(f"the JSON text holds {_show(form)}, but a tree is an object. {_WAY_OUT}")
    if form.get("format") != FORMAT:
        raise ValueError(f"'format' is {_show(form.get('format'))}, but a tree has '{FORMAT}'. {_WAY_OUT}")
    version = form.get("version")
    if type(version) is not int or version < 1:
        raise ValueError(f"'version' is {_show(version)}, but must be a whole number from 1 on. {_WAY_OUT}")
    if version > VERSION:
        raise ValueError(
            f"'version' is {_show(version)}, but this hypcse reads versions up to {VERSION}. Update hypcse."
        )
    missing = [key for key in _KEYS if key not in form]
    if missing:
        raise ValueError(f"the JSON text has no '{missing[0]}'; a tree has {', '.join(_KEYS)}. {_WAY_OUT}")


def _check_items(key: str, values: Any, kinds: tuple[type, ...], wanted: str) -> None:
    """Raise unless `values` is a list of exactly these types; true and false do not count as whole numbers."""
    if not isinstance(values, list):
        raise ValueError(f"'{key}' is {_show(values)}, but must be a list of {wanted}. {_WAY_OUT}")
    if not set(map(type, values)) <= set(kinds):
        position = next(k for k, value in enumerate(values) if type(value) not in kinds)
        raise ValueError(f"'{key}' holds {_show(values[position])} at {position}, but must hold {wanted}.")


def _check_range(key: str, values: list[int] | list[float], low: float, high: float) -> None:
    """Raise with the first value outside low .. high: it would not fit into the array."""
    for position, value in enumerate(values):
        if not low <= value <= high:
            raise ValueError(f"'{key}' holds {_show(value)} at {position}, but must lie between {low} and {high}.")

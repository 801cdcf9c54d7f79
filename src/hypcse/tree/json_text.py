"""The JSON form of a tree: an object that names its format, with the fields of `Tree`."""

from __future__ import annotations

import json
import math
import reprlib
import sys
from typing import Any

import numpy as np

FORMAT = "hypcse-tree"
VERSION = 1
_KEYS = ("parent", "height", "names")
_show = reprlib.repr
_WAY_OUT = "Pass text written by Tree.to_json."


def write_json(fields: dict[str, Any]) -> str:
    """JSON text of the fields of a tree; heights are read back exactly.

    >>> write_json({"parent": np.array([2, 2, -1]), "height": np.array([0.0, 0.0, 0.5]), "joined_from": math.inf})
    '{"format": "hypcse-tree", "version": 1, "parent": [2, 2, -1], "height": [0.0, 0.0, 0.5], "joined_from": null}'
    """
    plain = {key: value.tolist() if isinstance(value, np.ndarray) else value for key, value in fields.items()}
    plain["joined_from"] = plain["joined_from"] if math.isfinite(plain["joined_from"]) else None
    return json.dumps({"format": FORMAT, "version": VERSION, **plain}, allow_nan=False)


def read_json(text: str) -> dict[str, Any]:
    """The fields of a tree in JSON text. `Tree` checks that they form one."""
    form = _parse(text)
    _check_header(form)
    parent, height, names = (form[key] for key in _KEYS)
    _check_items("parent", parent, (int,), "whole numbers")
    _check_items("height", height, (int, float), "numbers", sys.float_info.max)
    if names is not None:
        _check_items("names", names, (str,), "strings, or be null")
    if len(parent) != len(height):
        raise ValueError(
            f"'parent' has {len(parent)} values and 'height' {len(height)}; a tree has one of each per node."
        )
    for position, node in enumerate(parent):
        if not -1 <= node < len(parent):
            raise ValueError(
                f"'parent' holds {_show(node)} at {position}, but must lie between -1 and {len(parent) - 1}."
            )
    # Trees of hypcse 0.2 do not say what their heights measure.
    joined_from = form.get("joined_from")
    if joined_from is not None:
        _check_items("joined_from", [joined_from], (int, float), "a number")
    return {
        "parent": np.array(parent, dtype=np.int64),
        "height": np.array(height, dtype=np.float64),
        "names": names,
        "unit": form.get("unit"),
        "joined_from": math.inf if joined_from is None else joined_from,
    }


def _parse(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        problem = f"the text is not JSON: {error.msg} at line {error.lineno}, column {error.colno}"
    except RecursionError:
        problem = "the JSON text is nested too deeply; a tree is one object of flat lists"
    except ValueError as error:
        problem = f"the JSON text holds an invalid value: {error}"
    raise ValueError(f"{problem}. {_WAY_OUT}")


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


def _check_items(key: str, values: Any, kinds: tuple[type, ...], wanted: str, most: float | None = None) -> None:
    """Raise unless `values` is a list of exactly these types, and of numbers up to `most`.

    True and false do not count as whole numbers.
    """
    if not isinstance(values, list):
        raise ValueError(f"'{key}' is {_show(values)}, but must be a list of {wanted}. {_WAY_OUT}")
    for position, value in enumerate(values):
        if type(value) not in kinds:
            raise ValueError(f"'{key}' holds {_show(value)} at {position}, but must hold {wanted}.")
        if most is not None and not -most <= value <= most:
            raise ValueError(f"'{key}' holds {_show(value)} at {position}, but must be at most {most:g}.")

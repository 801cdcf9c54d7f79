"""Docstrings of public names: valid by numpydoc, and with an entry in the reference."""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from numpydoc.validate import validate

import hypcse

FOLDERS = ("cells", "dask", "datasets", "entropy", "estimators", "methods", "metrics", "paper", "partitions")
FOLDERS += ("plot", "points", "search", "topics")
REFERENCE = Path(__file__).parent.parent / "docs" / "reference.md"


def public_values() -> dict[str, Any]:
    """Functions and classes by their shortest public name, each once."""
    found: dict[int, tuple[str, Any]] = {}
    for module in (hypcse, *(import_module(f"hypcse.{name}") for name in FOLDERS)):
        for name in module.__all__:
            value = getattr(module, name)
            if inspect.isclass(value) or inspect.isfunction(value):
                found.setdefault(id(value), (f"{module.__name__}.{name}", value))
    return dict(found.values())


VALUES = public_values()


def is_ours(value: Any) -> bool:
    return (getattr(value, "__module__", None) or "").split(".")[0] == "hypcse"


def is_error(value: Any) -> bool:
    return inspect.isclass(value) and issubclass(value, BaseException)


def public_callables() -> dict[str, Any]:
    """Those functions and classes, and the public methods of the classes, inherited ones of this package included."""
    found = dict(VALUES)
    for name, value in VALUES.items():
        if inspect.isclass(value):
            methods = inspect.getmembers(value, lambda one: inspect.isroutine(one) and is_ours(one))
            found |= {f"{name}.{method}": one for method, one in methods if not method.startswith("_")}
    return found


CALLABLES = public_callables()


# Types are in the signatures; not every page needs a second paragraph or a reference to another.
IGNORED = {"PR04", "ES01", "SA01"}


@pytest.mark.parametrize("name", CALLABLES)
def test_docstrings_are_valid(name: str) -> None:
    """By numpydoc. Methods need no example; records, which nobody makes by hand, and errors no parameters."""
    value = CALLABLES[name]
    ignored = IGNORED | ({"EX01"} if name not in VALUES or is_error(value) else set())
    if inspect.isclass(value) and "\nAttributes\n" in (inspect.getdoc(value) or ""):
        ignored |= {"PR01"}
    assert [error for error in validate(name)["errors"] if error[0] not in ignored] == []


def test_every_public_name_is_in_the_reference() -> None:
    """Under its shortest name, once; and what the reference tells of exists."""
    told = re.findall(r"^::: (\S+)$", REFERENCE.read_text(), re.MULTILINE)
    assert sorted(told) == sorted(set(told))
    assert set(VALUES) <= set(told)
    for name in told:
        module, _, last = name.rpartition(".")
        assert hasattr(import_module(module), last)

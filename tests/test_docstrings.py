"""Docstrings of public names: numpydoc sections that agree with the signatures, and an entry in the reference."""

from __future__ import annotations

import inspect
import logging
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import hypcse

griffe = pytest.importorskip("griffe", reason="griffe, which the extra `docs` brings, is not installed")

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


def sections_of(value: Any) -> dict[str, Any]:
    """The content of each section of a docstring, by its kind."""
    logging.getLogger("griffe").setLevel(logging.CRITICAL)
    parsed = griffe.Docstring(inspect.getdoc(value) or "", lineno=1).parse("numpy")
    return {section.kind.value: section.value for section in parsed}


def parameters_of(value: Any) -> list[str]:
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    if is_error(value):
        return []
    parameters = inspect.signature(value).parameters.values()
    return [stars.get(one.kind, "") + one.name for one in parameters if one.name not in ("self", "cls")]


@pytest.mark.parametrize("name", CALLABLES)
def test_every_parameter_is_documented_in_order(name: str) -> None:
    """A record, which nobody makes by hand, may tell of its fields as attributes."""
    value, sections = CALLABLES[name], sections_of(CALLABLES[name])
    told = [one.name for one in sections.get("parameters", ())]
    if inspect.isclass(value) and not told:
        told = [name for one in sections.get("attributes", ()) for name in one.name.split(", ")]
    assert told == parameters_of(value)


@pytest.mark.parametrize("name", [name for name, value in CALLABLES.items() if not inspect.isclass(value)])
def test_what_is_returned_is_documented(name: str) -> None:
    returned = inspect.signature(CALLABLES[name]).return_annotation not in ("None", None, inspect.Signature.empty)
    sections = sections_of(CALLABLES[name])
    assert ("returns" in sections or "yields" in sections) == returned


@pytest.mark.parametrize("name", [name for name, value in VALUES.items() if not is_error(value)])
def test_every_function_and_class_has_an_example(name: str) -> None:
    """The examples run as doctests of their modules."""
    assert re.search(r"^Examples\n-{8}\n", inspect.getdoc(VALUES[name]) or "", re.MULTILINE)
    assert ">>>" in (inspect.getdoc(VALUES[name]) or "")


def test_every_public_name_is_in_the_reference() -> None:
    """Under its shortest name, once; and what the reference tells of exists."""
    told = re.findall(r"^::: (\S+)$", REFERENCE.read_text(), re.MULTILINE)
    assert sorted(told) == sorted(set(told))
    assert set(VALUES) <= set(told)
    for name in told:
        module, _, last = name.rpartition(".")
        assert hasattr(import_module(module), last)

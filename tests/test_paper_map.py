"""The page from equations to functions, docs/paper-map.md, is complete and true."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from functools import reduce
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import hypcse
from doc_tables import ROOT, code_spans, table_rows

PACKAGE = Path(hypcse.__file__).parent
PLACES = {*(f"Eq. ({n})" for n in (*range(1, 18), 28, 29)), "Algorithm 1", "Appendix C"}
# "Eq. (8)", "Eqs. (10) and (11)", "Eq. (8) with the volumes of Eq. (9)".
EQUATIONS = re.compile(r"Eqs?\. \(\d+\)(?:(?:,| and|, and) \(\d+\))*")
ROWS = [(place, code_spans(code)[0], code_spans(tests)[0]) for place, _, code, tests in table_rows("paper-map.md")]


def cited(docstring: str) -> set[str]:
    """The equations, algorithms and appendices that a docstring names."""
    numbers = re.findall(r"\((\d+)\)", " ".join(EQUATIONS.findall(docstring)))
    return {f"Eq. ({n})" for n in numbers} | {place for place in ("Algorithm 1", "Appendix C") if place in docstring}


def resolve(path: str) -> Any:
    """The function, class or method at a full dotted path."""
    parts = path.split(".")
    n_modules = max(k for k in range(1, len(parts) + 1) if is_module(parts[:k]))
    return reduce(getattr, parts[n_modules:], import_module(".".join(parts[:n_modules])))


def is_module(parts: list[str]) -> bool:
    home = PACKAGE.joinpath(*parts[1:])
    return parts[0] == "hypcse" and (home.is_dir() or home.with_suffix(".py").exists())


def sources_in_the_code() -> Iterator[tuple[str, str]]:
    """(place, dotted path) for each paragraph that begins with "Paper: " in the docstrings of the package."""
    for file in sorted(PACKAGE.rglob("*.py")):
        module = ".".join(["hypcse", *file.relative_to(PACKAGE).with_suffix("").parts])
        yield from sources_below(ast.parse(file.read_text()), module)


def sources_below(node: ast.Module | ast.ClassDef | ast.FunctionDef, path: str) -> Iterator[tuple[str, str]]:
    paragraphs = (ast.get_docstring(node) or "").split("\n\n")
    yield from ((place, path) for text in paragraphs if text.startswith("Paper: ") for place in cited(text))
    for part in node.body:
        if isinstance(part, ast.ClassDef | ast.FunctionDef):
            yield from sources_below(part, f"{path}.{part.name}")


def test_every_equation_has_a_row() -> None:
    assert {place for place, _, _ in ROWS} == PLACES


@pytest.mark.parametrize(("place", "path", "tests"), ROWS, ids=lambda value: str(value))
def test_a_row_is_true(place: str, path: str, tests: str) -> None:
    """The function exists and cites its place in the paper; the test file exists and names the function."""
    assert place in cited(inspect.getdoc(resolve(path)) or "")
    assert path.rsplit(".", 1)[1] in (ROOT / tests).read_text()


def test_every_source_in_the_code_has_a_row() -> None:
    found = set(sources_in_the_code())
    assert found, "no docstring begins a paragraph with its source"
    assert found <= {(place, path) for place, path, _ in ROWS}

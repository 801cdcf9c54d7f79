"""Imports point down only, siblings do not import each other, and the public names load lazily."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import hypcse
from benchmarks.house import WINGS

PACKAGE = Path(hypcse.__file__).parent
LAYERS = (
    ("_arrays", "_choices", "_memory", "_notebook", "_random", "_threads"),
    ("_checks", "_progress"),
    ("kernels",),
    ("graph", "tree"),
    ("entropy", "points", "storage"),
    ("search", "metrics"),
    ("partitions",),
    ("estimators", "datasets", "show"),
    ("neural", "topics", "plot", "dask"),
    ("methods", "cells"),
    ("paper",),
    ("cli",),
)
# Imported inside a function, when it is asked for: pictures in a notebook, torch, a learned graph.
UPWARDS = {("_notebook", "show"), ("_threads", "neural"), ("graph", "neural")}
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}


def imported_parts(path: Path) -> set[str]:
    """First parts below `hypcse` that a module imports, those made inside functions included."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module] if node.module != "hypcse" else [f"hypcse.{a.name}" for a in node.names]
        elif isinstance(node, ast.Import):
            names = [a.name for a in node.names]
        else:
            continue
        found |= {name.split(".")[1] for name in names if name.startswith("hypcse.")}
    return found


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_point_down(path: Path) -> None:
    """A part imports itself and lower layers; the command alone may use the public names of the package."""
    own = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    if own == "__init__":
        return
    for part in imported_parts(path) - {own, "__version__"}:
        home = hypcse._HOME.get(part, f"hypcse.{part}").split(".")[1]
        assert LEVEL[home] < LEVEL[own] or (own, home) in UPWARDS, f"{own} must not import {part}"


def test_the_core_loads_neither_torch_nor_the_paper() -> None:
    """The ways up are taken only when asked for: no module of the core needs what stands above it."""
    modules = [f"hypcse.{'.'.join(path.relative_to(PACKAGE).with_suffix('').parts)}" for path in PACKAGE.rglob("*.py")]
    core = [name for name in modules if name.split(".")[1] in WINGS["core"]]
    above = ("torch", "hypcse.neural", "hypcse.paper", "hypcse.show")
    code = f"import sys; [__import__(m) for m in {core!r}]; print([m for m in sys.modules if m.startswith({above!r})])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "[]"


def test_import_is_light() -> None:
    """`import hypcse` pulls in none of the heavy libraries, nor does the help of the command."""
    heavy = ("torch", "numba", "scipy", "sklearn", "numpy", "networkx", "matplotlib", "pandas", "anndata")
    heavy += ("requests", "platformdirs", "psutil", "dask", "distributed", "pyarrow", "hypcse.dask")
    code = f"import sys, hypcse; print([m for m in {heavy!r} if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "[]"
    code = f"import sys, hypcse.cli.app; print([m for m in {heavy!r} if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "[]"


def test_every_public_name_loads() -> None:
    for name in hypcse.__all__:
        assert getattr(hypcse, name) is not None
    assert set(dir(hypcse)) == set(hypcse.__all__)
    with pytest.raises(AttributeError, match="no_such_name"):
        hypcse.no_such_name  # noqa: B018

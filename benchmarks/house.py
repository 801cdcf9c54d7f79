"""How large the package is, by wing: `python -m benchmarks house`."""

from __future__ import annotations

import argparse
import ast
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from statistics import median

from rich.console import Console

from benchmarks.sheet import Sheet

PACKAGE = Path(__file__).parents[1] / "src" / "hypcse"
WINGS = {
    "core": ("kernels", "graph", "tree", "entropy", "search", "metrics", "partitions", "estimators", "methods"),
    "data in and out": ("points", "storage", "datasets", "show", "plot", "cli"),
    "neural": ("neural",),
    "paper": ("paper",),
    "doors": ("dask", "topics", "cells"),
}
"""The rooms of each wing; what is in none of them is small and shared."""
SHARED = "shared"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument("--package", type=Path, default=PACKAGE, metavar="FOLDER", help="this package by default")


def show(options: argparse.Namespace, console: Console) -> int:
    """Print one row per wing and one for the whole package."""
    if not (options.package / "__init__.py").is_file():
        raise ValueError(f"{options.package} has no __init__.py. Pass the folder of a package.")
    found = sheet(options.package)
    console.print(found.to_rich())
    console.print(*found.remarks, sep="\n", markup=False)
    return 0


def sheet(package: Path) -> Sheet:
    """Lines, modules, folders and functions of a package."""
    modules = sorted(package.rglob("*.py"))
    wings = {name: [file for file in modules if wing_of(file, package) == name] for name in (*WINGS, SHARED)}
    rows = [(name, *_figures(files)) for name, files in {**wings, "all": modules}.items() if files]
    n_below = sum(file.name.startswith("_") and file.name != "__init__.py" for file in modules)
    names = Counter(file.name for file in modules if file.name != "__init__.py")
    n_alike = sum(number for number in names.values() if number > 1)
    remarks = (
        f"{n_below} underscore modules, {n_alike} modules that share their file name with another, "
        f"{_public(package / '__init__.py')} public names.",
        "Folders count those with modules in them. Functions count methods; their lines include docstrings.",
    )
    columns = ("wing", "lines", "modules", "folders", "functions", "median lines", "longest")
    return Sheet("The package by wing", columns, tuple(rows), remarks)


def wing_of(file: Path, package: Path) -> str:
    """The wing of a module."""
    room = file.relative_to(package).parts[0].removesuffix(".py")
    return next((wing for wing, rooms in WINGS.items() if room in rooms), SHARED)


def _figures(files: Iterable[Path]) -> tuple[str, ...]:
    texts = [file.read_text(encoding="utf-8") for file in files]
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    functions = [node for text in texts for node in ast.walk(ast.parse(text)) if isinstance(node, kinds)]
    lengths = [(node.end_lineno or node.lineno) - node.lineno + 1 for node in functions] or [0]
    n_lines = sum(len(text.splitlines()) for text in texts)
    n_folders = len({file.parent for file in files})
    figures = (n_lines, len(texts), n_folders, len(functions), median(lengths), max(lengths))
    return tuple(f"{figure:,.0f}" for figure in figures)


def _public(file: Path) -> int:
    """Names that a type checker sees in the package."""
    aliases = [node for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))) if isinstance(node, ast.alias)]
    return sum(alias.asname == alias.name for alias in aliases)

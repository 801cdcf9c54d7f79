"""Tables of methods and data sets."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from hypcse import datasets, methods
from hypcse.cli.reading.method_options import format_value, settable
from hypcse.methods.registry import Method


def list_methods() -> None:
    """Print the registry of methods, and the options that `--set` takes."""
    table, options = (
        Table("method", "takes", "memory", "needs", "what it does"),
        Table("method", "options and their defaults"),
    )
    for name in methods.available():
        method = methods.describe(name)
        table.add_row(method.name, method.takes, method.memory, "torch" if method.trains else "", method.summary)
        known = _options_of(method)
        if known:
            options.add_row(method.name, known)
    console = Console()
    console.print(table)
    console.print("`hypcse fit --method METHOD --set NAME=VALUE` sets an option:", markup=False, highlight=False)
    console.print(options)
    console.print("Options of hypcse that are none take the value of its preset.", highlight=False)


def _options_of(method: Method) -> str:
    """The options and their defaults in one line; if the estimator cannot be loaded, what it needs."""
    try:
        return ", ".join(f"{option.name}={format_value(option.default)}" for option in settable(method))
    except ImportError as error:
        return escape(str(error))


def list_datasets() -> None:
    """Print the catalogue of data sets."""
    table = Table("data set", "points", "features", "classes", "note")
    for name in datasets.available():
        entry = datasets.describe(name)
        table.add_row(name, str(entry.n_points), str(entry.n_features), str(entry.n_classes), entry.note)
    Console().print(table)

"""Tables of what there is."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from hypcse import datasets, methods


def list_methods() -> None:
    """Print the registry of methods."""
    table = Table("method", "takes", "memory", "what it does")
    for name in methods.available():
        method = methods.describe(name)
        table.add_row(method.name, method.takes, method.memory, method.summary)
    Console().print(table)


def list_datasets() -> None:
    """Print the catalogue of data sets."""
    table = Table("data set", "points", "features", "classes", "note")
    for name in datasets.available():
        entry = datasets.describe(name)
        table.add_row(name, str(entry.n_points), str(entry.n_features), str(entry.n_classes), entry.note)
    Console().print(table)

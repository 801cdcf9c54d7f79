"""How commands and their options are declared, and the options that several commands share."""

from __future__ import annotations

import csv
from collections.abc import Callable
from importlib import import_module
from inspect import Parameter, Signature
from pathlib import Path
from typing import Annotated, Any, NamedTuple, get_args

import typer

from hypcse._choices import Dates, Decimal, Impute, Scale, WidthRule

READING, SIMILARITY = "How to read the data", "Similarity graph"
"""Titles of groups of options in the help."""
Text, Texts, Whole, File, Flag = str | None, list[str] | None, int | None, Path | None, bool | None


class Declared(NamedTuple):
    """An option or an argument: its annotation and its default."""

    kind: Any
    default: Any


class Group(NamedTuple):
    """Options that become one value, and what makes it of them."""

    options: dict[str, Declared]
    read: Callable[..., Any]


def argument(kind: Any, text: str) -> Declared:
    """What a command cannot do without; it has no name."""
    return Declared(Annotated[kind, typer.Argument(help=text)], Parameter.empty)


def option(kind: Any, default: Any, text: str, *words: str, panel: str | None = None, **limits: Any) -> Declared:
    """An option, under other words than the name of its parameter if there are some."""
    return Declared(Annotated[kind, typer.Option(*words, help=text, rich_help_panel=panel, **limits)], default)


def command(app: typer.Typer, name: str, place: str, text: str, /, **declared: Declared | Group) -> None:
    """Add a command that passes its options, those of a group as one, to a function that is loaded when called."""
    groups = {key: one for key, one in declared.items() if isinstance(one, Group)}
    options: dict[str, Declared] = {}
    for key, one in declared.items():
        options |= one.options if isinstance(one, Group) else {key: one}

    def call(**values: Any) -> None:
        for key, group in groups.items():
            values[key] = group.read(**{option: values.pop(option) for option in group.options})
        module, _, function = place.partition(".")
        getattr(import_module(f"hypcse.cli.{module}"), function)(**values)

    own = Parameter.KEYWORD_ONLY
    parameters = [Parameter(key, own, default=one.default, annotation=one.kind) for key, one in options.items()]
    call.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    call.__annotations__ = {key: one.kind for key, one in options.items()}
    app.command(name, help=text)(call)


def _read_columns(label_column: str | None, id_column: str | None, **values: Any) -> Any:
    from hypcse.points.columns import Columns

    several: dict[str, Any] = {name: _split_names(values.pop(name)) for name in ("use", "drop", "keep", "categorical")}
    return Columns(label=label_column, id=id_column, **several, **values)


def _split_names(words: list[str] | None) -> tuple[str, ...]:
    """Names that are repeated, or separated by commas; a name with a comma is quoted."""
    return tuple(name.strip() for row in csv.reader(words or (), skipinitialspace=True) for name in row)


def _read_graph(neighbors: int, bandwidth: str, scale: Scale) -> dict[str, Any]:
    """The arguments of a similarity graph; the bandwidth is a number, or the name of a rule."""
    rules = get_args(WidthRule)
    try:
        width = bandwidth if bandwidth in rules else float(bandwidth)
    except ValueError:
        raise ValueError(f"--bandwidth {bandwidth!r} is neither a number nor one of {', '.join(rules)}.") from None
    return {"n_neighbors": neighbors, "bandwidth": width, "scale": scale}


def _of_table(kind: Any, text: str, *words: str) -> Declared:
    return option(kind, False if kind is bool else None, text, *words, panel=READING)


COLUMNS = Group(
    {
        "label_column": _of_table(Text, "Column with known classes: its name, or its position from 1."),
        "id_column": _of_table(Text, "Column with the leaf names: its name, or its position from 1."),
        "use": _of_table(Texts, "Columns to use as features: a,b or repeated. By default: all others."),
        "drop": _of_table(Texts, "Columns to leave out: a,b or repeated."),
        "keep": _of_table(
            Texts, "Columns to use even though they look like ids, are constant or mostly empty: a,b or repeated."
        ),
        "categorical": _of_table(Texts, "Text columns: a,b or repeated. Each counts as one numeric column."),
        "impute": _of_table(Impute | None, "How to fill missing numbers, also in columns that are mostly empty."),
        "dates": _of_table(Dates | None, "What to do with dates. By default `number`: days since 1970-01-01."),
        "header": _of_table(
            Flag, "Whether row 1 names the columns. By default: if it holds no number.", "--header/--no-header"
        ),
        "decimal": _of_table(Decimal | None, "Decimal mark. By default: detected."),
        "sheet": _of_table(Text, "Sheet of a workbook: its name, or its position from 1."),
        "edges": _of_table(bool, "Rows are edges: source, target, optional weight.", "--edges"),
        "strict": _of_table(bool, "Refuse columns that cannot be used as they are, instead of deciding.", "--strict"),
    },
    _read_columns,
)
GRAPH = Group(
    {
        "neighbors": option(int, 10, "Number of neighbors per point.", panel=SIMILARITY, min=1),
        "bandwidth": option(str, "auto", "Width of the similarity: a number, `auto` or `median`.", panel=SIMILARITY),
        "scale": option(Scale, "minmax", "How to scale the columns; `rank` uses quantiles.", panel=SIMILARITY),
    },
    _read_graph,
)

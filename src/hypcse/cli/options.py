"""Options that several commands share, and how their words are read."""

from __future__ import annotations

import csv
import functools
import inspect
from collections.abc import Callable
from typing import Annotated, Any, get_args

import typer

from hypcse._choices import Dates, Decimal, Impute, Scale, WidthRule

READING, SIMILARITY = "How to read the data", "Similarity graph"
"""Titles of groups of options in the help."""


def _option(kind: Any, default: Any, text: str, *words: str, panel: str = READING, **limits: Any) -> tuple[Any, Any]:
    """The annotation and the default of an option."""
    return Annotated[kind, typer.Option(*words, help=text, rich_help_panel=panel, **limits)], default


_Text, _Texts = str | None, list[str] | None
COLUMNS: dict[str, tuple[Any, Any]] = {
    "label_column": _option(_Text, None, "Class column: its name, or its position from 1."),
    "id_column": _option(_Text, None, "Column with the leaf names: its name, or its position from 1."),
    "use": _option(_Texts, None, "Columns to use as features: a,b or repeated. By default: all others."),
    "drop": _option(_Texts, None, "Columns to leave out: a,b or repeated."),
    "keep": _option(_Texts, None, "Columns to use even though they look like ids: a,b or repeated."),
    "categorical": _option(_Texts, None, "Text columns: a,b or repeated. Each counts as one numeric column."),
    "impute": _option(Impute | None, None, "How to fill missing numbers. By default they are an error."),
    "dates": _option(Dates, "refuse", "What to do with dates. `number`: days since 1970-01-01."),
    "header": _option(
        bool | None, None, "Whether row 1 names the columns. By default: if it holds no number.", "--header/--no-header"
    ),
    "decimal": _option(Decimal | None, None, "Decimal mark. By default: detected."),
    "sheet": _option(_Text, None, "Sheet of a workbook: its name, or its position from 1."),
    "edges": _option(bool, False, "Rows are edges: source, target, optional weight.", "--edges"),
}
"""Options that say how to read the data."""

GRAPH: dict[str, tuple[Any, Any]] = {
    "neighbors": _option(int, 10, "Number of neighbours per point.", panel=SIMILARITY, min=1),
    "bandwidth": _option(str, "auto", "Width of the similarity: a number, `auto` or `median`.", panel=SIMILARITY),
    "scale": _option(Scale, "minmax", "How to scale the columns; `rank` uses quantiles.", panel=SIMILARITY),
}
"""Options of the similarity graph."""


def with_shared(*groups: dict[str, tuple[Any, Any]]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """A command with the options of the groups in place of its parameters `columns` and `graph`.

    The options take the place of the parameter. `columns` becomes a `Columns`, `graph` the arguments of a similarity
    graph.
    """

    def wrap(command: Callable[..., None]) -> Callable[..., None]:
        own = inspect.signature(command, eval_str=True)
        parameters: list[inspect.Parameter] = []
        for parameter in own.parameters.values():
            group = {"columns": COLUMNS, "graph": GRAPH}.get(parameter.name)
            if group is None or group not in groups:
                parameters.append(parameter)
                continue
            parameters += [
                inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)
                for name, (kind, default) in group.items()
            ]

        @functools.wraps(command)
        def call(**given: Any) -> None:
            if COLUMNS in groups:
                given["columns"] = _columns({name: given.pop(name) for name in COLUMNS})
            if GRAPH in groups:
                found = {name: given.pop(name) for name in GRAPH}
                given["graph"] = {
                    "n_neighbors": found["neighbors"],
                    "bandwidth": parse_bandwidth(found["bandwidth"]),
                    "scale": found["scale"],
                }
            command(**given)

        keywords = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in parameters]
        call.__signature__ = own.replace(parameters=keywords)  # type: ignore[attr-defined]
        call.__annotations__ = {parameter.name: parameter.annotation for parameter in keywords}
        return call

    return wrap


def _columns(given: dict[str, Any]) -> Any:
    from hypcse.points.columns import Columns

    several: dict[str, Any] = {name: _listed(given.pop(name)) for name in ("use", "drop", "keep", "categorical")}
    return Columns(label=given.pop("label_column"), id=given.pop("id_column"), **several, **given)


def _listed(words: list[str] | None) -> tuple[str, ...]:
    """Names that are repeated, or separated by commas; quote a name with a comma.

    >>> _listed(["a,b", '"c, d"'])
    ('a', 'b', 'c, d')
    """
    return tuple(name.strip() for row in csv.reader(words or (), skipinitialspace=True) for name in row)


def parse_bandwidth(text: str) -> float | str:
    """A number, or the name of a rule."""
    if text in get_args(WidthRule):
        return text
    try:
        return float(text)
    except ValueError:
        raise ValueError(
            f"--bandwidth {text!r} is neither a number nor one of {', '.join(get_args(WidthRule))}."
        ) from None

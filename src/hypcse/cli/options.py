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
    "label_column": _option(_Text, None, "Column with known classes: its name, or its position from 1."),
    "id_column": _option(_Text, None, "Column with the leaf names: its name, or its position from 1."),
    "use": _option(_Texts, None, "Columns to use as features: a,b or repeated. By default: all others."),
    "drop": _option(_Texts, None, "Columns to leave out: a,b or repeated."),
    "keep": _option(
        _Texts, None, "Columns to use even though they look like ids, are constant or mostly empty: a,b or repeated."
    ),
    "categorical": _option(_Texts, None, "Text columns: a,b or repeated. Each counts as one numeric column."),
    "impute": _option(Impute | None, None, "How to fill missing numbers, also in columns that are mostly empty."),
    "dates": _option(Dates | None, None, "What to do with dates. By default `number`: days since 1970-01-01."),
    "header": _option(
        bool | None, None, "Whether row 1 names the columns. By default: if it holds no number.", "--header/--no-header"
    ),
    "decimal": _option(Decimal | None, None, "Decimal mark. By default: detected."),
    "sheet": _option(_Text, None, "Sheet of a workbook: its name, or its position from 1."),
    "edges": _option(bool, False, "Rows are edges: source, target, optional weight.", "--edges"),
    "strict": _option(bool, False, "Refuse columns that cannot be used as they are, instead of deciding.", "--strict"),
}
"""Options that say how to read the data."""

GRAPH: dict[str, tuple[Any, Any]] = {
    "neighbors": _option(int, 10, "Number of neighbors per point.", panel=SIMILARITY, min=1),
    "bandwidth": _option(str, "auto", "Width of the similarity: a number, `auto` or `median`.", panel=SIMILARITY),
    "scale": _option(Scale, "minmax", "How to scale the columns; `rank` uses quantiles.", panel=SIMILARITY),
}
"""Options of the similarity graph."""


def with_shared(command: Callable[..., None]) -> Callable[..., None]:
    """A command whose parameters `columns` and `graph` are spelled out as the options of their groups.

    The command is called with a `Columns` and with the arguments of a similarity graph.
    """
    own = inspect.signature(command, eval_str=True)
    groups = {name: group for name, group in (("columns", COLUMNS), ("graph", GRAPH)) if name in own.parameters}
    parameters: list[inspect.Parameter] = []
    for name, parameter in own.parameters.items():
        options = groups.get(name, {name: (parameter.annotation, parameter.default)})
        parameters += [
            inspect.Parameter(option, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)
            for option, (kind, default) in options.items()
        ]

    @functools.wraps(command)
    def call(**values: Any) -> None:
        read = {"columns": _read_columns, "graph": _read_graph}
        for name, group in groups.items():
            values[name] = read[name]({option: values.pop(option) for option in group})
        command(**values)

    call.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
    call.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return call


def _read_columns(values: dict[str, Any]) -> Any:
    from hypcse.points.columns import Columns

    several: dict[str, Any] = {name: _split_names(values.pop(name)) for name in ("use", "drop", "keep", "categorical")}
    return Columns(label=values.pop("label_column"), id=values.pop("id_column"), **several, **values)


def _split_names(words: list[str] | None) -> tuple[str, ...]:
    """Names that are repeated, or separated by commas; quote a name with a comma.

    >>> _split_names(["a,b", '"c, d"'])
    ('a', 'b', 'c, d')
    """
    return tuple(name.strip() for row in csv.reader(words or (), skipinitialspace=True) for name in row)


def _read_graph(values: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a similarity graph; the bandwidth is a number, or the name of a rule."""
    bandwidth, rules = values["bandwidth"], get_args(WidthRule)
    if bandwidth not in rules:
        try:
            bandwidth = float(bandwidth)
        except ValueError:
            raise ValueError(f"--bandwidth {bandwidth!r} is neither a number nor one of {', '.join(rules)}.") from None
    return {"n_neighbors": values["neighbors"], "bandwidth": bandwidth, "scale": values["scale"]}

"""Options that several commands share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from hypcse.cli.reading.columns import Columns

LabelColumn = Annotated[
    str | None, typer.Option(help="Column of the data that holds the classes: its name, or its position from 1.")
]
IdColumn = Annotated[
    str | None, typer.Option(help="Column of the data that holds the leaf names: its name, or its position from 1.")
]
Header = Annotated[
    bool | None,
    typer.Option("--header/--no-header", help="Whether row 1 names the columns. By default: if it has no number."),
]
Use = Annotated[list[str] | None, typer.Option(help="A column to use as feature; repeat it. By default: all others.")]
Categorical = Annotated[
    list[str] | None, typer.Option(help="A column of texts, to become one column of 0 and 1 a text; repeat it.")
]
Impute = Annotated[str | None, typer.Option(help="Fill missing numbers: median. By default they are refused.")]
Edges = Annotated[bool, typer.Option("--edges", help="Rows are edges: two ends, and a weight or none.")]
Neighbors = Annotated[int, typer.Option(min=1, help="Neighbours of each point in the graph.")]
Bandwidth = Annotated[str, typer.Option(help="Width of the similarity: a number, or `median`.")]
Scale = Annotated[str, typer.Option(help="Scaling of the columns: minmax, standard, rank (quantiles) or none.")]


def columns_of(
    label: str | None,
    name: str | None,
    header: bool | None,
    use: list[str] | None,
    categorical: list[str] | None,
    impute: str | None,
    edges: bool = False,
) -> Columns:
    """The options of columns as one value."""
    from hypcse.cli.reading.columns import Columns

    return Columns(label, name, header, tuple(use or ()), tuple(categorical or ()), impute, edges)

"""Files and data frames as `Points`; pandas is loaded on first use."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any

from hypcse._choices import Dates, Decimal, Impute
from hypcse.points.points import Points
from hypcse.points.reading.columns import Columns

__all__ = ["Columns", "read", "read_points"]


def read(
    source: str | PathLike[str] | Any,
    *,
    label_column: str | int | None = None,
    id_column: str | int | None = None,
    use: Sequence[str | int] = (),
    drop: Sequence[str | int] = (),
    categorical: Sequence[str | int] = (),
    keep: Sequence[str | int] = (),
    header: bool | None = None,
    impute: Impute | None = None,
    decimal: Decimal | None = None,
    dates: Dates = "refuse",
    sheet: str | int | None = None,
    edges: bool = False,
) -> Points:
    """Read points from a file or a pandas data frame.

    Delimiter, encoding, decimal mark and header are detected; the points' `notes` say how each column was used. If
    columns cannot be used as they are, a ValueError names each of them and the option that helps, as the command
    `hypcse fit` spells it: `--label-column` is `label_column`. Nothing in a file is run.

    Parameters
    ----------
    source
        A path or a data frame. The suffix of a path says what it holds: a table, a graph or cells. The page "Reading
        your data" lists the suffixes, and so does the error for any other.
    label_column, id_column
        The columns of the classes and of the names. Give columns by name, or by position from 1. Classes are text
        ("1", not 1), and None where the cell is empty.
    use, drop
        The feature columns, and columns to leave out. By default, every column is a feature except the classes, the
        names, and columns that look like an id: whole numbers that increase from row to row.
    categorical
        Text columns. Each becomes one column of 0 and 1 per distinct text; together these count as much as one
        numeric column.
    keep
        Columns to use even though they look like an id.
    header
        Whether row 1 names the columns. None detects it: row 1 is a header if none of its cells is a number.
    impute
        "median" fills missing numbers with the median of the column; by default they are an error.
    decimal
        "." or ","; None detects it.
    dates
        "refuse", or "number" for days since 1970-01-01.
    sheet
        Sheet of a workbook, by name or by position from 1; the first by default.
    edges
        Whether rows are edges: source, target, optional weight.

    Returns
    -------
    Points
        Features, names, labels, and notes on how each column was used.

    Raises
    ------
    ValueError
        If the file is damaged or its columns need a decision; the message says what to do.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"size": [1, 2, 4], "colour": ["red", "blue", "red"], "kind": ["a", "b", ""]})
    >>> points = read(table, label_column="kind", categorical=["colour"])
    >>> points.feature_names
    ('size', 'colour=blue', 'colour=red')
    >>> points.labels.tolist()
    ['a', 'b', None]
    >>> points.notes[0]
    '3 rows; 1 column of numbers: size; 1 column of categories: colour (2)'
    """
    asked = Columns(
        label=None if label_column is None else str(label_column),
        id=None if id_column is None else str(id_column),
        use=tuple(map(str, _several(use))),
        drop=tuple(map(str, _several(drop))),
        categorical=tuple(map(str, _several(categorical))),
        keep=tuple(map(str, _several(keep))),
        header=header,
        impute=impute,
        decimal=decimal,
        dates=dates,
        sheet=None if sheet is None else str(sheet),
        edges=edges,
    )
    return read_points(source, asked)


def read_points(source: str | PathLike[str] | Any, columns: Columns) -> Points:
    """Read points from a file or a pandas data frame, with the options for its columns as one value."""
    from hypcse.points.reading.sources import read_source

    return read_source(source, columns)


def _several(columns: Any) -> Sequence[str | int]:
    """One column, or several."""
    return (columns,) if isinstance(columns, str | int) else tuple(columns)

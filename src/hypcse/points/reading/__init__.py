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
    """Points of a file or of a pandas data frame.

    Delimiter, encoding, decimal mark and header are found; `notes` of the points tell what was used as what. A column
    that cannot be used as it is raises a ValueError that names every such column and the option for it, as the
    command `hypcse fit` spells it: `--label-column` is `label_column`. Nothing in a file is run.

    Parameters
    ----------
    source
        A path, whose suffix says what it holds (a table, a graph or cells), or a data frame. The page "Reading your
        data" lists the suffixes, and so does the error for any other.
    label_column, id_column
        The columns of the classes and of the names. Columns are given by name, or by position from 1. Classes are
        texts, "1" and not 1; None where the cell is empty.
    use, drop
        The feature columns, and columns to leave out. By default, every column is a feature but those of the classes
        and names, and one that looks like an id: whole numbers that rise from row to row.
    categorical
        Columns of texts, each to become one column of 0 and 1 for each text. All of these together weigh as one column
        of numbers does.
    keep
        Columns to use although they look like an id.
    header
        Whether row 1 names the columns; None to find out: it does when none of its cells is a number.
    impute
        "median" to fill missing numbers by the median of the column; by default they are an error.
    decimal
        "." or ","; None to find out.
    dates
        "refuse", or "number" for days since 1970-01-01.
    sheet
        Of a workbook, by name or by position from 1; the first by default.
    edges
        Whether rows are edges: source, target, optional weight.

    Returns
    -------
    Points
        Features, names, labels and notes of what was read as what.

    Raises
    ------
    ValueError
        Where the file is damaged or its columns need a decision, with the way out.

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
    """Points of a file or of a pandas data frame, with what is asked of its columns as one value."""
    from hypcse.points.reading.sources import read_source

    return read_source(source, columns)


def _several(columns: Any) -> Sequence[str | int]:
    """One column, or several."""
    return (columns,) if isinstance(columns, str | int) else tuple(columns)

"""Files and data frames as `Points`; pandas is loaded on first use."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Any

from hypcse._choices import FORMATS, Dates, Decimal, Impute, list_suffixes
from hypcse.points.columns import Columns
from hypcse.points.points import Points

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


def _several(columns: Any) -> Sequence[str | int]:
    """One column, or several."""
    return (columns,) if isinstance(columns, str | int) else tuple(columns)


def read_points(source: str | PathLike[str] | Any, asked: Columns) -> Points:
    """Read points from a file or a pandas data frame, with the options for its columns as one value."""
    import pandas as pd

    from hypcse.points.formats.damage import naming
    from hypcse.points.formats.frames import read_frame
    from hypcse.points.formats.layout import suffix_of

    if isinstance(source, pd.DataFrame):
        _check_sheet("a data frame", asked, None)
        return read_frame(source, asked)
    if not isinstance(source, str | PathLike):
        raise TypeError(
            f"read takes a path or a pandas data frame, got {type(source).__name__}. hypcse.Points.of takes arrays, "
            "graphs and AnnData."
        )
    path = Path(source)
    suffix = suffix_of(path)
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {str(path)!r}. Points are read from {list_suffixes()}.")
    packed = path.suffix.lower() == ".gz"
    if suffix not in FORMATS or (packed and not FORMATS[suffix].packed):
        raise ValueError(f"{path} ends in {path.suffix or 'nothing'!r}; points are read from {list_suffixes()}.")
    _check_sheet(str(path), asked, suffix)
    read = reader_for(suffix)
    with naming(path, FORMATS[suffix].kind):
        return read(path, asked)


def reader_for(suffix: str) -> Callable[[Path, Columns], Points]:
    """The reader of files with this suffix; its libraries are loaded here."""
    module, function = FORMATS[suffix].reader
    home = import_module(f"hypcse.points.formats.{module}")
    reader: Callable[[Path, Columns], Points] = getattr(home, function)
    return reader


def _check_sheet(place: str, asked: Columns, suffix: str | None) -> None:
    if asked.sheet is not None and (suffix is None or not FORMATS[suffix].sheets):
        books = ", ".join(known for known, form in FORMATS.items() if form.sheets)
        raise ValueError(f"{place} has no sheets; --sheet is for {books}. Omit it.")

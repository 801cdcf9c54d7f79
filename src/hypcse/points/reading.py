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
    dates: Dates | None = None,
    sheet: str | int | None = None,
    edges: bool = False,
    strict: bool = False,
) -> Points:
    """Read points from a file or a pandas data frame.

    Delimiter, encoding, decimal mark, units and header are detected. Columns that cannot be used as they are get a
    safe use: texts of few kinds become categories, dates become days, texts that differ name the rows or are left out,
    gaps are filled with the median, and columns that are constant or mostly empty are left out. The points' `notes` say
    what was done with each column, and which option would change it. Nothing in a file is run.

    Parameters
    ----------
    source
        A path or a data frame. The suffix of a path says what it holds: a table, a graph or cells. The page "Reading
        your data" lists the suffixes, and so does the error for any other.
    label_column, id_column
        The columns of the known classes and of the names. Give columns by name, or by position from 1. Classes are text
        ("1", not 1), and None where the cell is empty.
    use, drop
        The feature columns, and columns to leave out. By default, every column is a feature except the classes, the
        names, and what is left out for a reason that the notes give.
    categorical
        Text columns. Each becomes one column of 0 and 1 per distinct text; together these count as much as one
        numeric column.
    keep
        Columns to use even though they look like an id, are constant, or are mostly empty.
    header
        Whether row 1 names the columns. None detects it: row 1 is a header if none of its cells is a number.
    impute
        "median" fills missing numbers with the median of the column, also if more than half are missing; by default,
        such columns are left out.
    decimal
        "." or ","; None detects it.
    dates
        "number", the default, for days since 1970-01-01, or "refuse".
    sheet
        Sheet of a workbook, by name or by position from 1; the first by default.
    edges
        Whether rows are edges: source, target, optional weight.
    strict
        Whether to raise for columns that cannot be used as they are, instead of deciding.

    Returns
    -------
    Points
        Features, names, labels, and notes on how each column was used.

    Raises
    ------
    ValueError
        If the file is damaged, no column can be used, or rows may be edges; the message says what to do.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"size": [1, 2, 4], "color": ["red", "blue", "red"], "kind": ["a", "b", ""]})
    >>> points = read(table, label_column="kind", categorical=["color"])
    >>> points.feature_names
    ('size', 'color=blue', 'color=red')
    >>> points.labels.tolist()
    ['a', 'b', None]
    >>> points.notes[0]
    '3 rows; 1 column of numbers: size; 1 column of categories: color (2)'
    """
    named: dict[str, Any] = {"label": label_column, "id": id_column, "use": use, "drop": drop, "keep": keep}
    named |= {"categorical": categorical, "sheet": sheet}
    text: dict[str, Any] = {"header": header, "impute": impute, "decimal": decimal, "dates": dates}
    return read_points(source, Columns(**named, **text, edges=edges, strict=strict, in_python=True))


def read_points(source: str | PathLike[str] | Any, columns: Columns) -> Points:
    """Read points from a file or a pandas data frame, with the options for its columns as one value."""
    import pandas as pd

    from hypcse.points.formats.errors import naming
    from hypcse.points.formats.frames import read_frame

    if isinstance(source, pd.DataFrame):
        return read_frame(source, columns)
    if not isinstance(source, str | PathLike):
        raise TypeError(
            f"read takes a path or a pandas data frame, got {type(source).__name__}. hypcse.Points.of takes arrays, "
            "graphs and AnnData."
        )
    path = Path(source)
    packed = path.suffix.lower() == ".gz"
    suffix = (Path(path.stem) if packed else path).suffix.lower()
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {str(path)!r}. Points are read from {list_suffixes()}.")
    if suffix not in FORMATS or (packed and not FORMATS[suffix].packed):
        raise ValueError(f"{path} ends in {path.suffix or 'nothing'!r}; points are read from {list_suffixes()}.")
    with naming(path, FORMATS[suffix].kind):
        return reader_for(suffix)(path, columns)


def reader_for(suffix: str) -> Callable[[Path, Columns], Points]:
    """The reader of files with this suffix; its libraries are loaded here."""
    module, function = FORMATS[suffix].reader
    reader: Callable[[Path, Columns], Points] = getattr(import_module(f"hypcse.points.formats.{module}"), function)
    return reader

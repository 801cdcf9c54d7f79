"""Tables of text: .csv, .tsv and .txt."""

from __future__ import annotations

import csv
import io
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hypcse.cli.points import Points


@dataclass(frozen=True)
class Columns:
    """Which columns of a table are no features, by name or by position from 1, and whether row 1 names them.

    `header` is None where that is to be seen from the table: row 1 is a header when none of its cells is a number.
    """

    label: str | None = None
    id: str | None = None
    header: bool | None = None

    @property
    def is_default(self) -> bool:
        """Whether nothing was asked for."""
        return self == Columns()


def read_table(path: Path, text: str, asked: Columns) -> Points:
    """Points of a table, one a row: the columns asked for as labels and names, all others as numbers."""
    rows = table_rows(path, text)
    has_header = asked.header if asked.header is not None else not any(map(_is_number, rows[0]))
    header = rows[0] if has_header else [""] * len(rows[0])
    if len(rows) == has_header:
        raise ValueError(f"{path} has a header but no rows; at least one row of numbers is needed.")
    _check_header(path, header)
    columns = dict(enumerate(zip(*rows[has_header:], strict=True)))
    label, name = (_find(path, header, column) for column in (asked.label, asked.id))
    if label is not None and label == name:
        raise ValueError(f"--label-column and --id-column both name {_title(header, label)} of {path}; name two.")
    labels, names = (None if column is None else columns.pop(column) for column in (label, name))
    if not columns:
        raise ValueError(f"{path} has no feature columns left; at least one column of numbers is needed.")
    if has_header:
        _check_named(path, header, list(columns))
    features = [_numbers(path, _title(header, column), cells, has_header) for column, cells in columns.items()]
    titles = tuple(header[column] for column in columns) if has_header else None
    return Points(np.column_stack(features), None if labels is None else np.array(labels), names, titles)


def table_rows(path: Path, text: str) -> list[list[str]]:
    """The cells of every line that is not blank, equally many in each."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter="\t" if path.suffix.lower() == ".tsv" else ",")
    try:
        rows = [row for row in reader if row]
    except csv.Error as error:
        raise ValueError(f"{path}, line {reader.line_num}: {error}. Is a quotation mark left open?") from None
    if not rows:
        raise ValueError(f"{path} is empty; at least one row of numbers is needed.")
    ragged = [k for k, row in enumerate(rows, 1) if len(row) != len(rows[0])]
    if ragged:
        raise ValueError(f"{path}: row {ragged[0]} has {len(rows[ragged[0] - 1])} cells, row 1 has {len(rows[0])}.")
    return rows


def _check_header(path: Path, header: list[str]) -> None:
    times = Counter(name for name in header if name)
    twice = next((name for name in times if times[name] > 1), None)
    if twice is not None:
        raise ValueError(f"{path} has two columns called {twice!r}; rename one, or pass --no-header if row 1 is data.")


def _check_named(path: Path, header: list[str], features: list[int]) -> None:
    """A column without a name is most often the row index that pandas writes, and that is no feature."""
    nameless = next((column + 1 for column in features if not header[column].strip()), None)
    if nameless is not None:
        raise ValueError(
            f"{path}: column {nameless} has no name in the header. If it holds the rows' names, pass --id-column "
            f"{nameless}; if it is a feature, give it a name."
        )


def _find(path: Path, header: list[str], column: str | None) -> int | None:
    """Where the column of this name stands or, where none has it, the one at this position from 1."""
    if column is None:
        return None
    if column in header and column:
        return header.index(column)
    if column.isdecimal() and 1 <= int(column) <= len(header):
        return int(column) - 1
    names = [name for name in header if name]
    known = f"its columns are {', '.join(names)}" if names else "it has no header"
    raise ValueError(
        f"{path} has no column {column!r}; {known}. Give a name, or a position between 1 and {len(header)}."
    )


def _title(header: list[str], column: int) -> str:
    return f"column {header[column]!r}" if header[column] else f"column {column + 1}"


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    # Python takes 1_2 for 12, but in a table it is a name.
    return "_" not in cell


def _numbers(path: Path, title: str, cells: tuple[str, ...], has_header: bool) -> NDArray[np.float64]:
    row = next((row for row, cell in enumerate(cells, 1) if not _is_number(cell)), None)
    if row is None:
        return np.array([float(cell) for cell in cells])
    cell = cells[row - 1]
    what = "is empty" if not cell.strip() else f"holds {cell!r}"
    way_out = "Fill or drop it, or name the column with --label-column or --id-column."
    if row == 1 and not has_header:
        way_out += " Pass --header if row 1 names the columns."
    raise ValueError(f"{path}: {title}, data row {row} {what}, which is no number. {way_out}")

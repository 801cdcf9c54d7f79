"""Tables: rows of text, or columns of a Parquet file."""

from __future__ import annotations

import csv
import io
from collections import Counter
from pathlib import Path

import numpy as np

from hypcse import Graph
from hypcse.cli.reading.columns import Cells, Columns, categorical_feature, is_number, numeric_feature
from hypcse.cli.reading.points import Points

# What separates cells where there is no comma.
_OTHER_DELIMITERS = (";", "\t", "|")


def read_table(path: Path, text: str, asked: Columns) -> Points:
    """Points of a table of text, one a row."""
    rows = table_rows(path, text)
    has_header = asked.header if asked.header is not None else not any(map(is_number, rows[0]))
    header = rows[0] if has_header else [""] * len(rows[0])
    if len(rows) == has_header:
        raise ValueError(f"{path} has a header but no rows; at least one row of numbers is needed.")
    columns: dict[int, Cells] = dict(enumerate(zip(*rows[has_header:], strict=True)))
    return points_of_columns(path, header, columns, asked, has_header)


def points_of_columns(
    path: Path, header: list[str], columns: dict[int, Cells], asked: Columns, has_header: bool
) -> Points:
    """The columns asked for as labels and names, the others as features."""
    _check_header(path, header)
    label, name = (_find(path, header, column) for column in (asked.label, asked.id))
    if label is not None and label == name:
        raise ValueError(f"--label-column and --id-column both name {_title(header, label)} of {path}; name two.")
    kinds = {_find(path, header, column) for column in asked.categorical}
    wanted = [_find(path, header, column) for column in asked.use] or [k for k in columns if k not in (label, name)]
    if not wanted:
        raise ValueError(f"{path} has no feature columns left; at least one column of numbers is needed.")
    if has_header:
        _check_named(path, header, [column for column in wanted if column is not None])
    way_out = "Name the column with --label-column, --id-column or --categorical, or leave it out with --use."
    if not has_header:
        way_out += " Pass --header if row 1 names the columns."
    found = []
    for column in wanted:
        assert column is not None
        place, title = f"{path}: {_title(header, column)}", header[column] or f"column {column + 1}"
        if column in kinds:
            found.append(categorical_feature(place, title, columns[column]))
        else:
            found.append(numeric_feature(place, title, columns[column], asked, way_out))
    titles = tuple(title for feature in found for title in feature.titles)
    return Points(
        np.column_stack([values for feature in found for values in feature.values]),
        None if label is None else np.array(columns[label]),
        None if name is None else tuple(map(str, columns[name])),
        titles if has_header else None,
        notes=tuple(feature.note for feature in found if feature.note),
    )


def read_edges(path: Path, text: str, asked: Columns) -> Points:
    """A graph of rows of two ends and a weight or none; the ends name the vertices, in the order of the text."""
    if asked.label or asked.id or asked.use or asked.categorical or asked.impute:
        raise ValueError(f"{path} holds edges, which have no columns to choose. Leave the options of columns away.")
    rows = table_rows(path, text)
    if len(rows[0]) not in (2, 3):
        raise ValueError(f"{path} has {len(rows[0])} cells a row; an edge has two ends and a weight or none.")
    weighted = len(rows[0]) == 3
    first = asked.header if asked.header is not None else weighted and not is_number(rows[0][2])
    rows = rows[1:] if first else rows
    if not rows:
        raise ValueError(f"{path} has a header but no edges.")
    wrong = next((k for k, row in enumerate(rows, 1) if weighted and not is_number(row[2])), None)
    if wrong is not None:
        raise ValueError(f"{path}: the weight of edge {wrong} is {rows[wrong - 1][2]!r}, which is no number.")
    number: dict[str, int] = {}
    ends = np.array([[number.setdefault(end.strip(), len(number)) for end in row[:2]] for row in rows])
    weights = [float(row[2]) for row in rows] if weighted else None
    graph = Graph.from_edges(ends[:, 0], ends[:, 1], weights, len(number))
    return Points(None, names=tuple(number), graph=graph)


def table_rows(path: Path, text: str) -> list[list[str]]:
    """The cells of every line that is not blank, equally many in each."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(path, text))
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


def _delimiter(path: Path, text: str) -> str:
    """A tab in a .tsv; else the comma or, where the first line has none, what it has instead."""
    if path.suffix.lower() == ".tsv":
        return "\t"
    first = next((line for line in text.splitlines() if line.strip()), "")
    if "," in first:
        return ","
    others = [mark for mark in _OTHER_DELIMITERS if mark in first]
    if not others and path.suffix.lower() in EDGE_SUFFIXES and " " in first:
        return " "
    return others[0] if others else ","


EDGE_SUFFIXES = (".edges", ".edgelist")


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

"""Matrix Market files. The header is checked first: SciPy's parser trusts it, and crashes if it is wrong."""

from __future__ import annotations

import io
from pathlib import Path
from typing import NamedTuple

from hypcse._memory import check_memory
from hypcse.points.columns import Columns, check_no_columns
from hypcse.points.formats.damage import reading
from hypcse.points.points import Points

KIND = "a Matrix Market file"
_LAYOUTS = {"coordinate": 3, "array": 2}
"""How many numbers the size line holds: rows, columns and, for a sparse matrix, entries."""
_LEAST_BYTES = {"coordinate": 4, "array": 2}
"""Bytes of the shortest entry, `1 1` or `0`, and the end of its line."""
_BYTES_PER_SIDE, _BYTES_PER_ENTRY = 24, 64
"""Memory per row or column without entries, and per entry, until the graph is built."""


class Header(NamedTuple):
    """The contents of the first lines of a file."""

    layout: str
    field: str
    symmetry: str
    rows: int
    columns: int
    entries: int


def read_matrix_market(path: Path, asked: Columns) -> Points:
    """A sparse symmetric matrix without negative entries is a graph, any other a table."""
    from scipy.io import mmread

    check_no_columns(path, asked)
    with reading(path, KIND):
        content = path.read_bytes()
        header = read_header(content)
    _check_kind(path, header)
    sides = header.rows + header.columns
    check_memory(
        f"{path}: a matrix of {header.rows} x {header.columns} with {header.entries} entries",
        _BYTES_PER_SIDE * sides + _BYTES_PER_ENTRY * header.entries,
        "Leave out rows and columns without entries.",
    )
    with reading(path, KIND):
        matrix = mmread(io.BytesIO(content if content.endswith(b"\n") else content + b"\n"))
    return Points.of(matrix)


def read_header(content: bytes) -> Header:
    """The header of a file, if the content can match it; otherwise a ValueError that says what is wrong.

    >>> read_header(b"%%MatrixMarket matrix array real general\\n2 1\\n1\\n2\\n").rows
    2
    """
    # SciPy's parser looks for the end of a line beyond the end of the file.
    if b"\0" in content:
        raise ValueError("it holds a zero byte, which no text file does")
    lines = io.BytesIO(content)
    words = lines.readline().decode("ascii", "replace").lower().split()
    if len(words) != 5 or words[:2] != ["%%matrixmarket", "matrix"] or words[2] not in _LAYOUTS:
        raise ValueError("line 1 is not `%%MatrixMarket matrix coordinate` (or `array`), a field and a symmetry")
    layout, field, symmetry = words[2:]
    sizes = next((line for line in lines if line.strip() and not line.lstrip().startswith(b"%")), b"").split()
    if len(sizes) != _LAYOUTS[layout] or not all(size.isdigit() and len(size) < 19 for size in sizes):
        raise ValueError(f"the line of sizes must hold {_LAYOUTS[layout]} whole numbers, got {b' '.join(sizes)[:60]!r}")
    rows, columns, *listed = map(int, sizes)
    if symmetry != "general" and rows != columns:
        raise ValueError(f"it is {symmetry}, but has {rows} rows and {columns} columns")
    least = rows * columns if symmetry == "general" else rows * (rows - 1) // 2
    entries = listed[0] if listed else least
    if entries * _LEAST_BYTES[layout] > len(content):
        raise ValueError(f"its header says {entries} entries, but it has only {len(content)} bytes")
    return Header(layout, field, symmetry, rows, columns, entries)


def _check_kind(path: Path, header: Header) -> None:
    """Raise for a matrix that is intact, but cannot be points."""
    if header.field == "complex":
        raise ValueError(f"{path} holds complex numbers; points and weights are real. Save the real or imaginary part.")
    if header.rows == 0 or header.columns == 0:
        raise ValueError(f"{path} is a matrix of {header.rows} x {header.columns}; at least one row is needed.")

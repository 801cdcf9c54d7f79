"""How a table of text is written: its encoding, its delimiter, and whether row 1 names the columns."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from hypcse.points.reading.damage import reading
from hypcse.points.reading.tables.cells import names_columns

KIND = "a table of text"
BLANKS = r"\s+"
"""Any run of blanks, as a delimiter."""
_BLANK_SUFFIXES = (".txt", ".edges", ".edgelist")
# The comma comes last: it may be the decimal mark, the others are not.
_DELIMITERS = (";", "\t", "|", ",")
_SAMPLE = 1 << 16
_CHUNK = 1 << 20


@dataclass(frozen=True)
class Layout:
    """What must be known before the cells of a text table can be read.

    first  : the cells of row 1.
    sample : those of some rows after it.
    """

    path: Path
    encoding: str
    delimiter: str
    has_header: bool
    first: tuple[str, ...]
    sample: tuple[tuple[str, ...], ...]

    @property
    def header(self) -> tuple[str, ...]:
        """Names of the columns, "" where there is none."""
        return tuple(cell.strip() for cell in self.first) if self.has_header else ("",) * len(self.first)

    def ragged_row(self) -> tuple[int, int] | None:
        """The first row, from 1 and without blank lines, with too few or too many cells, and their number."""
        with reading(self.path, KIND), open_text(self.path, self.encoding) as file:
            for k, row in enumerate(_records(file, self.delimiter), 1):
                if len(row) != len(self.first):
                    return k, len(row)
        return None


def layout_of(path: Path, header: bool | None = None, *, edges: bool = False) -> Layout:
    """The layout of a file, detected from its first rows."""
    with reading(path, KIND):
        encoding = _encoding(path)
        with open_text(path, encoding) as file:
            lines = file.readlines(_SAMPLE)
            whole = not file.read(1)
    delimiter = _delimiter(path, lines)
    with reading(path, KIND):
        rows = list(_records(lines, delimiter))
    if not rows:
        raise ValueError(f"{path} is empty; at least one row of numbers is needed.")
    sample = rows[1 : None if whole else -1]
    if header is None and edges:
        header = len(rows[0]) > 2 and names_columns(rows[0][2:])
    has_header = names_columns(rows[0]) if header is None else header
    return Layout(path, encoding, delimiter, has_header, tuple(rows[0]), tuple(map(tuple, sample)))


def suffix_of(path: Path) -> str:
    """The suffix of a file, without that of the compression."""
    return (Path(path.stem) if path.suffix.lower() == ".gz" else path).suffix.lower()


def open_text(path: Path, encoding: str) -> IO[str]:
    """A file as text, with its line endings unchanged."""
    if path.suffix.lower() == ".gz":
        return gzip.open(path, "rt", encoding=encoding, newline="")
    return path.open(encoding=encoding, newline="")


def _encoding(path: Path) -> str:
    """UTF-8 if every byte is valid, else UTF-16 or the Windows code page for western Europe."""
    with gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb") as file:
        head = file.read(4096)
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    # In UTF-16 every second byte of an English text is 0.
    for start, name in ((1, "utf-16-le"), (0, "utf-16-be")):
        if len(head) >= 4 and head[start::2].count(0) > len(head) / 4:
            return name
    for name in ("utf-8-sig", "cp1252"):
        try:
            with open_text(path, name) as text:
                while text.read(_CHUNK):
                    pass
        except UnicodeDecodeError:
            continue
        return name
    raise ValueError("it is not text in UTF-8, UTF-16 or cp1252. Save it as UTF-8.")


def _delimiter(path: Path, lines: Sequence[str]) -> str:
    """A tab in a .tsv; else what splits all the first rows into equally many cells; else what row 1 contains."""
    suffix = suffix_of(path)
    if suffix == ".tsv":
        return "\t"
    blank = (BLANKS,) if suffix in _BLANK_SUFFIXES else ()
    for mark in (*_DELIMITERS, *blank):
        if _splits_alike(lines, mark):
            return mark
    first = next((line for line in lines if line.strip()), "")
    return next((mark for mark in (",", *_DELIMITERS) if mark in first), ",")


def _splits_alike(lines: Sequence[str], delimiter: str) -> bool:
    """Whether all rows have the same number of cells, and more than one; the last row may be truncated."""
    try:
        widths = [len(row) for row in _records(lines, delimiter)]
    except csv.Error:
        return False
    return bool(widths) and widths[0] > 1 and len(set(widths[:-1] or widths)) == 1


def _records(lines: Iterable[str], delimiter: str) -> Iterator[list[str]]:
    """The cells of every line that is not blank."""
    rows: Any = (line.split() for line in lines) if delimiter == BLANKS else csv.reader(lines, delimiter=delimiter)
    for row in rows:
        if len(row) > 1 or (row and row[0].strip()):
            yield row

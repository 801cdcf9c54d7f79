"""How a table of text is written: its encoding, delimiter, comments and decimal mark, and names of columns."""

from __future__ import annotations

import csv
import gzip
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import filterfalse, islice
from pathlib import Path
from typing import IO, Any

import pandas as pd

from hypcse._checks import say_count
from hypcse.points.columns import Roles
from hypcse.points.formats.damage import reading
from hypcse.points.tables.cells import names_columns, number

KIND = "a table of text"
BLANKS = r"\s+"
"""Any run of blanks, as a delimiter."""
_BLANK_SUFFIXES = (".txt", ".edges", ".edgelist")
# The comma comes last: it may be the decimal mark, the others are not.
_DELIMITERS = (";", "\t", "|", ",")
_SAMPLE = 1 << 16
_CHUNK = 1 << 20
_LINES = 4096
_LONGEST = 2**31 - 1
"""Characters of the longest cell; Python's own limit is 131,072."""
_QUOTED = re.compile(r'(?<![^;|,\s])"(?:[^"]|"")*"(?![^;|,\s])')
_SEVERAL = re.compile(r"\s+")
_DECIMAL_COMMA = re.compile(r"[+-]?[0-9]+,[0-9]+([eE][+-]?[0-9]+)?")


@dataclass(frozen=True)
class Layout:
    """What must be known before the cells of a text table can be read.

    first      : the cells of row 1.
    sample     : those of some rows after it.
    n_comments : number of lines that are comments, which are left out.
    """

    path: Path
    encoding: str
    delimiter: str
    has_header: bool
    first: tuple[str, ...]
    sample: tuple[tuple[str, ...], ...]
    n_comments: int = 0

    @property
    def header(self) -> tuple[str, ...]:
        """Names of the columns, "" where there is none."""
        return tuple(cell.strip() for cell in self.first) if self.has_header else ("",) * len(self.first)

    def notes(self) -> tuple[str, ...]:
        """What people should know about how the text was read."""
        return () if self.encoding == "utf-8-sig" else (f"the text is in {self.encoding}",)

    @contextmanager
    def open(self) -> Iterator[Any]:
        """The file as text, without comments."""
        with open_text(self.path, self.encoding) as file:
            yield _Uncommented(file) if self.n_comments else file

    def ragged_row(self) -> tuple[int, int] | None:
        """The first row, from 1 and without blank lines and comments, with too few or too many cells; their number."""
        with reading(self.path, KIND), self.open() as file:
            for k, row in enumerate(_records(file, self.delimiter), 1):
                if len(row) != len(self.first):
                    return k, len(row)
        return None


def layout_of(path: Path, header: bool | None = None, *, edges: bool = False) -> Layout:
    """The layout of a file, detected from its first rows; lists of edges may have comments."""
    with reading(path, KIND):
        encoding = _encoding(path)
        n_comments = 0
        if edges:
            with open_text(path, encoding) as file:
                n_comments = sum(map(_is_comment, file))
        with open_text(path, encoding) as file:
            rest: Any = _Uncommented(file) if n_comments else file
            lines = rest.readlines(_SAMPLE)
            whole = not rest.read(1)
    delimiter = _delimiter(path, lines, edges=edges, whole=whole)
    with reading(path, KIND):
        rows = list(_records(lines, delimiter))
    if not rows:
        comments = f" but for {say_count(n_comments, 'line')} of comments (# or %)" if n_comments else ""
        raise ValueError(f"{path} is empty{comments}; at least one row is needed.")
    sample = rows[1 : None if whole else -1]
    has_header = names_columns(rows[0]) if header is None else header
    return Layout(path, encoding, delimiter, has_header, tuple(rows[0]), tuple(map(tuple, sample)), n_comments)


class _Uncommented(io.TextIOBase):
    """A text without the lines that are comments."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = filterfalse(_is_comment, lines)

    def readline(self, size: int | None = -1, /) -> str:  # type: ignore[override]
        """The next line, always whole."""
        return next(self._lines, "")

    def read(self, size: int | None = -1, /) -> str:
        """Some of the next lines, always whole."""
        return "".join(islice(self._lines, None if size is None or size < 0 else _LINES))


def _is_comment(line: str) -> bool:
    return line.lstrip().startswith(("#", "%"))


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


def _delimiter(path: Path, lines: Sequence[str], *, edges: bool, whole: bool) -> str:
    """A tab in a .tsv; else what splits all the first rows into equally many cells; else what row 1 contains."""
    suffix = suffix_of(path)
    if suffix == ".tsv":
        return "\t"
    # A mark in quotation marks separates no cells.
    lines = list(io.StringIO(_QUOTED.sub("text", "".join(lines)), newline=""))
    blank = edges or suffix in _BLANK_SUFFIXES
    if blank and _has_decimal_commas(lines, edges=edges, whole=whole):
        return BLANKS
    for mark in (*_DELIMITERS, BLANKS) if blank else _DELIMITERS:
        if _splits_alike(lines, mark, whole=whole):
            return mark
    first = next((line for line in lines if line.strip()), "")
    return next((mark for mark in (",", *_DELIMITERS) if mark in first), BLANKS if edges else ",")


def _splits_alike(lines: Sequence[str], delimiter: str, *, whole: bool) -> bool:
    """Whether all rows have as many cells, and more than one; the last of some rows may be truncated."""
    try:
        widths = [len(row) for row in _records(lines, delimiter)]
    except csv.Error:
        return False
    return bool(widths) and widths[0] > 1 and len(set(widths if whole else widths[:-1] or widths)) == 1


def _has_decimal_commas(lines: Sequence[str], *, edges: bool, whole: bool) -> bool:
    """Whether blanks separate the cells, and every comma stands within a number; of edges, within a weight."""
    if any(mark in line for line in lines for mark in _DELIMITERS[:-1]) or not _splits_alike(
        lines, BLANKS, whole=whole
    ):
        return False
    cells = [(k, cell) for row in _records(lines, BLANKS) for k, cell in enumerate(row) if "," in cell]
    return bool(cells) and all(_DECIMAL_COMMA.fullmatch(cell) and not (edges and k < 2) for k, cell in cells)


def _records(lines: Iterable[str], delimiter: str) -> Iterator[list[str]]:
    """The cells of every line that is not blank."""
    if delimiter == BLANKS:
        rows: Any = csv.reader((_SEVERAL.sub(" ", line.strip()) for line in lines), delimiter=" ")
    else:
        rows = csv.reader(lines, delimiter=delimiter)
    limit = csv.field_size_limit(_LONGEST)
    try:
        for row in rows:
            if len(row) > 1 or (row and row[0].strip()):
                yield row
    finally:
        csv.field_size_limit(limit)


_N_CELLS = 1000
"""How many cells of a column are examined."""


def decimal_mark(
    frame: Any, roles: Roles, asked: str | None, layout: Layout | None = None
) -> tuple[str, tuple[str, ...]]:
    """The decimal mark, as asked for or as most columns have it, and notes about it.

    Columns vote by the cells that are a number with only one of the marks: "1,5" or "1,234.5". If all cells are like
    "1,234", the comma is a decimal mark where semicolons or blanks separate the cells; else it separates thousands.
    """
    if asked is not None:
        return asked, ()
    votes: Counter[str] = Counter()
    open_columns = 0
    for column in set(roles.features) - roles.texts:
        texts = list(islice(_texts(frame[column], column, layout), _N_CELLS))
        point, comma = (sum(number(text, mark) is not None for text in texts) for mark in (".", ","))
        votes["."] += point > comma
        votes[","] += comma > point
        open_columns += point == comma > 0 and any("," in text for text in texts)
    if votes[","] > votes["."] or (open_columns and not votes.total() and layout and layout.delimiter in (";", BLANKS)):
        return ",", ("numbers are read with a decimal comma; --decimal . if that is wrong",)
    if open_columns:
        return ".", ("commas in numbers are read as separators of thousands; --decimal , if that is wrong",)
    return ".", ()


def _texts(cells: Any, column: int, layout: Layout | None) -> Iterator[str]:
    """Texts with a mark: from the column if it is still text, or from the sample if it was converted to numbers."""
    found: Iterable[Any] = ()
    if not pd.api.types.is_numeric_dtype(cells.dtype):
        found = cells
    elif layout is not None and pd.api.types.is_float_dtype(cells.dtype):
        found = (row[column] for row in layout.sample if column < len(row))
    return (text for text in found if isinstance(text, str) and ("," in text or "." in text))

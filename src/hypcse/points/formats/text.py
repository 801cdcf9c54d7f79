"""Tables and edge lists in text files: how they are written, which is detected, and their cells."""

from __future__ import annotations

import csv
import gzip
import io
import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import filterfalse
from pathlib import Path
from typing import IO, Any

import pandas as pd

from hypcse._checks import say_count
from hypcse.points.columns import Columns, Roles
from hypcse.points.formats.errors import reading
from hypcse.points.points import Points
from hypcse.points.tables.assemble import points_of_edges, points_of_table
from hypcse.points.tables.cells import MISSING_NUMBERS, names_columns
from hypcse.points.tables.table import decimal_mark, empty_cells, make_table, title_columns

_KIND = "a table of text"
BLANKS = r"\s+"
"""Any run of blanks, as a delimiter."""
_BLANK_SUFFIXES = (".txt", ".edges", ".edgelist")
# The comma comes last: it may be the decimal mark, the others are not.
_DELIMITERS = (";", "\t", "|", ",")
_SAMPLE, _CHUNK = 1 << 16, 1 << 20
_LONGEST = 2**31 - 1
"""Characters of the longest cell; Python's own limit is 131,072."""
_QUOTED = re.compile(r'(?<![^;|,\s])"(?:[^"]|"")*"(?![^;|,\s])')
_SEVERAL = re.compile(r"\s+")
_DECIMAL_COMMA = re.compile(r"[+-]?[0-9]+,[0-9]+([eE][+-]?[0-9]+)?")
_MISSING = sorted({"NaN", *(form(word) for word in MISSING_NUMBERS for form in (str.lower, str.upper, str.title))})


def read_text(path: Path, columns: Columns) -> Points:
    """A text table, read by the C parser of pandas; or edges if asked for."""
    if columns.edges:
        return read_edges(path, columns)
    layout = layout_of(path, columns.header)
    roles = Roles.of(str(path), title_columns(str(path), layout.header, columns), columns)
    frame = parse(layout, roles.texts, columns.decimal or ".")
    if not len(frame):
        raise ValueError(f"{path} has a header but no rows; at least one row of numbers is needed.")
    mark, notes = decimal_mark(frame, roles.numeric, columns, layout.sample, layout.prefers_comma)
    if mark == "," and columns.decimal is None:
        frame = parse(layout, roles.texts, ",")
    known: dict[str, Any] = {"notes": (*notes, *layout.notes), "decimal": mark}
    return points_of_table(make_table(str(path), frame, layout.header, layout.has_header, columns, **known))


def read_edges(path: Path, columns: Columns) -> Points:
    """A graph from rows of source, target and optional weight."""
    layout = layout_of(path, header=False, edges=True)
    frame = parse(layout, (0, 1, 2)[: len(layout.first)], ".")
    notes = layout.notes
    if layout.n_comments:
        lines = say_count(layout.n_comments, "line")
        notes = (f"{lines} of comments (# or %) left out; put names that begin so in quotation marks", *notes)
    return points_of_edges(frame, columns, str(path), named=False, notes=notes, prefer_comma=layout.prefers_comma)


def parse(layout: Layout, texts: Iterable[int], decimal: str) -> Any:
    """The cells of a text table, without row 1 if it is a header; columns in `texts` stay as written."""
    path, width = layout.path, len(layout.first)
    texts = set(texts)
    strict = warnings.catch_warnings(action="error", category=pd.errors.ParserWarning)
    with reading(path, _KIND), strict, layout.open() as file:
        try:
            frame = pd.read_csv(
                file,
                sep=layout.delimiter,
                header=0 if layout.has_header else None,
                names=range(width),
                index_col=False,
                dtype=dict.fromkeys(texts, object),
                keep_default_na=False,
                # One list for all columns: pandas takes long to prepare one per column.
                na_values={k: _MISSING for k in range(width) if k not in texts} if texts else _MISSING,
                decimal=decimal,
                low_memory=False,
            )
        except (pd.errors.ParserError, pd.errors.ParserWarning) as error:
            frame, problem = None, str(error).strip()
    # pandas fills short rows silently; the last cell is then missing.
    if frame is None or (width > 1 and empty_cells(frame[width - 1]).any()):
        layout.check_widths()
    if frame is None:
        raise ValueError(f"{path}: {problem}. Is a quotation mark not closed?")
    return frame


@dataclass(frozen=True)
class Layout:
    """What must be known before the cells of a text table can be read: of row 1, and of a sample of rows after it."""

    path: Path
    encoding: str
    delimiter: str
    has_header: bool
    first: tuple[str, ...]
    sample: list[list[str]]
    n_comments: int = 0

    @property
    def header(self) -> list[str]:
        """Names of the columns, "" where there is none."""
        return [cell.strip() if self.has_header else "" for cell in self.first]

    @property
    def notes(self) -> tuple[str, ...]:
        """What people should know about how the text was read."""
        return () if self.encoding == "utf-8-sig" else (f"the text is in {self.encoding}",)

    @property
    def prefers_comma(self) -> bool:
        """Whether 1,234 is a number below 2: where semicolons or blanks separate the cells."""
        return self.delimiter in (";", BLANKS)

    def open(self) -> IO[str]:
        """The file as text, without comments."""
        return open_text(self.path, self.encoding, without_comments=self.n_comments > 0)

    def check_widths(self) -> None:
        """Raise for the first row with too few or too many cells; blank lines and comments are not rows."""
        with reading(self.path, _KIND), self.open() as file:
            widths = [len(row) for row in _split_lines(file, self.delimiter)]
        row = next((k for k, width in enumerate(widths) if width != len(self.first)), None)
        if row is not None:
            raise ValueError(
                f"{self.path}: row {row + 1} has {widths[row]} cells, row 1 has {len(self.first)}. Give all rows the "
                "same number of cells; put a text with a delimiter in it in quotation marks."
            )


def layout_of(path: Path, header: bool | None = None, *, edges: bool = False) -> Layout:
    """The layout of a file, detected from its first rows; lists of edges may have comments."""
    with reading(path, _KIND):
        encoding = _detect_encoding(path)
        n_comments = 0
        if edges:
            with open_text(path, encoding) as file:
                n_comments = sum(map(_is_comment, file))
        with open_text(path, encoding, without_comments=n_comments > 0) as file:
            lines = file.readlines(_SAMPLE)
            whole = not file.read(1)
    delimiter = _detect_delimiter(path, lines, edges=edges, whole=whole)
    with reading(path, _KIND):
        rows = list(_split_lines(lines, delimiter))
    if not rows:
        comments = f" but for {say_count(n_comments, 'line')} of comments (# or %)" if n_comments else ""
        raise ValueError(f"{path} is empty{comments}; at least one row is needed.")
    has_header = names_columns(rows[0]) if header is None else header
    sample = rows[1 : None if whole else -1]
    return Layout(path, encoding, delimiter, has_header, tuple(rows[0]), sample, n_comments)


def open_text(path: Path, encoding: str, without_comments: bool = False) -> IO[str]:
    """A file as text, with its line endings unchanged."""
    packed = path.suffix.lower() == ".gz"
    file: IO[Any] = (gzip.open if packed else open)(path, "rt", encoding=encoding, newline="")
    if not without_comments:
        return file
    with file:
        return io.StringIO("".join(filterfalse(_is_comment, file)), newline="")


def _is_comment(line: str) -> bool:
    return line.lstrip().startswith(("#", "%"))


def _detect_encoding(path: Path) -> str:
    """UTF-16 by its mark; UTF-8 if every byte is valid, else the Windows code page for western Europe."""
    with gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb") as file:
        head = file.read(2)
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    for name in ("utf-8-sig", "cp1252"):
        try:
            with open_text(path, name) as text:
                while text.read(_CHUNK):
                    pass
        except UnicodeDecodeError:
            continue
        return name
    raise ValueError("it is not text in UTF-8, UTF-16 or cp1252. Save it as UTF-8.")


def _detect_delimiter(path: Path, lines: Sequence[str], *, edges: bool, whole: bool) -> str:
    """A tab in a .tsv; else what splits all the first rows into equally many cells; else what row 1 contains."""
    name = path.name.lower().removesuffix(".gz")
    if name.endswith(".tsv"):
        return "\t"
    # A mark in quotation marks separates no cells.
    lines = list(io.StringIO(_QUOTED.sub("text", "".join(lines)), newline=""))
    blank = edges or name.endswith(_BLANK_SUFFIXES)
    if blank and _has_decimal_commas(lines, edges=edges, whole=whole):
        return BLANKS
    for mark in (*_DELIMITERS, BLANKS) if blank else _DELIMITERS:
        if _splits_alike(lines, mark, whole=whole):
            # Columns in line with each other may have a tab before the last.
            in_line = mark == "\t" and blank and any("  " in line for line in lines)
            return BLANKS if in_line and _splits_alike(lines, BLANKS, whole=whole) else mark
    first = next((line for line in lines if line.strip()), "")
    return next((mark for mark in (",", *_DELIMITERS) if mark in first), BLANKS if edges else ",")


def _splits_alike(lines: Sequence[str], delimiter: str, *, whole: bool) -> bool:
    """Whether all rows have as many cells, and more than one; the last of some rows may be truncated."""
    try:
        widths = [len(row) for row in _split_lines(lines, delimiter)]
    except csv.Error:
        return False
    return bool(widths) and widths[0] > 1 and len(set(widths if whole else widths[:-1] or widths)) == 1


def _has_decimal_commas(lines: Sequence[str], *, edges: bool, whole: bool) -> bool:
    """Whether blanks separate the cells, and every comma stands within a number; of edges, within a weight."""
    other = any(mark in line for line in lines for mark in _DELIMITERS[:-1])
    if other or not _splits_alike(lines, BLANKS, whole=whole):
        return False
    cells = [(k, cell) for row in _split_lines(lines, BLANKS) for k, cell in enumerate(row) if "," in cell]
    return bool(cells) and all(_DECIMAL_COMMA.fullmatch(cell) and not (edges and k < 2) for k, cell in cells)


def _split_lines(lines: Iterable[str], delimiter: str) -> Iterator[list[str]]:
    """The cells of every line that is not blank."""
    if delimiter == BLANKS:
        lines, delimiter = (_SEVERAL.sub(" ", line.strip()) for line in lines), " "
    limit = csv.field_size_limit(_LONGEST)
    try:
        for row in csv.reader(lines, delimiter=delimiter):
            if len(row) > 1 or (row and row[0].strip()):
                yield row
    finally:
        csv.field_size_limit(limit)

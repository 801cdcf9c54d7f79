"""Checks the row numbers of an Excel workbook before a library counts up to them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import IO
from zipfile import BadZipFile, ZipFile

MAX_ROWS = 1_048_576
"""Maximum number of rows of a sheet in Excel."""
_PIECE = 1 << 20
_LONGEST = 64
"""Bytes at the end of a chunk that are read again with the next one: a number may span two chunks."""
_NUMBER = re.compile(rb'<(?:\w+:)?(?:row|c)\b[^>]*?\br="[A-Za-z]*(\d{7,})"')


def check_rows(path: Path) -> None:
    """Raise for a sheet with a row beyond Excel's last.

    openpyxl creates an empty row for every number that a sheet skips: one wrong digit keeps it busy for hours.
    """
    try:
        book = ZipFile(path)
    except BadZipFile:
        return  # The reader reports what is wrong.
    with book:
        for name in book.namelist():
            if not name.startswith("xl/worksheets/") or not name.endswith(".xml"):
                continue
            with book.open(name) as sheet:
                for row in _large_numbers(sheet):
                    if row > MAX_ROWS:
                        raise ValueError(
                            f"{path} is damaged or not an Excel workbook: {name} has row {row:,}, and Excel's last is "
                            f"{MAX_ROWS:,}. Write it again, or restore it from a copy."
                        )


def _large_numbers(sheet: IO[bytes]) -> Iterator[int]:
    """Row numbers of seven digits or more, chunk by chunk."""
    kept = b""
    while piece := sheet.read(_PIECE):
        text = kept + piece
        for found in _NUMBER.finditer(text):
            yield int(found[1][:18])
        kept = text[-_LONGEST:]

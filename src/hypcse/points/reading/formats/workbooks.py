"""Numbers of rows in an Excel workbook, looked at before a library counts up to them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import IO
from zipfile import BadZipFile, ZipFile

MAX_ROWS = 1_048_576
"""Rows of a sheet in Excel."""
_PIECE = 1 << 20
_LONGEST = 64
"""Bytes at the end of a piece that are looked at again with the next one: a number may lie across."""
_NUMBER = re.compile(rb'<(?:\w+:)?(?:row|c)\b[^>]*?\br="[A-Za-z]*(\d{7,})"')


def check_rows(path: Path) -> None:
    """Raise for a sheet with a row beyond Excel's last.

    openpyxl makes an empty row for every number that a sheet leaves out: one wrong digit keeps it busy for hours.
    """
    try:
        book = ZipFile(path)
    except BadZipFile:
        return  # The reader says what it is not.
    with book:
        for name in book.namelist():
            if not name.startswith("xl/worksheets/") or not name.endswith(".xml"):
                continue
            with book.open(name) as sheet:
                for row in _large_numbers(sheet):
                    if row > MAX_ROWS:
                        raise ValueError(
                            f"{path} is damaged or not an Excel workbook: {name} has row {row:,}, and Excel's last is "
                            f"{MAX_ROWS:,}. Write it anew, or take it from a copy."
                        )


def _large_numbers(sheet: IO[bytes]) -> Iterator[int]:
    """Numbers of rows of seven digits and more, piece by piece."""
    kept = b""
    while piece := sheet.read(_PIECE):
        text = kept + piece
        for found in _NUMBER.finditer(text):
            yield int(found[1][:18])
        kept = text[-_LONGEST:]

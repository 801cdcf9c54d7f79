"""Finds the reader for a source: a file, by its suffix, or a data frame."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Any

import pandas as pd

from hypcse._formats import FORMATS, list_suffixes
from hypcse.points.points import Points
from hypcse.points.reading.columns import Columns
from hypcse.points.reading.damage import naming
from hypcse.points.reading.formats.frames import read_frame
from hypcse.points.reading.formats.layout import suffix_of


def read_source(source: Any, asked: Columns) -> Points:
    """Read points from a file or a data frame."""
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
    home = import_module(f"hypcse.points.reading.formats.{module}")
    reader: Callable[[Path, Columns], Points] = getattr(home, function)
    return reader


def _check_sheet(place: str, asked: Columns, suffix: str | None) -> None:
    if asked.sheet is not None and (suffix is None or not FORMATS[suffix].sheets):
        books = ", ".join(known for known, form in FORMATS.items() if form.sheets)
        raise ValueError(f"{place} has no sheets; --sheet is for {books}. Omit it.")

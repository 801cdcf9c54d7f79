"""What a report is made of, before it is Markdown or a page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Mark = Literal["", "best", "second"]


@dataclass(frozen=True)
class Heading:
    """A heading; level 1 is the report's own."""

    text: str
    level: int


@dataclass(frozen=True)
class Text:
    """A paragraph."""

    text: str


@dataclass(frozen=True)
class Entry:
    """One field of a grid: a text that may be marked, and one after it that is not."""

    text: str
    mark: Mark = ""
    after: str = ""


@dataclass(frozen=True)
class Grid:
    """A table: its heads, the first of them above the rows' names, and its rows."""

    heads: tuple[str, ...]
    rows: tuple[tuple[Entry, ...], ...]


@dataclass(frozen=True)
class Picture:
    """A drawing as SVG, and what it shows."""

    name: str
    svg: str
    caption: str


Block = Heading | Text | Grid | Picture

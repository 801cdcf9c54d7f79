"""The blocks that reports are made of, and how they are written: as Markdown, as one page, and as files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Literal, NamedTuple

from hypcse.storage.files import write_file

Mark = Literal["", "best", "second"]
_SIGNS = {"": ("", ""), "best": ("**", "**"), "second": ("<ins>", "</ins>")}
_TAGS = {"": "", "best": "b", "second": "u"}
_CODE = re.compile("`([^`]+)`")
_BLANKS = re.compile(r"\s+")
_MARKUP = re.compile(r"[\\`*\[\]|~]|<(?=[a-zA-Z/!?])|&(?=[#\w])|(?<![^\W_])_|_(?![^\W_])|^[#>](?=.)")
"""What Markdown takes for more than text."""


class Heading(NamedTuple):
    """A heading; level 1 is the report's own."""

    text: str
    level: int


class Text(NamedTuple):
    text: str


class Entry(NamedTuple):
    """One field of a grid: a text that may be marked, and one after it that is not."""

    text: str
    mark: Mark = ""
    after: str = ""


class Grid(NamedTuple):
    """A table: its heads, the first of them above the rows' names, and its rows."""

    heads: tuple[str, ...]
    rows: tuple[tuple[Entry, ...], ...]


class Picture(NamedTuple):
    name: str
    svg: str
    caption: str


Block = Heading | Text | Grid | Picture


def grid_of(heads: Iterable[str], lines: Iterable[Iterable[str]]) -> Grid:
    return Grid(tuple(heads), tuple(tuple(map(Entry, line)) for line in lines))


def write_report(blocks: Sequence[Block], folder: Path, name: str) -> list[Path]:
    """Write NAME.md, NAME.html with all of it inside, and the pictures of NAME.md in the folder NAME; the paths."""
    title = next((block.text for block in blocks if isinstance(block, Heading)), name)
    texts = {f"{name}.md": to_markdown(blocks, f"{name}/"), f"{name}.html": to_html(title, blocks)}
    texts |= {f"{name}/{block.name}.svg": block.svg for block in blocks if isinstance(block, Picture)}
    for file, text in texts.items():
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        write_file(folder / file, text)
    return [folder / file for file in texts]


def to_markdown(blocks: Sequence[Block], pictures: str = "") -> str:
    """The blocks as Markdown; pictures are links to files in a folder, by default beside it."""
    return "\n\n".join(_text(block, pictures) for block in blocks) + "\n"


def _text(block: Block, pictures: str) -> str:
    match block:
        case Heading(text, level):
            return f"{'#' * level} {escape_markdown(text)}"
        case Text(text):
            # Every second part stood between backticks.
            parts = _CODE.split(text)
            return "".join(f"`{part}`" if k % 2 else escape_markdown(part) for k, part in enumerate(parts))
        case Picture(name, _, caption):
            return f"![{escape_markdown(caption)}]({pictures}{name}.svg)"
        case Grid(heads, rows):
            lines = [map(escape_markdown, heads), ["---"] * len(heads), *(map(_entry, row) for row in rows)]
            return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def escape_markdown(text: str) -> str:
    """A text as Markdown that shows it as it is, on one line; names and errors may hold anything.

    >>> print(escape_markdown("<b>a|b</b> [x](y) *z*, n < 5, structural_entropy"))
    \\<b>a\\|b\\</b> \\[x\\](y) \\*z\\*, n < 5, structural_entropy
    """
    return _MARKUP.sub(r"\\\g<0>", _BLANKS.sub(" ", text))


def _entry(entry: Entry) -> str:
    before, after = _SIGNS[entry.mark]
    return f"{before}{escape_markdown(entry.text)}{after}{escape_markdown(entry.after)}"


def to_html(title: str, blocks: Sequence[Block]) -> str:
    page = files("hypcse.paper.report").joinpath("page.html").read_text(encoding="utf-8")
    return Template(page).substitute(title=escape(title), body="\n".join(map(_element, blocks)))


def _element(block: Block) -> str:
    match block:
        case Heading(text, level):
            return f"<h{level}>{escape(text)}</h{level}>"
        case Text(text):
            return "<p>" + _CODE.sub(r"<code>\1</code>", escape(text)) + "</p>"
        case Picture(_, svg, caption):
            return f"<figure>{svg[svg.index('<svg') :]}<figcaption>{escape(caption)}</figcaption></figure>"
        case Grid(heads, rows):
            top = "".join(f"<th scope=col>{escape(head)}</th>" for head in heads)
            lines = [
                f"<tr><th scope=row>{_field(first)}</th>{''.join(f'<td>{_field(entry)}</td>' for entry in others)}</tr>"
                for first, *others in rows
            ]
            return f"<table><tr>{top}</tr>\n" + "\n".join(lines) + "\n</table>"


def _field(entry: Entry) -> str:
    tag, text, after = _TAGS[entry.mark], escape(entry.text), escape(entry.after)
    return (f"<{tag}>{text}</{tag}>" if tag else text) + (f"<small>{after}</small>" if after else "")

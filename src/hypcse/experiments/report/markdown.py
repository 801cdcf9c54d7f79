"""Reports as Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from hypcse.experiments.report.blocks import Block, Entry, Grid, Heading, Picture, Text

_MARKS = {"": ("", ""), "best": ("**", "**"), "second": ("<ins>", "</ins>")}


def to_markdown(blocks: Sequence[Block], pictures: str = "") -> str:
    """The blocks as Markdown; pictures are links to files in a folder, by default beside it.

    Parameters
    ----------
    blocks
        Of `build_report`.
    pictures
        Folder of the pictures.

    Returns
    -------
    str
        The text.

    Examples
    --------
    >>> to_markdown([]).strip()
    ''
    """
    return "\n\n".join(_text(block, pictures) for block in blocks) + "\n"


def _text(block: Block, pictures: str) -> str:
    match block:
        case Heading(text, level):
            return f"{'#' * level} {text}"
        case Text(text):
            return text
        case Picture(name, _, caption):
            return f"![{caption}]({pictures}{name}.svg)"
        case Grid(heads, rows):
            lines = [_line(heads), "| --- |" + " --- |" * (len(heads) - 1)]
            return "\n".join([*lines, *(_line([_entry(entry) for entry in row]) for row in rows)])


def _line(fields: Sequence[str]) -> str:
    return "| " + " | ".join(field.replace("|", "\\|") for field in fields) + " |"


def _entry(entry: Entry) -> str:
    before, after = _MARKS[entry.mark]
    return f"{before}{entry.text}{after}{entry.after}"

"""Text that a command writes into a page of the docs, between two marks."""

from __future__ import annotations

from pathlib import Path


def write_marked(path: Path, text: str, name: str) -> None:
    """Write a text to a file; in one that has a place marked by that name, that place alone changes.

    The marks are comments: `<!-- NAME: begin -->` and `<!-- NAME: end -->`.
    """
    old = path.read_text(encoding="utf-8") if path.exists() else ""
    before, begin, rest = old.partition(f"<!-- {name}: begin -->")
    _, end, after = rest.partition(f"<!-- {name}: end -->")
    text = f"{before}{begin}\n\n{text}\n\n{end}{after}" if begin and end else f"{text}\n"
    path.write_text(text, encoding="utf-8")

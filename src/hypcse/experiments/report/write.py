"""The files of a report."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hypcse.experiments.report.blocks import Block, Heading, Picture
from hypcse.experiments.report.html import to_html
from hypcse.experiments.report.markdown import to_markdown


def write_report(blocks: Sequence[Block], folder: Path, name: str) -> list[Path]:
    """Write NAME.md with its pictures beside it, and NAME.html with all of it inside; the paths, in that order."""
    folder.mkdir(parents=True, exist_ok=True)
    title = next((block.text for block in blocks if isinstance(block, Heading)), name)
    texts = {f"{name}.md": to_markdown(blocks), f"{name}.html": to_html(title, blocks)}
    texts |= {f"{block.name}.svg": block.svg for block in blocks if isinstance(block, Picture)}
    for file, text in texts.items():
        (folder / file).write_text(text, encoding="utf-8")
    return [folder / file for file in texts]

"""The files of a report."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hypcse.experiments.report.blocks import Block, Heading, Picture
from hypcse.experiments.report.html import to_html
from hypcse.experiments.report.markdown import to_markdown
from hypcse.writing import write_file


def write_report(blocks: Sequence[Block], folder: Path, name: str) -> list[Path]:
    """Write NAME.md, NAME.html with all of it inside, and the pictures of NAME.md in the folder NAME; the paths."""
    folder.mkdir(parents=True, exist_ok=True)
    title = next((block.text for block in blocks if isinstance(block, Heading)), name)
    texts = {f"{name}.md": to_markdown(blocks, f"{name}/"), f"{name}.html": to_html(title, blocks)}
    pictures = [block for block in blocks if isinstance(block, Picture)]
    if pictures:
        (folder / name).mkdir(exist_ok=True)
    texts |= {f"{name}/{block.name}.svg": block.svg for block in pictures}
    for file, text in texts.items():
        write_file(folder / file, text)
    return [folder / file for file in texts]

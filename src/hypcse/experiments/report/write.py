"""The files of a report."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hypcse.experiments.report.blocks import Block, Heading, Picture
from hypcse.experiments.report.html import to_html
from hypcse.experiments.report.markdown import to_markdown


def write_report(blocks: Sequence[Block], folder: Path, name: str) -> list[Path]:
    """Write NAME.md, NAME.html with all of it inside, and the pictures of NAME.md in the folder NAME; the paths.

    Parameters
    ----------
    blocks
        Of `build_report`.
    folder
        Where to write; it is made.
    name
        First part of the files' names.

    Returns
    -------
    list of Path
        What was written.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     [path.name for path in write_report([], Path(folder), "empty")]
    ['empty.md', 'empty.html']
    """
    folder.mkdir(parents=True, exist_ok=True)
    title = next((block.text for block in blocks if isinstance(block, Heading)), name)
    texts = {f"{name}.md": to_markdown(blocks, f"{name}/"), f"{name}.html": to_html(title, blocks)}
    pictures = [block for block in blocks if isinstance(block, Picture)]
    if pictures:
        (folder / name).mkdir(exist_ok=True)
    texts |= {f"{name}/{block.name}.svg": block.svg for block in pictures}
    for file, text in texts.items():
        (folder / file).write_text(text, encoding="utf-8")
    return [folder / file for file in texts]

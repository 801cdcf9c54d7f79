"""The pages of the documentation, and what is in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md"))]

FENCE = re.compile(r"^( *)```.*?^\1```", re.S | re.M)
BLOCK = re.compile(
    r"(?:<!-- (?P<note>not run|run first): ?(?P<said>.*?) ?-->\n\n?)?"
    r"```(?P<language>\w*)\n(?P<text>.*?)^```$(?:\n\n```text\n(?P<shown>.*?)^```$)?",
    re.S | re.M,
)


class Block(NamedTuple):
    """Python code of a page, the code that a comment runs before it, and the output that the page shows below it."""

    code: str
    before: str
    shown: str | None


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def python_blocks(text: str) -> Iterator[Block]:
    """Blocks in order, without those below a comment `<!-- not run: why -->`."""
    for match in BLOCK.finditer(text):
        if match["language"] == "python" and match["note"] != "not run":
            yield Block(match["text"], match["said"] or "", match["shown"])


def links(text: str) -> list[str]:
    """Targets of the links and pictures of a page, outside of code."""
    prose = re.sub(r"`[^`\n]*`", "", FENCE.sub("", text))
    return re.findall(r"\]\(([^)\s]+)\)", prose)


def anchors(text: str) -> set[str]:
    """What the headings of a page are called in addresses."""
    titles = re.findall(r"^#+ (.+)$", FENCE.sub("", text), re.M)
    plain = [re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title) for title in titles]
    return {re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", title.lower()).strip()) for title in plain}

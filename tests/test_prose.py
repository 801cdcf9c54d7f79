"""Turns of phrase that read as translated do not come back into help, messages and docstrings."""

from __future__ import annotations

import re
from pathlib import Path

import hypcse

PACKAGE = Path(hypcse.__file__).parent
THING = "(?:node|leaf|row|line|column|cluster|point|level|edge|vertex|class|pair)"
# The turn, and what to write instead.
TURNS = {
    rf"\b(?:one|two) an? {THING}\b": "one per node",
    r"\bleave \S+ away\b|\bleave away\b|\bwhat it has not\b": "omit what your table lacks",
    r"\bcan be had\b": "is possible, is available",
    r"(?<!there )\bis no (?:folder|page|file|text)\b": "is not a folder",
    r"\bof which some\b": "some of them",
    r"\bis told by\b|\btells what it takes\b": "See `hypcse fit --help`.",
}


def test_plain_english() -> None:
    found = [
        f"{path.relative_to(PACKAGE)}:{number}: {match[0]!r}; write: {instead}"
        for path in sorted(PACKAGE.rglob("*.py"))
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        for turn, instead in TURNS.items()
        for match in re.finditer(turn, line)
    ]
    assert found == []

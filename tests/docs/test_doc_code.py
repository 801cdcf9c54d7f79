"""The code of the README and of the docs runs, and prints what the pages show."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import pytest
from doc_pages import PAGES, name_of, python_blocks

# Pages whose code has tests of its own, or takes minutes.
ELSEWHERE = {"docs/reading.md", "docs/large.md", "docs/guides/texts.md", "docs/guides/cells.md"}
RUN = [
    page
    for page in PAGES
    if name_of(page) not in ELSEWHERE and "gallery" not in page.parts and list(python_blocks(page.read_text("utf-8")))
]


@pytest.mark.parametrize("page", RUN, ids=name_of)
def test_the_code_of_a_page_runs_and_prints_what_is_shown(page: Path, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("HYPCSE_DATA", raising=False)  # what a reader sees who has none of the paper's files
    mpl.use("Agg")
    names: dict[str, object] = {"__name__": "page"}
    for block in python_blocks(page.read_text("utf-8")):
        capsys.readouterr()
        exec(compile(block.before + "\n" + block.code, name_of(page), "exec"), names)
        if block.shown is not None:
            assert lines(capsys.readouterr().out) == lines(block.shown)


def lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines()]

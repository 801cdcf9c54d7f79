"""The page docs/reading.md shows what is printed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import hypcse

PAGE = Path(__file__).parents[2] / "docs" / "reading.md"


def test_the_page_shows_what_is_printed(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```(\w+)\n(.*?)```", PAGE.read_text("utf-8"), re.S)
    code, notes, refused = (block for kind, block in blocks if kind != "console")
    exec(compile(code, str(PAGE), "exec"), {})
    assert capsys.readouterr().out == notes
    with pytest.raises(ValueError, match="customers.csv") as caught:
        hypcse.read("customers.csv", strict=True)
    assert str(caught.value) + "\n" == refused

"""The guide to texts runs, and finds what it planted."""

from __future__ import annotations

import pytest
from sklearn.metrics import normalized_mutual_info_score

from doc_code import run_page


def test_the_guide_finds_fields_and_subjects(tmp_path, monkeypatch):
    pytest.importorskip("bertopic", reason="bertopic is not installed")
    monkeypatch.chdir(tmp_path)
    result = run_page("guides/texts.md")
    planted, levels = result["planted"], result["model"].levels_
    assert normalized_mutual_info_score(planted // 3, levels[0]) > 0.999
    assert normalized_mutual_info_score(planted, levels[1]) > 0.999
    assert normalized_mutual_info_score(planted, result["topics"]) > 0.999
    page = (tmp_path / "topics.html").read_text()
    assert all(name in page for name in result["names"].values())

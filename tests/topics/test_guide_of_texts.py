"""The guide to texts runs, and finds the subpackages of SciPy in what its documentation says."""

from __future__ import annotations

import pytest
from sklearn.metrics import normalized_mutual_info_score

from doc_code import run_page


def test_the_guide_finds_the_parts_of_a_library(tmp_path, monkeypatch):
    pytest.importorskip("bertopic", reason="bertopic is not installed")
    monkeypatch.chdir(tmp_path)
    result = run_page("guides/texts.md")
    assert max(normalized_mutual_info_score(result["parts"], level) for level in result["model"].levels_) > 0.7
    assert normalized_mutual_info_score(result["model"].labels_, result["topics"]) > 0.999
    page = (tmp_path / "topics.html").read_text()
    assert all(name in page for name in result["names"].values())

"""The site builds without a warning, and works from a folder without a network."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from doc_pages import ROOT

pytest.importorskip("mkdocs")
# What a browser loads by itself when it opens a page; links that a reader may click are another matter.
LOADED = re.compile(
    r"<(?:script|img|iframe|source|link)\b[^>]*?\s(?:src|href)=[\"']?((?:https?:)?//[^\"'\s>]+)|url\([\"']?(https?:[^)]+)",
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    result = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", folder],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""
    return folder


def test_nothing_is_loaded_from_another_host(site):
    for path in [*site.rglob("*.html"), *site.rglob("*.css")]:
        found = [a or b for a, b in LOADED.findall(path.read_text("utf-8"))]
        assert not found, path


def test_the_search_index_lies_in_the_folder(site):
    assert (site / "search" / "search_index.js").read_text("utf-8").startswith("var __index")
    page = (site / "start" / "install.html").read_text("utf-8")
    assert "../javascripts/iframe-worker.js" in page


def test_the_reference_has_every_public_name(site):
    import hypcse

    page = (site / "reference.html").read_text("utf-8")
    functions = [name for name in hypcse.__all__ if callable(getattr(hypcse, name, None))]
    assert [name for name in functions if f'id="hypcse.{name}"' not in page] == []

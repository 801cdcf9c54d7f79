"""The examples run as they stand, and are as short as they claim to be."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent.parent / "examples"
SAYS = {
    "quickstart": "clusters at each level: [",
    "graph": "level 1: 2 communities",
    "own_tree": "refined: purity",
    "training_loop": "step 100: loss",
}


@pytest.mark.parametrize("name", SAYS)
def test_an_example_runs(name, tmp_path):
    script = FOLDER / f"{name}.py"
    assert len(script.read_text().splitlines()) < 40
    result = subprocess.run([sys.executable, script], cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert result.returncode == 0, result.stderr
    assert SAYS[name] in result.stdout


def test_pictures_are_small_and_shown():
    """Every picture is on a page, and every page's pictures are there."""
    docs = FOLDER.parent / "docs"
    pages = (FOLDER.parent / "README.md").read_text() + (docs / "plots.md").read_text()
    pictures = sorted(path.name for path in (docs / "images").iterdir())
    assert "docs/images/optical-digits.png" in pages
    for name in pictures:
        assert f"images/{name}" in pages
        assert (docs / "images" / name).stat().st_size < 300_000

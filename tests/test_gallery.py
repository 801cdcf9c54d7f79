"""The gallery: every example runs, its page says what the script says, and the notebooks run and hold output."""

from __future__ import annotations

import re

import nbformat
import pytest

from gallery.__main__ import FOLDER
from gallery.notebooks import execute, make_notebook
from gallery.pages import index_text, outputs_of, page_text, without_output
from gallery.running import run_script
from gallery.script import read_all, read_script

EXAMPLES = read_all()
NOTEBOOKS = [script for script in EXAMPLES if script.has_notebook]
NUMBER = re.compile(r"-?\d[\d.,]*")


def name_of(script):
    return script.name


def words_of(text: str) -> list[str]:
    """The words of an output: its numbers depend on the machine, and its columns on them."""
    return NUMBER.sub("#", text).split()


@pytest.mark.parametrize("script", EXAMPLES, ids=name_of)
def test_an_example_runs_draws_its_picture_and_prints_what_its_page_says(script, tmp_path):
    printed = run_script(script, tmp_path)
    page = (FOLDER / f"{script.name}.md").read_text(encoding="utf-8")
    assert [path.name for path in tmp_path.iterdir()] == [f"{script.name}.png"]
    assert [words_of(text) for text in printed.values()] == [words_of(text) for text in outputs_of(page)]
    assert printed, "an example prints a few facts"


@pytest.mark.parametrize("script", EXAMPLES, ids=name_of)
def test_a_page_is_made_from_its_script(script):
    """`make gallery` makes it again where this fails."""
    page = (FOLDER / f"{script.name}.md").read_text(encoding="utf-8")
    assert without_output(page) == page_text(script, {})
    assert len(script.path.read_text(encoding="utf-8").splitlines()) <= 60
    assert (FOLDER / "images" / f"{script.name}.png").stat().st_size < 80_000


def test_the_index_shows_every_example_and_nothing_is_left_over():
    names = {script.name for script in EXAMPLES}
    assert (FOLDER / "index.md").read_text(encoding="utf-8") == index_text(EXAMPLES)
    assert {path.stem for path in FOLDER.glob("*.md")} == {"index", *names}
    assert {path.stem for path in (FOLDER / "images").iterdir()} == names
    assert {path.stem for path in (FOLDER / "notebooks").iterdir()} == {script.name for script in NOTEBOOKS}
    assert len(names) >= 8 and len(NOTEBOOKS) >= 3


@pytest.mark.parametrize("script", NOTEBOOKS, ids=name_of)
def test_a_notebook_runs_and_the_committed_one_holds_the_same_kinds_of_output(script):
    committed = nbformat.read(FOLDER / "notebooks" / f"{script.name}.ipynb", as_version=4)
    nbformat.validate(committed)
    plain = make_notebook(script)
    assert [cell.source for cell in committed.cells] == [cell.source for cell in plain.cells]
    shown = kinds_of_output(committed)
    assert kinds_of_output(execute(plain)) == shown
    everything = "".join(cell_html(committed))
    assert "data:image/png" in everything, "a model or a tree shows itself"
    assert "<iframe" in everything, "the page shows itself"
    assert any("image/png" in kinds for kinds in shown), "the figure of matplotlib is there"
    assert len(nbformat.writes(committed)) < 1_000_000


def kinds_of_output(notebook) -> list[set[str]]:
    """For each cell, the kinds of what it shows."""
    return [
        {kind for output in cell.get("outputs", []) for kind in output.get("data", {output.get("name", "error"): ""})}
        for cell in notebook.cells
    ]


def cell_html(notebook) -> list[str]:
    outputs = (output for cell in notebook.cells for output in cell.get("outputs", []))
    return [output.get("data", {}).get("text/html", "") for output in outputs]


def test_a_script_is_read_into_cells(tmp_path):
    path = tmp_path / "small.py"
    path.write_text(
        '"""A title.\n\nA question\nof two lines?\n\nAn answer.\n"""\n\n# %% First\n# Prose.\n# More.\nx = 1\n\n'
        "# %% [notebook]\n# x\n\n# %% [save]\nimport sys\n"
    )
    script = read_script(path)
    assert (script.title, script.question, script.text) == ("A title", "A question of two lines?", "An answer.")
    first, shown, save = script.cells
    assert (first.heading, first.prose, first.code) == ("First", "Prose.\nMore.", "x = 1")
    assert shown.uncommented == "x" and not save.is_shown and script.has_notebook
    assert page_text(script, {0: "1\n2"}).count("```text\n1\n2\n```") == 1
    assert without_output(page_text(script, {0: "1\n2"})) == page_text(script, {})
    assert outputs_of(page_text(script, {0: "1\n2"})) == ["1\n2"]


def test_a_script_without_prose_is_refused(tmp_path):
    path = tmp_path / "bare.py"
    path.write_text('"""A title."""\n')
    with pytest.raises(ValueError, match="bare.py needs a docstring"):
        read_script(path)


def test_an_error_names_the_line_of_the_script(tmp_path):
    path = tmp_path / "wrong.py"
    path.write_text('"""A title.\n\nA question?\n\nAn answer.\n"""\n\n# %% First\nx = 1\n\n# %%\n# Prose.\n1 / 0\n')
    with pytest.raises(ZeroDivisionError) as error:
        run_script(read_script(path), tmp_path)
    assert (str(path), 13) in [(str(entry.path), entry.lineno + 1) for entry in error.traceback]

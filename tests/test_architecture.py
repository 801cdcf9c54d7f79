"""The page on the architecture says the truth: its rooms, its walks, and what an addition takes."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any, Literal, get_args

import numpy as np
import pytest
from sklearn.datasets import load_iris
from typer.testing import CliRunner

import hypcse
from benchmarks.house import WINGS
from hypcse import _choices, methods
from hypcse._choices import Linkage
from hypcse.cli import compare
from hypcse.cli.app import app
from hypcse.methods import registry
from hypcse.metrics import scores
from hypcse.points.formats import text
from hypcse.search import linkage
from test_layers import LAYERS

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


def section(title: str) -> str:
    """The text under a heading of the page, up to the next one."""
    found = re.search(rf"^#+ {re.escape(title)}\n(.*?)(?=^#|\Z)", PAGE, re.MULTILINE | re.DOTALL)
    assert found, f"the page has no heading {title!r}"
    return found[1]


def test_the_table_of_rooms_is_the_list_that_imports_are_held_to() -> None:
    told = re.findall(r"^\| (\d+) \| `(\w+)` \|", section("The wings"), re.MULTILINE)
    assert sorted(told) == sorted((str(k), room) for k, row in enumerate(LAYERS) for room in row)
    here = {path.stem for path in (ROOT / "src" / "hypcse").iterdir() if path.suffix in ("", ".py")}
    assert {room for _, room in told} == here - {"__init__", "__pycache__"}
    wings = re.findall(r"^\*\*(.+?)\*\*(.*?)(?=^\*\*|\Z)", section("The wings"), re.MULTILINE | re.DOTALL)
    rooms = {wing.lower(): set(re.findall(r"^\| \d+ \| `(\w+)` \|", text, re.MULTILINE)) for wing, text in wings}
    assert {wing: set(held) for wing, held in WINGS.items()} == {wing: rooms[wing] for wing in WINGS}


def test_what_is_looked_for_is_there() -> None:
    for file in re.findall(r"\| `([\w/.]+)` \|$", section("Where is"), re.MULTILINE):
        assert (ROOT / "src" / "hypcse" / file).is_file()


def entered(job: Callable[[], object]) -> list[str]:
    """Functions of the package in the order in which a job enters them, as the page writes them."""
    calls: list[str] = []

    def note(frame: FrameType, event: str, _: object) -> None:
        module = frame.f_globals.get("__name__", "")
        if event == "call" and module.startswith("hypcse."):
            calls.append(f"{module.removeprefix('hypcse.')}.{frame.f_code.co_qualname}")

    sys.setprofile(note)
    try:
        job()
    finally:
        sys.setprofile(None)
    return calls


def run_command(*words: str) -> None:
    answer = CliRunner().invoke(app, list(words), catch_exceptions=False)
    assert answer.exit_code == 0, answer.output


def fit_from_a_table(folder: Path) -> None:
    X, y = load_iris(return_X_y=True)
    rows = ["a,b,c,d,kind", *(",".join(map(str, [*row, f"k{label}"])) for row, label in zip(X, y, strict=True))]
    (folder / "table.csv").write_text("\n".join(rows))
    run_command("fit", str(folder / "table.csv"), "--out", str(folder / "found"), "--label-column", "kind")


def search_by_hand(folder: Path) -> None:
    graph = hypcse.similarity_graph(load_iris().data)
    hypcse.levels(hypcse.refine(hypcse.graph_linkage(graph), graph), graph)


def view_a_model(folder: Path) -> None:
    hypcse.view(hypcse.EntropyClustering().fit(load_iris().data), folder / "tree.html")


WALKS = {
    "Walk: fit from a table": fit_from_a_table,
    "Walk: estimator": lambda _: hypcse.EntropyClustering().fit(load_iris().data),
    "Walk: search by hand": search_by_hand,
    "Walk: reproduce": lambda folder: run_command(
        "reproduce", "table4", "--data", "optical-digits", "--out", str(folder / "results")
    ),
    "Walk: view": view_a_model,
}


@pytest.mark.parametrize("title", WALKS)
def test_a_walk_enters_its_functions_in_that_order(title: str, tmp_path: Path) -> None:
    steps = re.findall(r"^\d+\. `([\w.]+)`", section(title), re.MULTILINE)
    assert len(steps) >= 5
    calls = iter(entered(lambda: WALKS[title](tmp_path)))
    for step in steps:
        assert step in calls, f"{step} is not entered after the steps before it"


ADDITIONS = re.findall(r"^### (.+)$", PAGE, re.MULTILINE)


@pytest.mark.parametrize("title", ADDITIONS)
def test_an_addition_touches_two_source_files_and_a_test(title: str) -> None:
    files = re.findall(r"^- `([\w./]+)`", section(title), re.MULTILINE)
    sources = [file for file in files if not file.startswith("tests/")]
    assert 1 <= len(sources) <= 2 and len(files) == len(sources) + 1
    for file in files:
        assert (ROOT / (file if file.startswith("tests/") else f"src/hypcse/{file}")).is_file()


def test_a_format_is_a_reader_and_a_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def read_pairs(path: Path, _: Any) -> hypcse.Points:
        return hypcse.Points.of(np.array([line.split("/") for line in path.read_text().split()], np.float64))

    monkeypatch.setattr(text, "read_pairs", read_pairs, raising=False)
    monkeypatch.setitem(_choices.FORMATS, ".pairs", _choices.Format(("text", "read_pairs")))
    (tmp_path / "a.pairs").write_text("1/2 3/4 5/7")
    assert np.asarray(hypcse.read(tmp_path / "a.pairs").features).tolist() == [[1, 2], [3, 4], [5, 7]]
    with pytest.raises(FileNotFoundError, match=r"\.pairs"):
        hypcse.read(tmp_path / "none.csv")


def test_a_linkage_is_a_word_and_an_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(linkage.LINKAGES, "reversed", linkage.LINKAGES["average"])  # type: ignore[misc]
    monkeypatch.setattr(linkage, "Linkage", Literal["average", "reversed"])
    graph = hypcse.Graph.from_edges([0, 1, 2], [1, 2, 3], [3.0, 1.0, 3.0])
    tree = hypcse.graph_linkage(graph, "reversed")  # type: ignore[arg-type]
    assert tree.parent.tolist() == hypcse.graph_linkage(graph).parent.tolist()
    assert set(linkage.LINKAGES) - {"reversed"} == set(get_args(Linkage))


def test_a_score_is_an_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    extra = scores.Score("depth", "depth", "depth of the tree", (), False, "cost", lambda scored: 7.0)
    extended = (*scores.SCORES, extra)
    for module in (scores, compare):
        monkeypatch.setattr(module, "SCORES", extended)
    monkeypatch.setitem(scores.BY_NAME, "depth", extra)
    assert hypcse.score(hypcse.Tree([-1], [0.0]), labels=[0])["depth"] == 7.0
    assert scores.format_score("depth", 7.0).strip() in ("7", "7.0", "7.000")
    assert "depth" in compare.Comparison({}, "entropy", has_classes=False).columns


def test_a_method_is_an_entry_and_an_option_is_a_keyword(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def pair_up(inputs: Any, *, backwards: bool = False) -> hypcse.Tree:
        order = np.arange(inputs.n_points)[:: -1 if backwards else 1]
        merges, last = [], float(order[0])
        for step, point in enumerate(order[1:]):
            merges.append([last, float(point), step + 1.0, step + 2.0])
            last = float(inputs.n_points + step)
        return hypcse.Tree.from_linkage(merges)

    method = registry.Method("pair-up", "features", "one after the other", "O(n)", pair_up)
    monkeypatch.setattr(registry, "METHODS", (*registry.METHODS, method))
    X = np.arange(12.0).reshape(6, 2)
    assert "pair-up" in methods.available()
    assert methods.run("pair-up", X, backwards=True).n_leaves == 6
    np.save(tmp_path / "x.npy", X)
    run_command(
        "fit", str(tmp_path / "x.npy"), "--method", "pair-up", "--set", "backwards=true", "--out", str(tmp_path / "out")
    )

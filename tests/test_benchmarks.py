"""The benchmark runner runs, records failures as failures, and compares; nothing is timed here."""

from __future__ import annotations

import json
import sys
import textwrap
from importlib import import_module, invalidate_caches
from pathlib import Path
from typing import Any

import benchmarks.cases  # noqa: F401  (fills the registry)
import numpy as np
import pytest
from benchmarks.__main__ import main, plan_runs
from benchmarks.case import REGISTRY, Case, Workload, case
from benchmarks.cases import metrics
from benchmarks.compare import compare, read_results
from benchmarks.report import growth_text, mark, tenfold_growth
from benchmarks.runner import Measurement

import hypcse

MADE_UP = """
    import os
    from benchmarks.case import Workload, case

    @case(sizes=(3, 30), growth="n", peer="the built-in sum")
    def adding(n, rng):
        '''Add n numbers.'''
        values = rng.random(n).tolist()
        return Workload(lambda: sum(values), lambda: sum(values), "made up", lambda total: {"total": total})

    @case(sizes=(3,), growth="n")
    def failing(n, rng):
        '''Fail.'''
        return Workload(lambda: [][n])

    @case(sizes=(3,), growth="n")
    def dying(n, rng):
        '''End without a word.'''
        return Workload(lambda: os._exit(7))

    @case(sizes=(3,), growth="n", peer="one that fails")
    def outliving(n, rng):
        '''Have a peer that fails.'''
        return Workload(lambda: n, lambda: [][n])
"""


@pytest.fixture
def made_up_cases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The registry with the cases above in addition, found by the processes that the runner starts."""
    (tmp_path / "made_up_cases.py").write_text(textwrap.dedent(MADE_UP), encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    invalidate_caches()
    before = dict(REGISTRY)
    monkeypatch.delitem(sys.modules, "made_up_cases", raising=False)
    import_module("made_up_cases")
    added = {name: REGISTRY.pop(name) for name in REGISTRY.keys() - before.keys()}
    for name, made_up in added.items():
        monkeypatch.setitem(REGISTRY, name, made_up)


def run_lines(tmp_path: Path, *words: str) -> tuple[int, list[dict[str, Any]]]:
    out = tmp_path / "new" / "lines.jsonl"
    code = main([*words, "--out", str(out)])
    return code, [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("declared", REGISTRY.values(), ids=lambda declared: declared.name)
def test_every_case_declares_sizes_growth_and_description(declared: Case) -> None:
    assert declared.sizes
    assert declared.growth
    assert declared.description.endswith(".")
    assert declared.make.__name__ == declared.name


def test_the_registry_is_filled() -> None:
    assert {"score_balanced", "score_chain", "lca_pairs", "similarity_graph_large"} <= REGISTRY.keys()


def test_a_declaration_without_a_docstring_is_refused() -> None:
    with pytest.raises(ValueError, match="docstring"):
        case(sizes=(1,), growth="n")(lambda n, rng: Workload(lambda: n))


@pytest.mark.usefixtures("made_up_cases")
def test_a_quick_run_writes_one_line_with_all_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, lines = run_lines(tmp_path, "--case", "adding", "--quick", "--threads", "1")
    assert code == 0
    (line,) = lines
    assert (line["case"], line["size"], line["repeats"], line["threads"]) == ("adding", 3, 1, 1)
    assert line["error"] is None
    assert line["note"] == "made up"
    assert line["facts"]["total"] == pytest.approx(np.random.default_rng(3).random(3).sum())
    assert line["ratio"] == pytest.approx(line["peer_seconds"] / line["seconds"])
    assert line["seconds"] <= line["median"]
    assert 0 < line["base_mb"] <= line["peak_mb"]
    assert line["hypcse"] == hypcse.__version__
    assert {"python", "machine", "timestamp", "first_seconds"} <= line.keys()
    assert "adding" in capsys.readouterr().out


@pytest.mark.usefixtures("made_up_cases")
@pytest.mark.parametrize(
    ("name", "error", "measured"),
    [("failing", "IndexError", False), ("dying", "exit code 7", False), ("outliving", "IndexError", True)],
)
def test_a_failure_is_recorded_as_a_failure(tmp_path: Path, name: str, error: str, measured: bool) -> None:
    code, lines = run_lines(tmp_path, "run", "--case", name, "adding", "--size", "3", "--repeat", "1")
    assert code == 1
    by_case = {line["case"]: line for line in lines}
    assert error in by_case[name]["error"]
    assert (by_case[name]["seconds"] is not None) == measured
    assert by_case[name]["ratio"] is None
    assert by_case["adding"]["error"] is None


def test_compare_takes_the_last_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows: dict[str, list[tuple[Any, ...]]] = {
        "old": [("a", 1, 1.0, None), ("a", 10, 1.0, None), ("gone", 1, 1.0, None)],
        "new": [("a", 1, 9.0, None), ("a", 1, 2.0, None), ("a", 10, None, "it failed")],
    }
    for name, lines in rows.items():
        fields = [dict(zip(("case", "size", "seconds", "error"), line, strict=True)) for line in lines]
        text = [json.dumps({**line, "field_of_another_version": 1}) for line in fields]
        (tmp_path / name).write_text("\n".join(text) + "\n", encoding="utf-8")
    assert read_results(tmp_path / "new")["a", 1].seconds == 2.0
    table, doubts = compare(tmp_path / "old", tmp_path / "new")
    assert table.row_count == 3
    assert doubts == []
    assert main(["compare", str(tmp_path / "old"), str(tmp_path / "new")]) == 0
    printed = capsys.readouterr().out
    assert all(word in printed for word in ("slower", "failed", "missing"))


def test_compare_names_the_line_it_cannot_read(tmp_path: Path) -> None:
    (tmp_path / "bad").write_text('{"case": "a", "size": 1}\n{"case"', encoding="utf-8")
    with pytest.raises(ValueError, match="line 2"):
        read_results(tmp_path / "bad")


def test_growth_is_marked_beyond_the_claim() -> None:
    small, large = Measurement("a", 10, seconds=1.0), Measurement("a", 20, seconds=4.0)
    assert tenfold_growth(4.0, 2.0) == pytest.approx(100)
    assert growth_text(small, large, 14.0) == "x4 for x2 over"
    assert growth_text(small, large, None) == "x4 for x2"
    assert growth_text(None, large, 14.0) == "-"
    assert [mark(ratio, 1.3) for ratio in (1.31, 1.0, 0.76, None)] == ["slower", "", "faster", ""]


def test_an_unknown_case_is_answered_with_the_choices() -> None:
    with pytest.raises(ValueError, match="score_balanced"):
        plan_runs(["no_such_case"], None, quick=False)


@pytest.mark.parametrize("n_leaves", [2, 3, 7, 64])
def test_made_trees_are_binary_trees_over_all_leaves(n_leaves: int) -> None:
    rng = np.random.default_rng(n_leaves)
    order = rng.permutation(n_leaves)
    made = (metrics.balanced(order), metrics.chain(order), metrics.random_binary(n_leaves, rng))
    for parent, height in made:
        tree = hypcse.Tree(parent, height)
        assert tree.is_binary
        assert tree.n_leaves == n_leaves

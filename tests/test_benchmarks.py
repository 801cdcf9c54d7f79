"""The benchmark runner runs, records failures as failures, and compares; nothing is timed here."""

from __future__ import annotations

import json
import sys
import textwrap
from importlib import import_module, invalidate_caches
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import benchmarks.cases  # noqa: F401  (fills the registry)
import hypcse
from benchmarks import holdout
from benchmarks import labels as few_labels
from benchmarks.__main__ import main, plan_runs
from benchmarks.case import REGISTRY, Case, Workload, case
from benchmarks.cases import discrete, metrics
from benchmarks.compare import compare, read_results
from benchmarks.quality import command
from benchmarks.quality.data import KNOWN, Points
from benchmarks.quality.entropy import FAST, LINKAGES, THOROUGH, THOROUGH_FROM_SINGLE, entropy_row, entropy_sheet
from benchmarks.quality.flat import WAYS, agreement, flat_row, flat_sheet
from benchmarks.quality.optimum import all_trees, entropies, optimum_rows, optimum_sheet, random_graph
from benchmarks.quality.trace import milestones, trace
from benchmarks.report import growth_text, mark, tenfold_growth
from benchmarks.runner import Measurement
from hypcse._progress import Progress

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

    @case(sizes=(3, 30), growth="n", peer="a slow one", peer_up_to=3)
    def outrunning(n, rng):
        '''Have a peer that runs at the smaller size only.'''
        return Workload(lambda: n, lambda: 2 * n, peer_facts=lambda double: {"double": double})
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


@pytest.mark.usefixtures("made_up_cases")
def test_a_slow_peer_stops_at_its_largest_size(tmp_path: Path) -> None:
    code, lines = run_lines(tmp_path, "run", "--case", "outrunning", "--repeat", "1")
    assert code == 0
    assert [line["facts"] for line in lines] == [{"peer_double": 6.0}, {}]
    assert [line["ratio"] is None for line in lines] == [False, True]


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


def test_paris_and_its_peer_find_trees_of_one_cost() -> None:
    found: Any = discrete.graph_paris(1_000, np.random.default_rng(0))
    own, peer = found.facts(found.run()), found.peer_facts(found.peer())
    assert {name: own[name] for name in peer} == pytest.approx(peer)
    assert 5_000 < own["n_edges"] < 6_500


@pytest.mark.parametrize("make", [discrete.refine_fast, discrete.engine_pen_digits_refine_fast])
def test_refinement_cases_keep_what_they_gained(make: Any) -> None:
    found = make(500, np.random.default_rng(0))
    facts = found.facts(found.run())
    assert facts["structural_entropy"] < facts["before"]


def test_cuts_and_levels_case_counts_clusters() -> None:
    found: Any = discrete.best_cut_and_levels(500, np.random.default_rng(0))
    facts = found.facts(found.run())
    assert 1 < facts["level_1_clusters"] <= facts["cut_clusters"] < 500


def tree_of(nodes: np.ndarray, n_leaves: int) -> hypcse.Tree:
    """The tree with these internal nodes: each set of leaves lies below the smallest set that holds it."""
    sets = [1 << k for k in range(n_leaves)] + sorted(nodes.tolist(), key=int.bit_count)
    above = [[k for k, other in enumerate(sets) if other != s and other & s == s] for s in sets]
    parent = [min(found, default=-1) for found in above]
    return hypcse.Tree(np.array(parent), np.array([s.bit_count() - 1.0 for s in sets]))


@pytest.mark.parametrize(("n_leaves", "n_trees"), [(1, 1), (2, 1), (5, 105), (7, 10_395)])
def test_all_trees_are_all_and_distinct(n_leaves: int, n_trees: int) -> None:
    nodes = all_trees(n_leaves).nodes
    assert nodes.shape == (n_trees, n_leaves - 1) and len({frozenset(row) for row in nodes.tolist()}) == n_trees


@pytest.mark.parametrize("n_vertices", [5, 7])
@pytest.mark.parametrize("loops", [0.0, 1.0])
def test_entropies_of_all_trees_are_structural_entropies(n_vertices: int, loops: float) -> None:
    rng = np.random.default_rng(n_vertices)
    bare, trees = random_graph(rng, n_vertices), all_trees(n_vertices)
    graph = hypcse.Graph(bare.indptr, bare.indices, bare.weights, np.full(n_vertices, loops))
    found = entropies(trees, graph)
    for k in rng.integers(len(found), size=50):
        tree = tree_of(trees.nodes[k], n_vertices)
        assert tree.is_binary
        assert found[k] == pytest.approx(hypcse.structural_entropy(tree, graph))


def test_no_way_is_below_the_optimum() -> None:
    linkage, fast, thorough = optimum_rows(n_graphs=5, n_vertices=5)
    assert -1e-9 < thorough.mean_gap <= fast.mean_gap <= linkage.mean_gap
    assert thorough.n_optima >= fast.n_optima
    assert optimum_sheet([linkage, fast, thorough], 5).rows[0][:2] == ("graph-average", "5")


@pytest.fixture
def groups() -> Points:
    """Three groups of ten points, named as a data set of the paper."""
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(3), 10)
    return Points.of("zoo", 5.0 * y[:, None] + rng.random((30, 2)), y)


def test_an_entropy_row_has_every_way(groups: Points) -> None:
    short, row = entropy_row(groups), entropy_row(groups, thorough=True)
    assert list(short.found) == [*LINKAGES, FAST]
    assert list(row.found) == [*LINKAGES, FAST, THOROUGH, THOROUGH_FROM_SINGLE]
    assert row.known == KNOWN["zoo"]
    assert row.found[THOROUGH].entropy <= row.found[FAST].entropy <= row.found["graph-average"].entropy
    assert all((found.seconds is None) == (way in LINKAGES) for way, found in row.found.items())
    sheet = entropy_sheet([row])
    assert len(sheet.rows[0]) == len(sheet.columns)
    assert sheet.rows[0][-2:] == ("97.9 / 1.822", "1.749")


def test_a_flat_row_has_every_way(groups: Points) -> None:
    row = flat_row(groups)
    assert tuple(row.found) == WAYS
    assert (row.n_points, row.n_classes) == (30, 3)
    assert row.found["KMeans with the true k"].rand == pytest.approx(1)
    assert len(flat_sheet([row]).rows[0]) == len(flat_sheet([row]).columns)


def test_noise_points_are_clusters_of_their_own() -> None:
    classes, labels = np.array([0, 0, 1, 1]), np.array([0, 0, -1, -1])
    found, apart = agreement(classes, labels), agreement(classes, np.array([0, 0, 1, 2]))
    assert (found.n_clusters, found.noise) == (1, 0.5)
    assert (found.rand, found.information) == (apart.rand, apart.information)


def test_a_trace_falls_and_ends_with_the_search(groups: Points) -> None:
    steps = trace(groups)
    assert 2 <= len(steps) <= 13
    assert steps[-1].value <= steps[0].value
    annealing = (Progress("annealing", k / 49, 1.0, 2.0, seconds=k) for k in range(1, 50))
    made = [Progress("descent", 1.0, 1.0, 3.0, seconds=0.1), *annealing]
    assert [step.seconds for step in milestones(made, 5)] == [0.1, 17, 33, 49]


def test_held_out_points_of_clear_groups_find_them(
    groups: Points, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    model = hypcse.HypCSE(n_clusters=3, n_epochs=1, n_neighbors=5)
    sheet = holdout.holdout_sheet(model, groups.X, groups.y, n_splits=2)
    assert [row[0] for row in sheet.rows] == ["0", "1", "mean"]
    assert set(sheet.rows[-1][1:]) == {"1.000"}
    monkeypatch.setattr(holdout.datasets, "load", lambda name: (groups.X, groups.y))
    assert main(["holdout", "--set", "zoo", "--splits", "1", "--epochs", "1"]) == 0
    assert "purity" in capsys.readouterr().out


def test_quality_prints_and_writes_its_tables(
    groups: Points, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command.Points, "load", lambda name: groups)
    out = tmp_path / "quality.md"
    assert main(["quality", "--sets", "zoo", "--trace", "zoo", "--out", str(out)]) == 0
    text = out.read_text(encoding="utf-8")
    assert all(f"## {title}" in text for title in ("Entropy", "Flat partitions", "Thorough search on zoo"))
    assert "97.9 / 1.822" in capsys.readouterr().out


def test_quality_refuses_an_unknown_data_set(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["quality", "--sets", "zou"])
    assert "Did you mean 'zoo'" in capsys.readouterr().err


def test_propagation_is_the_harmonic_answer() -> None:
    """On a path between two labels each point takes the nearer one; what no label reaches takes the first."""
    path = hypcse.Graph.from_edges(np.arange(5), np.arange(1, 6), n=8)
    y = np.array([1, -1, -1, -1, -1, 0, -1, -1])
    assert few_labels.propagated(path, y, 2).tolist() == [1, 1, 1, 0, 0, 0, 0, 0]


def test_a_few_labels_of_each_class() -> None:
    y = np.repeat([0, 1, 2], [30, 20, 10])
    drawn = few_labels._some(y, 5, np.random.default_rng(0))
    assert np.bincount(drawn[drawn >= 0]).tolist() == [5, 5, 5] and (drawn[drawn >= 0] == y[drawn >= 0]).all()

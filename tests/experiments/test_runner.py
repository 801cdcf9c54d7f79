"""Cells, the resumable runner, and the tables made of its records."""

from __future__ import annotations

import json

import pytest

from hypcse.experiments import (
    EXPERIMENTS,
    Experiment,
    Row,
    cells,
    experiment,
    printed,
    read_records,
    run_cell,
    run_cells,
    summarize,
    to_markdown,
)
from hypcse.methods import describe

TOY = Experiment(
    "toy",
    "A toy",
    (Row("Ward", "ward"), Row("random", "untrained", {"n_encoders": 1}, printed="hypcse", random=True)),
    ("dendrogram_purity", "structural_entropy"),
    data_sets=("optical-digits",),
    n_seeds=3,
)


def stand_in(cell):
    """A record as `run_cell` gives it, at once."""
    if cell.method == "broken":
        return {"key": cell.key, "row": cell.row, "data": cell.data, "seed": cell.seed, "error": "x", "seconds": 0.0}
    scores = {"dendrogram_purity": 0.5 + 0.1 * cell.seed, "structural_entropy": 2.0}
    return {"key": cell.key, "row": cell.row, "data": cell.data, "seed": cell.seed, "scores": scores, "seconds": 1.0}


@pytest.fixture
def calls(monkeypatch):
    """Cells that were run, each by the stand-in."""
    found = []

    def run(cell):
        found.append(cell)
        return stand_in(cell)

    monkeypatch.setattr("hypcse.experiments.runner.run_cell", run)
    return found


def test_every_declared_cell_can_run():
    """Methods are known, and every option is theirs."""
    for declared in EXPERIMENTS:
        for cell in cells(declared):
            assert set(cell.options) <= set(describe(cell.method).options), cell
        assert len({cell.key for cell in cells(declared)}) == len(cells(declared))
    assert experiment("table2").seeds(experiment("table2").rows[0], "zoo") == range(5)
    with pytest.raises(ValueError, match="Did you mean 'table2'"):
        experiment("table-2")


def test_seeds_and_quick():
    assert [cell.seed for cell in cells(TOY)] == [0, 0, 1, 2]
    assert [cell.seed for cell in cells(TOY, n_seeds=1)] == [0, 0]
    quick = cells(experiment("paper-row"), ["zoo"], quick=True)
    assert [cell.options["n_epochs"] for cell in quick] == [2]


def test_a_cell_is_measured():
    record = run_cell(cells(TOY)[0])
    assert record["scores"]["dendrogram_purity"] > 0.7
    assert record["seconds"] > 0 and record["peak_mb"] > 0
    assert json.loads(json.dumps(record)) == record


def test_a_failure_is_recorded_as_one(monkeypatch):
    def fails(*args, **options):
        raise RuntimeError("no luck")

    monkeypatch.setattr("hypcse.methods.run", fails)
    record = run_cell(cells(TOY)[0])
    assert record["error"] == "RuntimeError: no luck"
    assert "scores" not in record


def test_a_run_that_was_cut_anywhere_ends_the_same(tmp_path, calls):
    whole = tmp_path / "whole.jsonl"
    plan = cells(TOY)
    wanted = run_cells(plan, whole)
    assert len(calls) == 4
    content = whole.read_bytes()
    for kept in range(0, len(content), 37):
        path = tmp_path / "cut.jsonl"
        path.write_bytes(content[:kept])
        calls.clear()
        assert run_cells(plan, path) == wanted
        assert path.read_bytes() == content
        assert len(calls) == 4 - content[:kept].count(b"\n")


def test_failed_cells_are_tried_again(tmp_path, calls):
    plan = cells(Experiment("toy", "", (Row("x", "broken"),), (), data_sets=("zoo",)))
    for _ in range(2):
        assert "error" in run_cells(plan, tmp_path / "x.jsonl")[0]
    assert len(calls) == 2


def test_a_foreign_file_is_refused(tmp_path):
    path = tmp_path / "notes.jsonl"
    path.write_text("hello\n", encoding="utf-8")
    with pytest.raises(ValueError, match="is not a file of results"):
        read_records(path)
    assert path.read_text(encoding="utf-8") == "hello\n"


def test_tables_hold_means_deviations_and_the_papers_figure():
    records = [stand_in(cell) for cell in cells(TOY)]
    figure = summarize(TOY, records, "dendrogram_purity")["random"]["optical-digits"]
    assert (figure.mean, figure.n_seeds, figure.paper) == (pytest.approx(60.0), 3, 86.4)
    assert figure.deviation == pytest.approx(8.165, abs=1e-3)
    text = to_markdown(TOY, records)
    assert "| random | 60.0 ± 8.2 (86.4) |" in text
    assert "| Ward | 2.000 |" in text


def test_the_papers_figures():
    assert printed("table1", "structural_entropy", "hypcse", "zoo") == 1.822
    assert printed("table1", "dendrogram_purity", "dp-cluster-hsbm", "pen-digits") is None
    assert printed("table2", "dendrogram_purity", "base", "pen-digits") is None

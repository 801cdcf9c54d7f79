"""The table of peers: processes within limits, rows that are kept, and the page."""

from __future__ import annotations

import json
import random
import sys
from dataclasses import asdict, replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from benchmarks.__main__ import main
from benchmarks.peers import methods, running
from benchmarks.peers.command import COLUMNS, MARK, cells, page_text, tables, told
from benchmarks.peers.methods import PEERS, Found, peer_named
from benchmarks.peers.running import Row, read_rows, run_one, run_rows
from benchmarks.peers.sets import SETS, PointSet, set_named
from benchmarks.peers.worker import scores

ROOT = Path(__file__).parents[1]
SKLEARN = peer_named("HDBSCAN, scikit-learn")
linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits are those of Linux")


@linux
def test_a_row_is_measured_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, page = tmp_path / "rows.jsonl", tmp_path / "page.md"
    words = ["peers", "--sets", "300 x 3", "--only", SKLEARN.name, "--out", str(out), "--page", str(page)]
    for _ in range(2):
        assert main(words) == 0
        (line,) = out.read_text(encoding="utf-8").splitlines()
    row = json.loads(line)
    assert row["outcome"] == "done" and row["seconds"] > 0 and row["peak_mb"] > 10 and 0 <= row["noise"] <= 1
    assert len(row["ami"]) == 2 and row["best_ami"] is None
    assert f"| {SKLEARN.name} | " in page.read_text(encoding="utf-8")
    assert capsys.readouterr().out.count(f"300 x 3, {SKLEARN.name}") == 1


@linux
def test_what_takes_too_long_or_too_much_is_stopped() -> None:
    ward = peer_named("Ward, scikit-learn")
    assert run_one(ward, PointSet(8_000, 16), 0.01, 8).outcome == "time"
    beyond = run_one(ward, PointSet(30_000, 4), 100, 2.5)
    assert beyond.outcome == "memory" and told(beyond) == "over 2.5 GB"


def test_what_is_not_installed_is_tried_again(tmp_path: Path) -> None:
    absent = replace(SKLEARN, package="no_such_package")
    for _ in range(2):
        (row,) = run_rows([PointSet(300, 3)], [absent], (1, 1), tmp_path / "rows.jsonl")
        assert row.outcome == "missing" and told(row) == "not installed"
    assert len(read_rows(tmp_path / "rows.jsonl")) == 1
    small = replace(absent, max_points=200)
    assert not list(run_rows([PointSet(300, 3)], [small], (1, 1), tmp_path / "rows.jsonl"))


def test_the_tables_say_what_happened() -> None:
    done = Row(PEERS[0].name, "10k x 16", "done", 1.5, 2, 300, 12, 0.25, [0.9, 0.5], [0.95, 0.875], version="1")
    rows = [
        Row(PEERS[1].name, "1M x 16", "time", limit=(600, 16), timestamp="2026-01-02T", cpus=2),
        Row(PEERS[2].name, "10k x 16", "failed", error="ValueError: no"),
        done,
    ]
    first, second = tables(rows)
    assert first.title == "10,000 points, 16 columns" and second.rows[0][1] == "over 600 s"
    assert first.rows[0] == (done.method, "1.5", "2", "300", "12", "25.0 %", "0.90 (0.95)", "0.50 (0.88)")
    assert first.rows[1][1] == "failed: ValueError: no" and all(len(cells(row)) == len(COLUMNS) for row in rows)
    text = page_text(rows, [first, second])
    assert "on 2 cores, 2026-01-02 to 2026-01-02" in text and f"{PEERS[0].call} | {PEERS[0].package} 1 |" in text


def test_noise_is_one_cluster_and_levels_count() -> None:
    y = np.array([0, 0, 1, 1, 2, 2])
    labels = np.array([0, 0, 1, 1, -1, -1])
    found = scores(Found(labels, (labels, y * 0)), y, y)
    assert found == {"clusters": 2, "noise": pytest.approx(1 / 3), "ami": [1.0, 1.0], "best_ami": [1.0, 1.0]}
    assert scores(Found(None), y, y) == {}


def test_damaged_lines_and_unknown_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "rows.jsonl"
    out.write_text(json.dumps(asdict(Row("a", "1k x 2", "done"))) + '\n{"method"\n', encoding="utf-8")
    with pytest.raises(ValueError, match="line 2 of .* is not a row of peers"):
        read_rows(out)
    for words in (["--sets", "many"], ["--only", "K"], ["--limit", "0"]):
        with pytest.raises(SystemExit):
            main(["peers", *words, "--out", str(tmp_path / "none.jsonl")])
    said = capsys.readouterr().err
    assert "'many' is not a set of points" in said and "Choose from EntropyClustering" in said and "above 0" in said
    assert all(set_named(one.name) == one for one in SETS)


def test_the_docs_have_a_place_for_the_tables() -> None:
    text = (ROOT / "docs" / "peers.md").read_text(encoding="utf-8")
    assert text.count(f"<!-- {MARK}: begin -->") == text.count(f"<!-- {MARK}: end -->") == 1
    assert "peers.md" in (ROOT / "mkdocs.yml").read_text(encoding="utf-8")


def test_workers_see_no_gpu() -> None:
    assert running._environment()["CUDA_VISIBLE_DEVICES"] == ""


def test_leiden_of_igraph_draws_the_same_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """igraph draws from Python's generator; this stands in for it."""

    class Graph:
        def community_leiden(self, **options: object) -> SimpleNamespace:
            return SimpleNamespace(membership=[random.randrange(10**9) for _ in range(3)])

    monkeypatch.setattr(methods, "_igraph", lambda X: (Graph(), None))
    one, two = (peer_named("Leiden, igraph").fit(np.zeros((3, 1), np.float32)).labels for _ in range(2))
    assert np.array_equal(one, two)

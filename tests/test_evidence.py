"""The page of evidence: rows become records, records the page, and a second call runs what is missing."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.__main__ import main
from benchmarks.evidence.page import page_text
from benchmarks.evidence.plots import pictures
from benchmarks.evidence.running import read_records
from benchmarks.evidence.standing import frame_of
from benchmarks.peers.running import read_rows

DOCS = Path(__file__).parents[1] / "docs"


def test_two_rows_become_records_and_a_page_and_are_not_run_again(tmp_path, capsys):
    words = ["all", "--out", str(tmp_path), "--only", "minorities", "--case", "5% in 2 columns"]
    words += ["--method", "hypcse", "ward, scipy", "--draws", "1", "--jobs", "1"]
    assert main(words) == 0
    kept = (tmp_path / "records.jsonl").read_text(encoding="utf-8")
    records = [json.loads(line) for line in kept.splitlines()]
    assert {record["method"]: record["scores"]["ami"] for record in records} == {"hypcse": 1.0, "ward, scipy": 1.0}
    assert all(record["versions"] and record["machine"] and record["seconds"] >= 0 for record in records)
    page = (tmp_path / "benchmark.md").read_text(encoding="utf-8")
    assert "| Minorities | 1.000 | 1.000, ward, scipy | 0 | 1 | 0 |" in page

    assert main(words) == 0
    assert "2 rows, of which 2 are there" in capsys.readouterr().out
    assert (tmp_path / "records.jsonl").read_text(encoding="utf-8") == kept
    assert (tmp_path / "benchmark.md").read_text(encoding="utf-8") == page


def test_the_page_is_what_its_records_give():
    records = list(read_records(DOCS / "results" / "benchmark.jsonl.gz").values())
    peers = list(read_rows(DOCS / "results" / "peers.jsonl").values())
    drawn = pictures(frame_of(records), peers)
    assert all((DOCS / "results" / f"{name}.svg").exists() for name in drawn)
    page = (DOCS / "benchmark.md").read_text(encoding="utf-8")
    assert page == page_text(records, peers, drawn, "results/"), "Run python -m benchmarks all --docs docs."

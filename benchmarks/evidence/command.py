"""`python -m benchmarks all`: run the rows that are missing, and write the page."""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from benchmarks.evidence.methods import METHODS
from benchmarks.evidence.page import page_text
from benchmarks.evidence.parts import N_DRAWS, PARTS, Row, plan
from benchmarks.evidence.plots import pictures
from benchmarks.evidence.running import read_records, run_rows
from benchmarks.evidence.standing import by_case, frame_of
from benchmarks.peers.command import OUT as PEER_ROWS
from benchmarks.peers.methods import PEERS
from benchmarks.peers.running import read_rows
from benchmarks.peers.running import run_rows as run_peers
from benchmarks.peers.sets import set_named
from benchmarks.sheet import Sheet

SCALE = ("1k x 16", "10k x 16", "100k x 16")
LIMITS = (120.0, 16.0)
"""Seconds and gigabytes of a row of scale."""
_PAUSE = 15.0


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parts = (*PARTS, "scale")
    parser.add_argument("--out", type=Path, default=Path("page"), metavar="FOLDER", help="page, plots and records")
    parser.add_argument(
        "--only", nargs="+", choices=parts, default=parts, metavar="PART", help=f"of {', '.join(parts)}"
    )
    parser.add_argument("--case", nargs="+", metavar="NAME", help="cases of these parts; all by default")
    parser.add_argument("--method", nargs="+", metavar="NAME", help=f"of {'; '.join(METHODS)}")
    parser.add_argument("--draws", type=int, default=N_DRAWS, metavar="N", help=f"of each case; {N_DRAWS} by default")
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="rows at once; all cores by default"
    )
    parser.add_argument("--docs", type=Path, metavar="FOLDER", help="only write its page, from the records kept there")


def show(options: argparse.Namespace, console: Console) -> int:
    """Run, and write the page; figures of cases that are named are printed, too."""
    if min(options.jobs, options.draws) < 1:
        raise ValueError(f"--jobs {options.jobs} and --draws {options.draws} must be at least 1.")
    if options.docs:
        kept = options.docs / "results"
        _write(options.docs / "benchmark.md", kept / "benchmark.jsonl.gz", PEER_ROWS, kept, console)
        return 0
    parts, records = [name for name in options.only if name in PARTS], options.out / "records.jsonl"
    rows = plan(parts, options.case, options.method, options.draws) if parts else []
    _run(rows, records, options.jobs, console)
    if "scale" in options.only and not (options.case or options.method):
        sets = [set_named(name) for name in SCALE]
        for row in run_peers(sets, PEERS, LIMITS, options.out / "peers.jsonl", max(1, options.jobs // 2)):
            console.print(f"{row.points}, {row.method}: {row.outcome}", markup=False)
    for name in parts if options.case else ():
        _print_cases(name, options.case, records, console)
    _write(options.out / "benchmark.md", records, options.out / "peers.jsonl", options.out, console)
    return 0


def _run(rows: Sequence[Row], out: Path, jobs: int, console: Console) -> None:
    """Run, and say every few seconds how far it is."""
    known = read_records(out)
    todo = sum(known.get(row, {}).get("outcome", "missing") == "missing" for row in rows)
    console.print(f"{len(rows):,} rows, of which {len(rows) - todo:,} are there; {jobs} at once.", markup=False)
    said = begin = time.monotonic()
    for number, record in enumerate(run_rows(rows, out, jobs), 1):
        words = f"{record['part']}, {record['case']}, draw {record['seed']}, {record['method']}: {record['outcome']}"
        if record["outcome"] == "failed" or time.monotonic() - said > _PAUSE or number == todo:
            said = time.monotonic()
            console.print(f"{number:,} of {todo:,}, {said - begin:.0f} s: {words}", markup=False, soft_wrap=True)


def _print_cases(name: str, cases: Sequence[str], records: Path, console: Console) -> None:
    part = PARTS[name]
    table = by_case(frame_of(read_records(records).values()), part, part.measure).T
    chosen = [case for case in cases if case in table]
    rows = tuple(
        (method, *(f"{table[case][method]:.3f}".replace("nan", "-") for case in chosen)) for method in table.index
    )
    if chosen:
        console.print(Sheet(f"{part.title}: {part.words}", ("method", *chosen), rows).to_rich())


def _write(page: Path, records: Path, peers: Path, folder: Path, console: Console) -> None:
    """A page and its pictures."""
    found, rows = list(read_records(records).values()), list(read_rows(peers).values())
    drawn = pictures(frame_of(found), rows)
    page.parent.mkdir(parents=True, exist_ok=True)
    for name, svg in drawn.items():
        (folder / f"{name}.svg").write_text(svg, encoding="utf-8")
    where = "" if folder == page.parent else f"{folder.name}/"
    page.write_text(page_text(found, rows, drawn, where), encoding="utf-8")
    console.print(f"Written to {page}", soft_wrap=True)

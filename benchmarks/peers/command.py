"""`python -m benchmarks peers`: run what the file has no row of, print the tables, and write them to a page."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from pathlib import Path

from rich.console import Console

from benchmarks.marked import write_marked
from benchmarks.peers.methods import N_TOLD, PEERS, peer_named
from benchmarks.peers.running import Row, in_order, read_rows, run_rows
from benchmarks.peers.sets import SETS, PointSet, set_named
from benchmarks.sheet import Sheet, seconds_text

MARK = "peers"
"""Between marks of this name a page of the docs has the tables."""
OUT = Path(__file__).parents[2] / "docs" / "results" / "peers.jsonl"
SECONDS, GIGABYTES = 600.0, 16.0
COLUMNS = ("method", "seconds", "start", "peak MB", "clusters", "noise", "AMI, 10", "AMI, 200")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    names = "; ".join(peer.name for peer in PEERS)
    parser.add_argument("--out", type=Path, default=OUT, metavar="FILE.jsonl", help="a line per method and set")
    parser.add_argument("--page", type=Path, metavar="FILE.md", help="write the tables there, as Markdown")
    parser.add_argument("--sets", nargs="+", metavar="SET", help=f"of {', '.join(repr(one.name) for one in SETS)}")
    parser.add_argument("--only", nargs="+", metavar="METHOD", help=f"of {names}")
    parser.add_argument("--limit", type=float, default=SECONDS, metavar="S", help="seconds of a fit")
    parser.add_argument("--memory", type=float, default=GIGABYTES, metavar="GB", help="memory of a process")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="rows at once, each on its share of the cores")
    parser.add_argument("--no-run", action="store_true", help="only show and write what the file has")


def show(options: argparse.Namespace, console: Console) -> int:
    """Run, and show one table per set."""
    sets = [set_named(name) for name in options.sets] if options.sets else list(SETS)
    peers = [peer_named(name) for name in options.only] if options.only else list(PEERS)
    if min(options.limit, options.memory) <= 0:
        raise ValueError(f"--limit {options.limit:g} and --memory {options.memory:g} must be above 0.")
    if options.jobs < 1:
        raise ValueError(f"--jobs {options.jobs} must be at least 1.")
    if not options.no_run:
        for row in run_rows(sets, peers, (options.limit, options.memory), options.out, options.jobs):
            console.print(f"{row.points}, {row.method}: {told(row)}", markup=False, soft_wrap=True)
    rows = list(read_rows(options.out).values())
    sheets = tables(rows)
    for sheet in sheets:
        console.print(sheet.to_rich())
    if options.page is not None:
        write_marked(options.page, page_text(rows, sheets), MARK)
        console.print(f"Written to {options.page}", soft_wrap=True)
    return 0


def tables(rows: Iterable[Row]) -> list[Sheet]:
    """One table per set, smaller sets first, methods in their order."""
    by_set: dict[str, list[Row]] = {}
    for row in rows:
        by_set.setdefault(row.points, []).append(row)
    sets = sorted(map(set_named, by_set), key=lambda one: (one.n_columns, one.n_points))
    return [_table(points, in_order(by_set[points.name])) for points in sets]


def _table(points: PointSet, rows: Sequence[Row]) -> Sheet:
    return Sheet(points.title, COLUMNS, tuple(cells(row) for row in rows))


def cells(row: Row) -> tuple[str, ...]:
    """What a row shows: figures, or why there are none.

    >>> cells(Row("A", "10k x 16", "time", limit=(600.0, 16.0)))[:2]
    ('A', 'over 600 s')
    """
    if row.outcome != "done":
        return (row.method, told(row), *[""] * (len(COLUMNS) - 2))
    clusters = "" if row.clusters is None else f"{row.clusters:,}"
    noise = "" if row.noise is None else f"{100 * row.noise:.1f} %"
    agreement = [_ami(row, place) for place in range(2)]
    peak = "" if row.peak_mb is None else f"{row.peak_mb:,.0f}"
    return (row.method, seconds_text(row.seconds), seconds_text(row.start_seconds), peak, clusters, noise, *agreement)


def _ami(row: Row, place: int) -> str:
    if row.ami is None:
        return ""
    best = "" if row.best_ami is None else f" ({row.best_ami[place]:.2f})"
    return f"{row.ami[place]:.2f}{best}"


def told(row: Row) -> str:
    """A row in a few words."""
    if row.outcome == "done":
        return f"{seconds_text(row.seconds)} s"
    if row.outcome == "missing":
        return "not installed"
    words = {"time": f"over {row.limit[0]:g} s", "memory": f"over {row.limit[1]:g} GB", "failed": "failed"}
    note = row.error.splitlines()[0][:80] if row.outcome == "failed" and row.error else ""
    return words[row.outcome] + (f": {note}" if note else "")


def page_text(rows: Sequence[Row], sheets: Sequence[Sheet]) -> str:
    """The tables, what was called, and where they come from."""
    versions = {row.method: row.version for row in rows if row.version}
    calls = [
        f"| {peer.name} | {peer.call} | {peer.package} {versions.get(peer.name, '')} |"
        for peer in PEERS
        if any(row.method == peer.name for row in rows)
    ]
    cpus = sorted({row.cpus for row in rows if row.cpus})
    days = sorted(row.timestamp[:10] for row in rows if row.timestamp)
    source = (
        f"Written by `python -m benchmarks peers`, on {' and '.join(map(str, cpus))} cores, "
        f"{days[0]} to {days[-1]}. A call that needs a number of clusters is told {N_TOLD}."
        if days
        else "No rows yet."
    )
    called = ["| method | call | version |", "| --- | --- | --- |", *calls]
    return "\n\n".join(
        [*(sheet.to_markdown() for sheet in sheets), "\n".join(["## What was called", "", *called]), source]
    )

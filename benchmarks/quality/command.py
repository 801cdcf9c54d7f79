"""The command `python -m benchmarks quality`."""

from __future__ import annotations

import argparse
import os
import platform
import time
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console

import hypcse
from benchmarks.quality.data import KNOWN, Points
from benchmarks.quality.entropy import entropy_row, entropy_sheet
from benchmarks.quality.flat import flat_row, flat_sheet
from benchmarks.quality.optimum import optimum_rows, optimum_sheet
from benchmarks.quality.sheet import Sheet
from benchmarks.quality.trace import trace, trace_sheet


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument("--sets", nargs="*", default=list(KNOWN), metavar="NAME", help="the paper's seven by default")
    parser.add_argument("--thorough", action="store_true", help="thorough searches, too: minutes on the large sets")
    parser.add_argument("--optimum", action="store_true", help="compare with the optimum on small random graphs")
    parser.add_argument("--trace", metavar="NAME", help="how a thorough search falls with time on one data set")
    parser.add_argument("--out", type=Path, metavar="FILE.md", help="file to write the tables to as Markdown")


def show(options: argparse.Namespace, console: Console) -> int:
    """Measure, print every table when it is done, and write all of them where a file is named."""
    for name in [*options.sets, *filter(None, [options.trace])]:
        hypcse.datasets.describe(name)
    sheets = []
    for sheet in _sheets(options, console):
        console.print(sheet.to_rich())
        for remark in sheet.remarks:
            console.print(remark, markup=False)
        sheets.append(sheet)
    if options.out is not None:
        text = "\n\n".join(["# Quality", provenance(), *(sheet.to_markdown() for sheet in sheets)])
        options.out.write_text(text + "\n", encoding="utf-8")
        console.print(f"written to {options.out}", soft_wrap=True)
    return 0


def provenance() -> str:
    """What the figures were measured with."""
    return (
        f"Written by `python -m benchmarks quality` with hypcse {hypcse.__version__}, Python "
        f"{platform.python_version()}, {os.cpu_count()} CPUs, {platform.system()} {platform.machine()}."
    )


def _sheets(options: argparse.Namespace, console: Console) -> Iterator[Sheet]:
    if options.sets:
        yield from _of_sets(options.sets, options.thorough, console)
    if options.optimum:
        yield optimum_sheet(optimum_rows())
    if options.trace:
        yield trace_sheet(options.trace, trace(Points.load(options.trace)))


def _of_sets(names: list[str], thorough: bool, console: Console) -> Iterator[Sheet]:
    entropy, flat = [], []
    for name in names:
        began = time.perf_counter()
        points = Points.load(name)
        entropy.append(entropy_row(points, thorough))
        flat.append(flat_row(points))
        console.print(f"{name}: {time.perf_counter() - began:.1f} s")
    yield entropy_sheet(entropy)
    yield flat_sheet(flat)

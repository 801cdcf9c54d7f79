"""The command `python -m benchmarks first-answer`."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from pathlib import Path

from rich.console import Console

from benchmarks.first_answer import units, verdicts
from benchmarks.sheet import Sheet

Part = Callable[[argparse.Namespace], Iterable[Sheet]]

PARTS: dict[str, Part] = {
    "units": units.sheets,
    "verdicts": verdicts.sheets,
}
"""Each part of the command, and the function that measures it: from the options to its tables."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS), metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2], metavar="S", help="draws of made data")
    parser.add_argument("--out", type=Path, metavar="FILE.md", help="file to write the tables to as Markdown")


def show(options: argparse.Namespace, console: Console) -> int:
    """Measure the parts one by one, print each table when it is done, and write all of them where a file is named."""
    texts = ["# The first answer"]
    for part in options.parts:
        for sheet in PARTS[part](options):
            console.print(sheet.to_rich())
            for remark in sheet.remarks:
                console.print(remark, markup=False)
            texts.append(sheet.to_markdown())
    if options.out is not None:
        options.out.write_text("\n\n".join(texts) + "\n", encoding="utf-8")
        console.print(f"Written to {options.out}", soft_wrap=True)
    return 0

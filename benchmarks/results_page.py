"""The page of results in the docs, from the records of a full run: `python -m benchmarks results`."""

from __future__ import annotations

import argparse
from pathlib import Path

from rich.console import Console

from hypcse.paper.experiments import everything, plan
from hypcse.paper.report.content import build_report
from hypcse.paper.report.render import Block, Picture, to_markdown
from hypcse.paper.report.summary import Results
from hypcse.paper.runner import read_records

DOCS = Path(__file__).parents[1] / "docs"
TITLE = "Results"
SOURCE = (
    "After this page you know how every method does on the paper's data and on more, beside the printed figures, and "
    "where ours wins and loses. Written by `python -m benchmarks results` from records of the tasks of "
    "`hypcse reproduce all`, one line each, in `docs/results/records.jsonl.gz`."
)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument("--docs", type=Path, default=DOCS, help="folder that has results/records.jsonl.gz")


def show(options: argparse.Namespace, console: Console) -> int:
    """Write results.md and its pictures."""
    folder = options.docs / "results"
    blocks = results_page(folder / "records.jsonl.gz")
    texts = {options.docs / "results.md": to_markdown(blocks, "results/")}
    texts |= {folder / f"{block.name}.svg": block.svg for block in blocks if isinstance(block, Picture)}
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8")
        console.print(str(path), markup=False)
    return 0


def results_page(path: Path) -> list[Block]:
    """The report of all experiments that a file has records of."""
    records = {record["key"]: record for record in read_records(path)}
    return build_report([Results(one, plan(one), records) for one in everything()], TITLE, SOURCE)

"""The command: run, list, and one sheet per subject; `--help` names all."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape

import benchmarks.cases  # noqa: F401  (fills the registry)
from benchmarks import cluster, holdout, house, labels, living, million, ranks, results_page, start_up
from benchmarks.case import REGISTRY, Case
from benchmarks.evidence import command as evidence
from benchmarks.first_answer import command as first_answer
from benchmarks.gpu import command as gpu
from benchmarks.peers import command as peers
from benchmarks.report import case_table, results_table
from benchmarks.runner import run_all

LATEST = Path(__file__).parent / "results" / "latest.jsonl"
REPEATS = 5
_PIPE_WIDTH = 180


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; the exit code is 1 where a case failed."""
    words = list(sys.argv[1:] if argv is None else argv)
    if not words or words[0] not in ("list", "run", *_SHEETS, "-h", "--help"):
        words.insert(0, "run")
    parser = _parser()
    options = parser.parse_args(words)
    console = Console(width=None if sys.stdout.isatty() else _PIPE_WIDTH, highlight=False)
    if options.command == "list":
        console.print(case_table(REGISTRY.values()))
        return 0
    try:
        return (
            _run(options, console) if options.command == "run" else _SHEETS[options.command][0].show(options, console)
        )
    except (ValueError, OSError) as error:
        parser.error(str(error))


def _run(options: argparse.Namespace, console: Console) -> int:
    plan = plan_runs(options.case, options.size, options.quick)
    repeats = options.repeat or (1 if options.quick else REPEATS)
    measurements = []
    for found in run_all(plan, repeats, options.threads, options.out):
        outcome = escape(found.error) if found.error is not None else f"{found.seconds:.3g} s"
        console.print(f"{found.case} at {found.size:,}: {outcome}")
        measurements.append(found)
    console.print(results_table(measurements, REGISTRY))
    console.print(f"{len(measurements)} lines appended to {options.out}", soft_wrap=True)
    return 1 if any(found.error is not None for found in measurements) else 0


_SHEETS: dict[str, tuple[Any, str]] = {
    "all": (evidence, "ours beside its peers where the answer is known, as one page"),
    "labels": (labels, "what a few labels are worth"),
    "million": (million, "a million points, step by step"),
    "ranks": (ranks, "training by two processes of torchrun, beside one"),
    "cluster": (cluster, "a Dask cluster with limits of memory, beside one process"),
    "start-up": (start_up, "first calls, with nothing compiled and with all"),
    "holdout": (holdout, "what new points get, beside a fit that had them"),
    "living": (living, "a tree that grows by updates, beside a full fit"),
    "first-answer": (first_answer, "the verdict, and answers in other units"),
    "peers": (peers, "ours beside what a user would pick instead"),
    "gpu": (gpu, "what a GPU gives: values, gradients, bits and times"),
    "house": (house, "lines, modules and folders of the package by wing"),
    "results": (results_page, "write the docs' page of results from its records"),
}
"""The module of each sheet, with `add_options` and `show`, and what it shows."""


def plan_runs(names: Sequence[str] | None, sizes: Sequence[int] | None, quick: bool) -> list[tuple[Case, int]]:
    """The (case, size) pairs to measure: every declared one unless told, the smallest size if quick."""
    unknown = sorted(set(names or ()) - REGISTRY.keys())
    if unknown:
        raise ValueError(f"there is no case {unknown[0]!r}. Choose from {', '.join(REGISTRY)}.")
    chosen = [case for name, case in REGISTRY.items() if not names or name in names]
    plan = []
    for case in chosen:
        wanted = sorted(set(sizes or case.sizes))
        plan += [(case, size) for size in (wanted[:1] if quick else wanted)]
    return plan


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Speed and memory of hypcse.")
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="measure cases (the default command)")
    run.add_argument("--case", nargs="+", action="extend", metavar="NAME", help="cases to run; all by default")
    run.add_argument("--size", nargs="+", action="extend", type=_count, metavar="N", help="instead of declared ones")
    run.add_argument("--quick", action="store_true", help="the smallest size only, one repeat")
    run.add_argument("--repeat", type=_count, metavar="R", help=f"timed calls after the first; {REPEATS} by default")
    run.add_argument("--out", type=Path, default=LATEST, metavar="FILE.jsonl", help="file to append lines to")
    run.add_argument("--threads", type=_count, metavar="T", help="threads of each process; all by default")
    commands.add_parser("list", help="list the cases")
    for name, (module, text) in _SHEETS.items():
        module.add_options(commands.add_parser(name, help=text))
    return parser


def _count(text: str) -> int:
    value = int(text.replace("_", ""))
    if value < 1:
        raise argparse.ArgumentTypeError(f"{value} must be at least 1")
    return value


if __name__ == "__main__":
    sys.exit(main())

"""`hypcse reproduce`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import typer
from rich.console import Console
from rich.markdown import Markdown

from hypcse._checks import did_you_mean
from hypcse.cli.cells import run_with_bar
from hypcse.datasets import load
from hypcse.experiments import (
    Cell,
    Experiment,
    Planned,
    Results,
    build_report,
    everything,
    experiment,
    finished,
    plan,
    read_records,
    to_markdown,
    write_report,
)
from hypcse.experiments.report import Picture
from hypcse.experiments.synthetic import made_size, size_of

EVERYTHING = "all"
RECORDS = "records.jsonl"


def run_reproduce(
    name: str, out: Path, data_sets: list[str] | None, n_seeds: int | None, n_jobs: int, quick: bool, report_only: bool
) -> None:
    """Run an experiment or all of them, or what is left of it, and print the report."""
    wanted = everything() if name == EVERYTHING else (experiment(name),)
    if out.exists() and not out.is_dir():
        raise NotADirectoryError(f"--out {out} is a file. Name a folder.")
    _check_names(wanted, data_sets or ())
    planned = {one.name: plan(one, _shared(one, data_sets), n_seeds, quick) for one in wanted}
    path = out / RECORDS
    cells = _cells([one for cells in planned.values() for one in cells], path)
    if report_only:
        if not path.exists():
            raise FileNotFoundError(f"{path} does not exist, so there is nothing to report. Run without --report-only.")
        records = {record["key"]: record for record in read_records(path)}
    else:
        _check_data(cells, path)
        records = run_with_bar(cells, path, n_jobs, name)
    results = [Results(one, planned[one.name], records, judged=not quick) for one in wanted]
    if not any(one.found for one in results):
        raise ValueError(f"{path} has no record of {name}, so there is nothing to report. Run without --report-only.")
    title = "Results" if name == EVERYTHING else f"Results: {name}"
    source = f"Written by `{_command(name, data_sets, n_seeds, quick)}`."
    if quick:
        source += " A smoke run: what trains did so for two epochs, so its figures say nothing about the paper's."
    part = "-quick" if quick else "-part" if data_sets or n_seeds else ""
    blocks = build_report(results, f"{title}, smoke run" if quick else title, source)
    files = write_report(blocks, out, f"{name}{part}")
    text = to_markdown([block for block in blocks if not isinstance(block, Picture)])
    plain = Console(soft_wrap=True, highlight=False)
    if plain.is_terminal:
        plain.print(Markdown(text))
    else:
        plain.print(text, markup=False)
    plain.print(f"Written: {files[1]} and {files[0]}. Cells are in {path}.", markup=False)
    if any("error" in record for one in results for record in one.found):
        raise typer.Exit(1)


def _command(name: str, data_sets: Sequence[str] | None, n_seeds: int | None, quick: bool) -> str:
    words = [name, *(f"--data {data}" for data in data_sets or ())]
    words += [f"--seeds {n_seeds}"] if n_seeds is not None else []
    return " ".join(["hypcse reproduce", *words, *(["--quick"] if quick else [])])


def _cells(planned: Sequence[Planned], path: Path) -> list[Cell]:
    """The cells that can run here, and those that are finished already."""
    done = finished([cell for _, cell in planned], path)
    return [cell for row, cell in planned if row.can_run or cell.key in done]


def _check_data(cells: Sequence[Cell], path: Path) -> None:
    """Read all data sets that are still needed, so that one which is not there is an error before anything runs."""
    done = finished(cells, path)
    for data in {cell.data: None for cell in cells if cell.key not in done and made_size(cell.data) is None}:
        load(data)


def _check_names(wanted: Sequence[Experiment], data_sets: Sequence[str]) -> None:
    """Raise for a data set that no experiment has."""
    for data in data_sets:
        if not any(_has(one, data) for one in wanted):
            known = list(dict.fromkeys(known for one in wanted for known in one.data_sets))
            guess = did_you_mean(data, known)
            raise ValueError(f"--data {data}: the experiment has no such data set.{guess} It has {', '.join(known)}.")


def _has(one: Experiment, data: str) -> bool:
    """Whether an experiment takes a data set; that of growth takes any number of points."""
    return data in one.data_sets or (one.kind == "growth" and size_of(data) is not None)


def _shared(one: Experiment, data_sets: list[str] | None) -> list[str] | None:
    """The data sets asked for that the experiment has."""
    return None if data_sets is None else [data for data in data_sets if _has(one, data)]

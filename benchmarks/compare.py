"""Two results files side by side."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path

from rich.table import Table

from benchmarks.report import Results, comparison_table
from benchmarks.runner import Measurement

LIMIT = 1.3
_FIELDS = {entry.name for entry in fields(Measurement)}


def read_results(path: Path) -> Results:
    """The last line of each (case, size), since runs append; fields no longer known are left out."""
    found = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            row = json.loads(line)
            measurement = Measurement(**{name: row[name] for name in row.keys() & _FIELDS})
        except (ValueError, TypeError, AttributeError) as error:
            raise ValueError(
                f"line {number} of {path} is not a measurement ({error}). Remove the line or name another file."
            ) from error
        found[measurement.case, measurement.size] = measurement
    return found


def compare(old: Path, new: Path) -> tuple[Table, list[str]]:
    """The ratios new / old a (case, size), and what makes them doubtful."""
    before, after = read_results(old), read_results(new)
    return comparison_table(before, after, LIMIT), doubts(before, after)


def doubts(old: Results, new: Results) -> list[str]:
    """Why two files may not be comparable: nothing in common, other machines, other threads."""
    common = old.keys() & new.keys()
    if not common:
        return ["the two files have no (case, size) in common"]
    found = []
    if any(old[key].machine != new[key].machine for key in common):
        found.append("some lines come from different machines")
    if any(old[key].threads != new[key].threads for key in common):
        found.append("some lines were run with different numbers of threads")
    return found

"""`python -m benchmarks faults`: the campaign as a command, and its table."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

import hypcse
from benchmarks.faults.attempt import KINDS, Part, Verdict
from benchmarks.faults.campaign import Crew, take_turns
from benchmarks.faults.parts import PARTS
from benchmarks.marked import write_marked
from benchmarks.quality.sheet import Sheet

MINUTES = 20.0
PLURALS = {"crash": "crashes", "loss": "losses"}
MARK = "faults"
"""Between marks of this name a page of the docs has the last table."""


@dataclass
class Tally:
    """What a part has found so far."""

    part: Part
    tries: int = 0
    found: list[Verdict] = field(default_factory=list)

    def add(self, verdict: Verdict) -> None:
        """Count a try."""
        self.tries += 1
        if verdict.kind is not None:
            self.found.append(verdict)

    def row(self) -> tuple[str, ...]:
        """The part, its tries, all violations, and those of each kind."""
        counts = [sum(verdict.kind == kind for verdict in self.found) for kind in KINDS]
        return (self.part.name, f"{self.tries:,}", str(len(self.found)), *map(str, counts))


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument("--minutes", type=float, default=MINUTES, metavar="N", help="time that the parts share")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="of everything random")
    parser.add_argument("--only", action="append", choices=sorted(PARTS), metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--try", dest="number", type=int, metavar="K", help="this try alone, of the part --only")
    parser.add_argument("--out", type=Path, metavar="FILE.md", help="write the table there too, as Markdown")


def show(options: argparse.Namespace, console: Console) -> int:
    """Run the campaign; the exit code is 1 where there is a violation."""
    names = options.only or list(PARTS)
    if options.number is not None and len(names) != 1:
        raise ValueError("--try K repeats one try of one part. Name it with --only PART.")
    crews = [Crew(PARTS[name], options.seed) for name in names]
    tallies = {name: Tally(PARTS[name]) for name in names}
    try:
        if options.number is not None:
            tallies[names[0]].add(_repeat(crews[0], options.number, console))
        else:
            _run(crews, tallies, 60 * options.minutes, console)
    except KeyboardInterrupt:
        console.print("stopped; this is the table so far.")
    finally:
        for crew in crews:
            crew.stop()
    _report(list(tallies.values()), options, console)
    return 1 if any(tally.found for tally in tallies.values()) else 0


def table_of(tallies: Sequence[Tally]) -> Sheet:
    """One row per part, and one of all."""
    rows = [tally.row() for tally in tallies]
    sums = [f"{sum(int(row[k].replace(',', '')) for row in rows):,}" for k in range(1, len(KINDS) + 3)]
    heads = ("part", "tries", "violations", *(PLURALS.get(kind, f"{kind}s") for kind in KINDS))
    return Sheet("A campaign of faults", heads, (*rows, ("all", *sums)), ())


def list_violations(tallies: Sequence[Tally], seed: int) -> list[str]:
    """A line per violation: what it is, what was tried, and the command that repeats it."""
    return [
        f"{tally.part.name}, {verdict.kind}: {verdict.text} [{verdict.said}] `{repeating(tally.part, verdict, seed)}`"
        for tally in tallies
        for verdict in tally.found
    ]


def repeating(part: Part, verdict: Verdict, seed: int) -> str:
    """The command that makes the same try again."""
    return f"python -m benchmarks faults --seed {seed} --only {part.name} --try {verdict.number}"


def _repeat(crew: Crew, number: int, console: Console) -> Verdict:
    verdict = crew.attempt(number)
    console.print(f"{crew.part.name} {number}, {verdict.seconds:.1f} s: {verdict.said}", markup=False, soft_wrap=True)
    return verdict


def _run(crews: Sequence[Crew], tallies: dict[str, Tally], seconds: float, console: Console) -> None:
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        lines = {
            crew.part.name: progress.add_task(f"{crew.part.name}: {crew.part.about}", total=None) for crew in crews
        }
        for crew, verdict in take_turns(crews, seconds):
            name, tally = crew.part.name, tallies[crew.part.name]
            tally.add(verdict)
            if verdict.kind is not None:
                line = list_violations([Tally(crew.part, 1, [verdict])], crew.seed)[0]
                progress.console.print(line, markup=False, soft_wrap=True)
            told = f"{name}: {tally.tries:,} tries, {len(tally.found)} violations"
            progress.update(lines[name], description=told)


def _report(tallies: Sequence[Tally], options: argparse.Namespace, console: Console) -> None:
    sheet, found = table_of(tallies), list_violations(tallies, options.seed)
    console.print(sheet.to_rich())
    for line in found:
        console.print(f"- {line}", markup=False, soft_wrap=True)
    if options.out is not None:
        write_marked(options.out, _markdown(sheet, found, options), MARK)
        console.print(f"Written to {options.out}", soft_wrap=True)


def _markdown(sheet: Sheet, found: Sequence[str], options: argparse.Namespace) -> str:
    when = datetime.now(UTC).strftime("%Y-%m-%d")
    source = (
        f"Written by `python -m benchmarks faults --minutes {options.minutes:g} --seed {options.seed}` with hypcse "
        f"{hypcse.__version__} on {when}."
    )
    rest = [f"- {line}" for line in found] or ["No violation was found."]
    return "\n".join([sheet.to_markdown(), "", source, "", *rest])

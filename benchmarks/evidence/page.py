"""The page: where others win, then every part; all of it computed from the records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import pandas as pd

from benchmarks.evidence.data import CHOICES, CUTS
from benchmarks.evidence.methods import METHODS, OURS
from benchmarks.evidence.parts import N_DRAWS, PARTS, Part, plan
from benchmarks.evidence.running import Record
from benchmarks.evidence.standing import NEAR, Standing, by_case, by_group, frame_of, standings
from benchmarks.peers.methods import PEERS
from benchmarks.peers.running import Row
from benchmarks.peers.sets import set_named
from benchmarks.sheet import Sheet, seconds_text

COMMAND = "python -m benchmarks all"
N_NAMED = 6
"""Cases of a part that the list of defeats names."""
PICTURES = {"hierarchies": "benchmark-levels", "background": "benchmark-background"}
NOTES = {
    "hierarchies": f"Ours is read by its own levels, at most 12, told nothing. Dendrograms are cut into {CUTS[0]} to "
    f"{CUTS[-1]} clusters, HDBSCAN's at {len(CUTS)} distances, and Leiden runs at seven resolutions; of all these the "
    "best counts for each known level, a choice that only the truth can make. `hypcse, cuts` is our tree, read as "
    "dendrograms are.",
    "known": "Read as planted hierarchies are. `elements`: six physical properties; metals, blocks and families. "
    "`zoo`: traits; vertebrates and classes. `languages`: letters in the names of months, days and territories "
    "(babel); families and branches. `documentation`: docstrings of NumPy, SciPy and scikit-learn; libraries and "
    "modules.",
    "flat": "Every method chooses the number of clusters itself: linkages, Genie and k-means by silhouette and Paris "
    f"by modularity among {CHOICES[0]} to {CHOICES[-1]}, the mixture by BIC from 1 on. Noise of HDBSCAN is one "
    "cluster. Our defaults were developed on some of the public tables.",
    "noise": "One cluster, or none, is right. Methods that choose among two clusters or more cannot be right.",
    "background": "Five Gaussians, and points spread evenly over the box around them.",
    "minorities": "One normal cloud and one or two groups, eight standard deviations away in every column.",
    "outliers": "Points far from every cluster are to be ranked first.",
}


def page_text(records: Iterable[Record], peers: Sequence[Row], drawn: Iterable[str], folder: str = "") -> str:
    """The page in Markdown; `drawn` are the names of its pictures, in that folder."""
    records = list(records)
    frame = frame_of(records)
    several = list(standings(frame))
    blocks = [_opening(records), _defeats(several, peers)]
    for part in PARTS.values():
        if part.name in set(frame["part"]):
            blocks += _part(part, frame, set(drawn), folder)
    if peers:
        blocks += _scale(set(drawn), folder)
    return "\n\n".join([*blocks, _run(records, frame), _again()]) + "\n"


def _opening(records: Sequence[Record]) -> str:
    planned = len(plan(list(PARTS), None, None, N_DRAWS))
    done = sum(record["outcome"] == "done" for record in records)
    return (
        "# The benchmark\n\nAfter this page you know how well `hypcse` recovers known hierarchies, clusters and "
        "outliers, and how often it rightly reports that there is no structure, beside the methods that you would "
        f"otherwise pick, and where those are better. Every figure is computed from {done:,} of {planned:,} planned "
        f"rows, each one method on one draw of one case, and `{COMMAND}` makes it again. All scores are at most 1, and "
        "higher is better."
    )


def _defeats(several: Sequence[Standing], peers: Sequence[Row]) -> str:
    rows, lines = [], []
    for one in several:
        name, value = one.rival
        ahead = int((one.gaps < -NEAR).sum())
        level = len(one.gaps) - ahead - len(one.behind)
        rows.append(
            (one.title, f"{one.ours:.3f}", f"{value:.3f}, {name}", f"{len(one.behind)}", f"{level}", f"{ahead}")
        )
        named = [f"`{case}` ({gap:.2f}, {one.best[case]})" for case, gap in one.behind.head(N_NAMED).items()]
        more = len(one.behind) - len(named)
        if named:
            lines.append(f"- {one.title}: {', '.join(named)}{f', and {more} more' if more else ''}.")
    columns = ("", "hypcse", "best peer", "behind the best", "level", "ahead")
    table = Sheet("Where others win", columns, tuple(rows)).to_markdown()
    return "\n".join(
        [
            table,
            "",
            "The first two columns are means over cases; a peer is compared if it has them all. The others count cases "
            f"by the best of all peers on that case, whichever it is; within {NEAR:g} is level. Cases where a peer is "
            "ahead, by how much, and which:",
            "",
            *lines,
            *_slower(peers),
        ]
    )


def _slower(peers: Sequence[Row]) -> Iterator[str]:
    """Who takes less time at the largest size that ours has."""
    times = {(row.method, set_named(row.points)): row.seconds for row in peers if row.seconds is not None}
    sizes = [points for method, points in times if method == PEERS[0].name and points.n_columns == 16]
    if sizes:
        largest = max(sizes, key=lambda points: points.n_points)
        own = times[PEERS[0].name, largest]
        theirs = {peer.name for peer in PEERS if peer.package != "hypcse"}
        faster = sorted((s, name) for (name, at), s in times.items() if name in theirs and at == largest and s < own)
        names = ", ".join(f"{name} ({seconds_text(s)} s)" for s, name in faster) or "no method"
        yield f"- Scale, {largest.title}: ours takes {seconds_text(own)} s; less take {names}."


def _part(part: Part, frame: pd.DataFrame, drawn: set[str], folder: str) -> Iterator[str]:
    values = by_case(frame, part, part.measure)
    yield f"## {part.title}"
    yield f"Scored by {part.words}. {NOTES[part.name]}\n\n```\n{COMMAND} --only {part.name}\n```"
    if (picture := PICTURES.get(part.name, "")) in drawn:
        yield f"![{part.title}: {part.words}]({folder}{picture}.svg)"
    yield _grid(by_group(part, values), "method")
    purity = by_case(frame, part, "purity").drop(columns=OURS[1], errors="ignore")
    if len(purity):
        yield "Dendrogram purity of the trees, the mean over all known levels:"
        yield _grid(by_group(part, purity), "method")
    first = next(iter(values.index))
    yield (
        f"<details markdown>\n<summary>Every case</summary>\n\n{_grid(values, 'case')}\n\nOne of them: "
        f'`{COMMAND} --only {part.name} --case "{first}"`\n\n</details>'
    )


def _grid(table: pd.DataFrame, head: str) -> str:
    """Three digits; the best of each column of methods, or row of cases, is bold."""
    rounded, down = table.round(3), head == "method"
    best = rounded.eq(rounded.max(axis=0 if down else 1), axis=1 if down else 0)
    text = rounded.map(lambda value: "" if value != value else f"{value:.3f}")
    text = text.mask(best, "**" + text + "**")
    rows = tuple((str(name), *row) for name, row in zip(text.index, text.to_numpy(), strict=True))
    return Sheet("", (head, *map(str, table)), rows).to_markdown().partition("\n\n")[2]


def _scale(drawn: set[str], folder: str) -> Iterator[str]:
    yield "## Scale"
    yield (
        "Seconds and memory against the number of points, in 16 columns; a line ends where the limit of time or "
        "memory did. In the docs these are the rows of [Ours beside others](peers.md), by `python -m benchmarks "
        "peers`; the command below runs 1,000 to 100,000 points.\n\n"
        f"```\n{COMMAND} --only scale\n```"
    )
    if "benchmark-scale" in drawn:
        yield f"![Seconds and peak memory against the number of points, by method]({folder}benchmark-scale.svg)"


def _run(records: Sequence[Record], frame: pd.DataFrame) -> str:
    """Methods, calls, versions; what is missing or failed; machines and days."""
    versions: dict[str, set[str]] = {}
    for record in records:
        used = (
            f"{name} {record['versions'][name]}" for name in METHODS[record["method"]].packages if "versions" in record
        )
        versions.setdefault(record["method"], set()).update(used)
    counts, seconds = frame["method"].value_counts(), frame.groupby("method")["seconds"].median()
    rows = tuple(
        (
            name,
            method.call,
            ", ".join(sorted(versions[name])) or "not installed",
            f"{counts.get(name, 0):,}",
            seconds_text(seconds.get(name)),
        )
        for name, method in METHODS.items()
        if name in versions
    )
    problems: dict[tuple[str, str], list[str]] = {}
    for record in records:
        if record["outcome"] != "done":
            problems.setdefault((record["outcome"], record["error"]), []).append(record["method"])
    remarks = tuple(
        f"{len(methods)} rows {outcome}, of {', '.join(sorted(set(methods)))}: {error}"
        for (outcome, error), methods in sorted(problems.items())
    )
    table = Sheet("What was run", ("method", "call", "version", "rows", "seconds"), rows, remarks).to_markdown()
    return (
        f"{table}\n\nRun on {'; '.join(sorted({_machine(record) for record in records}))}. Columns of tables are "
        "brought to [0, 1] for every method, ours included; texts are unit vectors. Methods on graphs get the graph of "
        "10 neighbors that ours makes. Draw and method share the seed 0, 1 or 2. Seconds are CPU seconds of a row "
        "on one thread, the median over rows that differ by method: Scale compares times."
    )


def _machine(record: Record) -> str:
    machine = record["machine"]
    return f"{machine['cpu']}, {machine['cpus']} cores, Python {machine['python']}, {record['timestamp'][:7]}"


def _again() -> str:
    return f"""## Run it yourself

```
pip install -e ".[peers,plot]" genieclust leidenalg igraph infomap babel
{COMMAND} --out page
```

A row is a line of `page/records.jsonl` as soon as it is there. A second call runs what is missing: a stopped run goes
on, and a method that you install later is added. `--only`, `--case`, `--method` and `--draws 1` choose rows; one case
takes less than a minute. `--jobs` is the number of rows at once. genieclust, leidenalg, igraph and infomap are under
the GPL or AGPL and in none of our extras. The page in the docs is written from `docs/results/benchmark.jsonl.gz` by
`{COMMAND} --docs docs`.

Next: [Ours beside others](peers.md) has seconds and memory, [Results](results.md) the tables of the paper."""

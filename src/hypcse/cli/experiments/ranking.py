"""A comparison of methods for people: ranked rows, as a table, as Markdown, as a page and as CSV."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, get_args

import numpy as np

from hypcse import __version__
from hypcse._choices import RankBy
from hypcse.experiments.report.blocks import Block, Entry, Grid, Heading, Text
from hypcse.metrics.scores import BY_NAME, format_score
from hypcse.points import Points

NAMES: dict[RankBy, str] = {
    "entropy": "structural_entropy",
    "purity": "dendrogram_purity",
    "ari": "ari",
    "nmi": "nmi",
    "cost": "dasgupta_cost",
    "seconds": "seconds",
}
"""What people rank by, and what records call it."""
COLUMNS = ("dendrogram_purity", "ari", "nmi", "structural_entropy", "dasgupta_cost")


@dataclass(frozen=True)
class Comparison:
    """What the methods found, by name, and how they are ranked.

    has_classes : whether there are scores by classes.
    """

    records: dict[str, dict[str, Any]]
    rank_by: RankBy
    has_classes: bool

    @cached_property
    def rows(self) -> list[dict[str, Any]]:
        """Scores and seconds of the methods that did not fail, best first; those without a number last."""
        columns = [name for name in COLUMNS if self.has_classes or "labels" not in BY_NAME[name].needs]
        rows = [
            {
                "method": method,
                **{name: _number(record["scores"].get(name)) for name in columns},
                "seconds": record["seconds"],
            }
            for method, record in self.records.items()
            if "error" not in record
        ]
        name = NAMES[self.rank_by]
        sign = -1 if name in BY_NAME and BY_NAME[name].higher else 1
        return sorted(rows, key=lambda row: (math.isnan(row[name]), sign * np.nan_to_num(row[name])))

    @property
    def failures(self) -> dict[str, str]:
        """The errors of those that failed."""
        return {method: record["error"] for method, record in self.records.items() if "error" in record}

    @property
    def explanation(self) -> str:
        """How the rows are ranked, and what the columns mean, in plain words."""
        known = BY_NAME.get(NAMES[self.rank_by])
        what, way = (known.phrase, "highest" if known.higher else "lowest") if known else ("seconds", "fewest")
        parts = [f"Ranked by {what}, {way} first."]
        if self.has_classes:
            parts.append(
                "No method is told the number of classes. ARI and NMI are those of one cut of each tree: into as many "
                "clusters as there are classes, with least entropy."
            )
        return " ".join([*parts, "Seconds are for finding the tree, without making the graph."])


def check_rank(rank_by: RankBy, points: Points) -> None:
    """Raise where the score that methods are ranked by needs classes, and there are none."""
    known = BY_NAME.get(NAMES[rank_by])
    if known is not None and "labels" in known.needs and points.labels is None:
        others = [name for name in get_args(RankBy) if "labels" not in getattr(BY_NAME.get(NAMES[name]), "needs", ())]
        raise ValueError(
            f"--rank-by {rank_by} needs classes, and these points have none. Name their column with --label-column, "
            f"or rank by {', '.join(others[:-1])} or {others[-1]}."
        )


def describe_points(points: Points) -> str:
    """How many points, features and classes there are."""
    assert points.features is not None
    text = f"{points.n_points:,} points, {points.features.shape[1]:,} features"
    if points.labels is None:
        return f"{text}, no classes."
    known = {str(label) for label in points.labels.tolist() if label is not None and label == label}
    return f"{text}, {len(known):,} classes."


def to_blocks(found: Comparison, title: str, about: str, seed: int) -> list[Block]:
    """The comparison as a report."""
    blocks: list[Block] = [Heading(title, 1), Text(f"{about} {found.explanation}")]
    if found.rows:
        blocks += [_grid(found), Text("The best of each column is bold. ↑ higher is better, ↓ lower is better.")]
        blocks.append(Text(f"Each tree is a file: `hypcse view {found.rows[0]['method']}.nwk` shows the first."))
    if found.failures:
        blocks.append(Heading("Failures", 2))
        rows = [(Entry(method), Entry(error)) for method, error in found.failures.items()]
        blocks.append(Grid(("Method", "Error"), tuple(rows)))
    return [*blocks, Text(f"Written by `hypcse compare`, version {__version__}, seed {seed}.")]


def _grid(found: Comparison) -> Grid:
    columns = [name for name in found.rows[0] if name != "method"]
    best = {name: set(_best(found, name)) for name in columns}
    rows = [
        (
            Entry(row["method"]),
            *(Entry(_shown(name, row[name]), "best" if row["method"] in best[name] else "") for name in columns),
            Entry(f"{row['method']}.nwk"),
        )
        for row in found.rows
    ]
    return Grid(("Method", *map(_head, columns), "Tree"), tuple(rows))


def _best(found: Comparison, name: str) -> Iterator[str]:
    """The methods with the best value of a column; none where no two can be compared."""
    known = [row[name] for row in found.rows if not math.isnan(row[name])]
    if len(known) > 1:
        top = max(known) if name in BY_NAME and BY_NAME[name].higher else min(known)
        yield from (row["method"] for row in found.rows if row[name] == top)


def _head(name: str) -> str:
    known = BY_NAME.get(name)
    return "Seconds" if known is None else f"{known.title[0].upper()}{known.title[1:]} {'↑' if known.higher else '↓'}"


def _shown(name: str, value: float) -> str:
    if math.isnan(value):
        return "-"
    return format_score(name, value) if name in BY_NAME else f"{value:.2f}"


def to_csv(found: Comparison) -> str:
    """Rank, method, tree file, and all numbers unrounded; a method that failed has its error at the end."""
    columns = [name for name in found.rows[0] if name != "method"] if found.rows else []
    text = io.StringIO(newline="")
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["rank", "method", "tree", *columns, "error"])
    for rank, row in enumerate(found.rows, 1):
        numbers = ["" if math.isnan(row[name]) else row[name] for name in columns]
        table.writerow([rank, row["method"], f"{row['method']}.nwk", *numbers, ""])
    table.writerows(["", method, "", *[""] * len(columns), error] for method, error in found.failures.items())
    return text.getvalue()


def _number(value: float | None) -> float:
    return math.nan if value is None else value

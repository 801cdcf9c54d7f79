"""How ours stands beside its peers, computed from the records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import pandas as pd

from benchmarks.evidence.methods import METHODS, OURS
from benchmarks.evidence.parts import PARTS, Part
from benchmarks.evidence.running import Record

NEAR = 0.02
"""Scores that differ by no more are level."""


@dataclass(frozen=True)
class Standing:
    """Cases of one part and kind: the mean of ours, the peer of the best mean, and cases by the best of all peers.

    values : the score of each method (column) on each case (row), the mean over its draws.
    gaps   : by how much ours is behind the best of all peers, largest first, and which that is.
    """

    title: str
    part: Part
    values: pd.DataFrame
    gaps: pd.Series
    best: pd.Series

    @property
    def ours(self) -> float:
        """The mean of ours."""
        return float(self.values[OURS[0]].mean())

    @property
    def rival(self) -> tuple[str, float]:
        """The peer of the best mean among those that have every case."""
        means = _peers(self.values).dropna(axis=1).mean()
        return ("-", float("nan")) if means.empty else (str(means.idxmax()), float(means.max()))

    @property
    def behind(self) -> pd.Series:
        """Cases on which the best of all peers is ahead."""
        return self.gaps[self.gaps > NEAR]


def frame_of(records: Iterable[Record]) -> pd.DataFrame:
    """A row for each record with scores."""
    rows = [
        {name: record[name] for name in ("part", "case", "seed", "method", "seconds")} | record["scores"]
        for record in records
        if record["outcome"] == "done" and record["case"] in PARTS[record["part"]].cases
    ]
    return pd.DataFrame(rows, columns=None if rows else ["part", "case", "seed", "method", "seconds"])


def by_case(frame: pd.DataFrame, part: Part, score: str) -> pd.DataFrame:
    """One score by case and method, in their order; means over draws."""
    chosen = frame[frame["part"] == part.name]
    if score not in chosen:
        return pd.DataFrame()
    table = chosen.pivot_table(index="case", columns="method", values=score, aggfunc="mean")
    rows, columns = (
        [name for name in names if name in have] for names, have in ((part.cases, table.index), (METHODS, table))
    )
    return table.loc[rows, columns]


def by_group(part: Part, values: pd.DataFrame) -> pd.DataFrame:
    """Means over groups of cases; none where a method lacks a case that another has."""
    groups = pd.Series({name: part.cases[name].group for name in values.index})
    return values.groupby(groups, sort=False).agg(lambda several: several.mean(skipna=False)).T


def standings(frame: pd.DataFrame) -> Iterator[Standing]:
    """One for tables and one for graphs of each part, where ours has a case."""
    for part in PARTS.values():
        table = by_case(frame, part, part.measure)
        kinds = {case.kind for case in part.cases.values()}
        for kind in ("table", "graph") if OURS[0] in table else ():
            values = table[[part.cases[name].kind == kind for name in table.index]].dropna(subset=[OURS[0]])
            peers = _peers(values).dropna(how="all")
            if len(peers):
                gaps = (peers.max(axis=1) - values[OURS[0]][peers.index]).sort_values(ascending=False, kind="stable")
                title = part.title + (f", {kind}s" if len(kinds) > 1 else "")
                yield Standing(title, part, values, gaps, peers.idxmax(axis=1))


def _peers(values: pd.DataFrame) -> pd.DataFrame:
    return values.drop(columns=list(OURS), errors="ignore").dropna(axis=1, how="all")

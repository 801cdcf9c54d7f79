"""What a report says about flat clusters: how far they agree with the true ones, what we win and what we lose."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from hypcse.experiments.flat import FLAT_CASES, GROUPS, FlatCase
from hypcse.experiments.report.blocks import Block, Entry, Grid, Heading, Text
from hypcse.experiments.report.grids import field, mark_best
from hypcse.experiments.results import METRICS, Figure, Results, Table, Values

NEAR = 0.01
"""Difference of two indices from which one is ahead."""
MUCH = 0.05
"""Difference that is named."""
OURS = ("main-level", "cut")
NOISE_HEAD = "right on noise"


def flat_tables(results: Results) -> Iterator[Block]:
    """Means, what they come to in words, every case, the numbers of clusters, and what choosing a level costs."""
    cases = [FLAT_CASES[data] for data in results.data_sets if data in FLAT_CASES]
    clustered = [case for case in cases if case.group != "noise"]
    yield Heading("Flat clusters: means", 3)
    yield Text(
        "ARI is the adjusted Rand index, AMI adjusted mutual information; both are 1 for the true clusters and about "
        "0 for random ones. A row that lacks a case of a group has no mean there. Right on noise: the share of draws "
        f"that are left in one piece. Below, a row is ahead or behind by more than {NEAR:g}."
    )
    yield _mean_grid(results, cases)
    for text in (*_standing(results, clustered), _not_run(results)):
        if text:
            yield Text(text)
    if clustered:
        yield from _by_case(results, clustered)
    noise = [case for case in cases if case.group == "noise"]
    if noise:
        yield Heading("Clusters found in noise", 3)
        yield Text("One is right. None says that HDBSCAN takes all points for noise, which is as right.")
        yield _case_grid(results, "clusters", noise)
    yield from _level_costs(results, clustered)


def _by_case(results: Results, cases: Sequence[FlatCase]) -> Iterator[Block]:
    yield Heading(f"{METRICS['ari'].title} by case", 3)
    yield Text(
        "The best of each case is bold. Points that HDBSCAN takes for noise count as one cluster in both indices."
    )
    yield _case_grid(results, "ari", cases, marked=True)
    yield Heading(f"{METRICS['ami'].title} by case", 3)
    yield _case_grid(results, "ami", cases, marked=True)
    yield Heading("Clusters found", 3)
    yield Text("Noise of HDBSCAN is not counted here.")
    yield _case_grid(results, "clusters", cases)


def _case_grid(results: Results, metric: str, cases: Sequence[FlatCase], *, marked: bool = False) -> Grid:
    """One metric, cases by the rows that have one of them; numbers of clusters beside the true ones."""
    names = {case.name for case in cases}
    table = {label: row for label, row in results.table(metric).items() if names & row.keys()}
    marks = mark_best(table, names, metric) if marked else {}
    counted = metric == "clusters"
    rows = []
    for case in cases:
        name, true = case.name, [Entry(str(case.n_clusters))] if counted else []
        figures = [field(row.get(name), metric, marks.get((label, name), ""), False) for label, row in table.items()]
        rows.append((Entry(name), *true, *figures))
    return Grid(("", *(["true"] if counted else []), *table), tuple(rows))


def _mean_grid(results: Results, cases: Sequence[FlatCase]) -> Grid:
    """Means over the cases of each group, of both indices."""
    table: Table = {label: {} for label in results.table("ari")}
    heads: list[str] = []
    for metric in ("ari", "ami"):
        values = results.complete(metric)
        for group, told in GROUPS.items():
            names = [case.name for case in cases if case.group == group]
            if names and (group != "noise" or metric == "ari"):
                heads.append(f"{metric.upper()}, {told}" if group != "noise" else NOISE_HEAD)
                for label, mean in _means(values, names).items():
                    table[label][heads[-1]] = Figure(mean, 0.0, 1)
    marks = mark_best(table, [head for head in heads if head != NOISE_HEAD], "ari")
    rows = [
        (Entry(label), *(field(row.get(head), "ari", marks.get((label, head), "")) for head in heads))
        for label, row in table.items()
    ]
    return Grid(("", *heads), tuple(rows))


def _means(values: Values, names: Sequence[str]) -> dict[str, float]:
    """Means of the rows that have all of the cases."""
    whole = {label: [row[name] for name in names] for label, row in values.items() if set(names) <= row.keys()}
    return {label: float(np.mean(found)) for label, found in whole.items()}


def _standing(results: Results, cases: Sequence[FlatCase]) -> Iterator[str]:
    """What our rows win and lose beside the others, in words."""
    names = [case.name for case in cases]
    values = {
        label: {name: row[name] for name in names if name in row} for label, row in results.complete("ari").items()
    }
    ours = {row.label: None for row, _ in results.planned if row.method in OURS}
    others = {label: row for label, row in values.items() if label not in ours and row}
    for label in ours:
        if values.get(label) and others:
            yield f"By ARI, our {label} is ahead {_beside(values[label], others)}. {_extremes(values[label], others)}"


def _beside(own: dict[str, float], others: dict[str, dict[str, float]]) -> str:
    parts = []
    for label, row in others.items():
        gaps = np.array([own[name] - row[name] for name in own if name in row])
        ahead, behind = np.count_nonzero(gaps > NEAR), np.count_nonzero(gaps < -NEAR)
        parts.append(f"of {label} on {ahead} of {gaps.size} cases (behind on {behind})")
    return "; ".join(parts)


def _extremes(own: dict[str, float], others: dict[str, dict[str, float]]) -> str:
    """The cases on which a row is far ahead of all others, and those on which it is far behind the best."""
    rivals = {name: [(row[name], label) for label, row in others.items() if name in row] for name in own}
    best = {name: max(found) for name, found in rivals.items() if found}
    gaps = {name: own[name] - top for name, (top, _) in best.items()}
    won = [f"{name} ({gaps[name]:.2f})" for name in sorted(gaps, key=lambda name: -gaps[name]) if gaps[name] > MUCH]
    lost = [
        f"{name} ({-gaps[name]:.2f} to {best[name][1]})"
        for name in sorted(gaps, key=lambda name: gaps[name])
        if gaps[name] < -MUCH
    ]
    return (
        f"It is more than {MUCH:g} ahead of all of them on {', '.join(won) or 'no case'}; and more than {MUCH:g} "
        f"behind the best of them on {', '.join(lost) or 'no case'}."
    )


def _not_run(results: Results) -> str:
    """Rows that were planned and have no record, and what they need."""
    known = results.table("ari")
    rows = {row.label: row for row, _ in results.planned if row.label not in known and row.needs}
    return " ".join(f"{label} was not run: it needs {row.needs}." for label, row in rows.items())


def _level_costs(results: Results, cases: Sequence[FlatCase]) -> Iterator[Block]:
    """Cases on which another level of the tree than the main one agrees much better."""
    metrics = ("clusters", "ari", "best_level_clusters", "best_level_ari")
    label = next((row.label for row, _ in results.planned if row.method == "main-level"), "")
    found = {metric: results.table(metric).get(label, {}) for metric in metrics}
    costs = {
        case: found["best_level_ari"][case.name].mean - found["ari"][case.name].mean
        for case in cases
        if case.name in found["ari"]
    }
    worst = sorted((case for case in costs if costs[case] > MUCH), key=lambda case: -costs[case])
    if not worst:
        return
    yield Heading("What the choice of the main level costs", 3)
    yield Text(
        f"Cases on which some level of the same tree has an ARI more than {MUCH:g} above that of the main level. Which "
        "level that is, only the true clusters tell."
    )
    rows = [
        (Entry(case.name), Entry(str(case.n_clusters)), *(field(found[m][case.name], m, "", False) for m in metrics))
        for case in worst
    ]
    yield Grid(("", "true clusters", "main level", "its ARI", "best level", "its ARI"), tuple(rows))

"""What a report says about made data: flat clusters, and planted partitions; what we win and what we lose."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from hypcse.paper.flat.cases import FLAT_CASES, GROUPS, FlatCase
from hypcse.paper.hierarchies import CASES, HIT, MAX_DEPTH, Case, level_score
from hypcse.paper.report.tables import Block, Entry, Grid, Heading, Text, field, mark_best, mean_grid, metric_grid
from hypcse.paper.results.metrics import METRICS
from hypcse.paper.results.summary import Results, Values

NEAR = 0.01
"""Difference of two indices from which one is ahead."""
MUCH = 0.05
"""Difference that is named."""
NEAR_BEST = 1.0
"""Percentage points within which a purity is as good as the best."""
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
    columns = {}
    for metric in ("ari", "ami"):
        for group, title in GROUPS.items():
            names = [case.name for case in cases if case.group == group]
            if names and (group != "noise" or metric == "ari"):
                columns[f"{metric.upper()}, {title}" if group != "noise" else NOISE_HEAD] = dict.fromkeys(names, metric)
    yield mean_grid(results, columns, plain=NOISE_HEAD)
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


def _standing(results: Results, cases: Sequence[FlatCase]) -> Iterator[str]:
    """What our rows win and lose beside the others, in words."""
    names = {case.name for case in cases}
    complete = results.ours("ari", complete=True)
    values = {label: {name: value for name, value in row.items() if name in names} for label, row in complete.items()}
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
    best = {name: max(values) for name, values in rivals.items() if values}
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
    figures = {metric: results.table(metric).get(label, {}) for metric in metrics}
    costs = {
        case: figures["best_level_ari"][case.name].mean - figures["ari"][case.name].mean
        for case in cases
        if case.name in figures["ari"]
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
        (Entry(case.name), Entry(str(case.n_clusters)), *(field(figures[m][case.name], m, "", False) for m in metrics))
        for case in worst
    ]
    yield Grid(("", "true clusters", "main level", "its ARI", "best level", "its ARI"), tuple(rows))


def planted_tables(results: Results) -> Iterator[Block]:
    """Purity by case, purity by planted level, and the planted partitions among the levels of the trees."""
    yield Heading("Purity by case (percent)", 3)
    yield Text(f"Means over the planted levels of a case and over its draws. {_purity_standing(results)}".strip())
    yield metric_grid(results, "mean_purity", marked=True, spread=False)
    cases = _shared_cases(results)
    if not cases:
        return
    counted = "Means over the nested Gaussians; a row that lacks one of these cases, or a draw of it, has no mean."
    yield Heading("Purity by planted level (percent)", 3)
    yield Text(
        f"{counted} A level counts where a case has it, and the finest is the last that it has. The block model is "
        "left out: rows that see features alone cannot see its edges."
    )
    nested = [case for case in cases if not case.degrees]
    levels = {"mean": dict.fromkeys([case.name for case in nested], "mean_purity")}
    for k in range(1, MAX_DEPTH + 1):
        deep = [case.name for case in nested if k <= len(case.branching)]
        levels["level 1, coarsest" if k == 1 else f"level {k}"] = dict.fromkeys(deep, level_score("purity", k))
    levels["finest"] = {case.name: level_score("purity", len(case.branching)) for case in nested}
    yield mean_grid(results, {head: scores for head, scores in levels.items() if scores}, ranked=True)
    yield Heading("Planted partitions among the levels of the tree", 3)
    yield Text(
        f"{counted} A planted partition is hit where some level of `hypcse.levels` has an adjusted Rand index of at "
        f"least {HIT:g} with it. Best level: the index of the level that fits a planted partition best. Main level: "
        "that of the level to look at first, `hypcse.main_level`, with the planted partition that it fits best. "
        "Both functions were made for our own trees, and cut those of all rows. The last column is the share of "
        "`blocks-4x4`, with features."
    )
    names = [case.name for case in nested]
    found = {
        "hit (percent)": dict.fromkeys(names, "partitions_hit"),
        "best level": dict.fromkeys(names, "best_ari"),
        "main level": dict.fromkeys(names, "main_ari"),
        "structural entropy": dict.fromkeys(names, "structural_entropy"),
        "hit, block model (percent)": {case.name: "partitions_hit" for case in cases if case.degrees},
    }
    yield mean_grid(results, {head: scores for head, scores in found.items() if scores}, ranked=True)


def _purity_standing(results: Results) -> str:
    """On which cases our own rows are behind the best, by how much, and behind whom."""
    values = results.ours("mean_purity", complete=True)
    ours = {row.label: None for row in results.experiment.rows if row.refined or row.method == "hypcse"}
    return " ".join(_behind(label, values) for label in ours if values.get(label) and len(values) > 1)


def _behind(label: str, values: Values) -> str:
    best = {data: max((row[data], other) for other, row in values.items() if data in row) for data in values[label]}
    gaps = {data: top - values[label][data] for data, (top, _) in best.items()}
    lost = sorted((data for data in gaps if gaps[data] > NEAR_BEST), key=lambda data: -gaps[data])
    text = f"{label} is within {NEAR_BEST:g} point of the best row on {len(gaps) - len(lost)} of {len(gaps)} cases"
    if not lost:
        return f"{text}."
    return f"{text}; it loses more on " + ", ".join(f"{d} ({gaps[d]:.1f} to {best[d][1]})" for d in lost) + "."


def _shared_cases(results: Results) -> list[Case]:
    """Cases with records that all rows were planned for."""
    rows = {row.label for row, _ in results.planned}
    planned: dict[str, set[str]] = {}
    for row, task in results.planned:
        planned.setdefault(task.data, set()).add(row.label)
    return [CASES[data] for data in results.data_sets if planned[data] == rows and data in CASES]

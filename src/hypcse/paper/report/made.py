"""What a report says about made data: flat clusters, and planted partitions; what we win and what we lose."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pandas as pd

from hypcse.paper.flat import FLAT_CASES, GROUPS, FlatCase
from hypcse.paper.hierarchies import CASES, HIT, MAX_DEPTH, level_score
from hypcse.paper.report.summary import METRICS, Results
from hypcse.paper.report.tables import Block, Entry, Grid, Heading, Text, field, mark_best, mean_grid, metric_grid

NEAR = 0.01
"""Difference of two indices from which one is ahead."""
MUCH = 0.05
"""Difference that is named."""
NEAR_BEST = 1.0
"""Percentage points within which a purity is as good as the best."""
NOISE_HEAD = "right on noise"


def flat_tables(results: Results) -> Iterator[Block]:
    """Means, what they come to in words, every case, the numbers of clusters, and what choosing a level costs."""
    cases = [FLAT_CASES[data] for data in results.data_sets if data in FLAT_CASES]
    clustered = [case for case in cases if case.group != "noise"]
    noise = [case for case in cases if case.group == "noise"]
    yield Heading("Flat clusters: means", 3)
    yield Text(
        "ARI is the adjusted Rand index, AMI adjusted mutual information; both are 1 for the true clusters and about "
        "0 for random ones. A row that lacks a case of a group has no mean there. Right on noise: the share of draws "
        f"that are left in one piece. Below, a row is ahead or behind by more than {NEAR:g}."
    )
    columns = {
        f"{metric.upper()}, {title}" if group != "noise" else NOISE_HEAD: dict.fromkeys(names, metric)
        for metric in ("ari", "ami")
        for group, title in GROUPS.items()
        if (names := [case.name for case in cases if case.group == group]) and (group != "noise" or metric == "ari")
    }
    yield mean_grid(results, columns, plain=NOISE_HEAD)
    yield from map(Text, _flat_standing(results, clustered))
    known = results.table("ari")
    lacking = [row for label, row in results.rows.items() if label not in known and row.needs]
    if lacking:
        yield Text(" ".join(f"{row.label} was not run: it needs {row.needs}." for row in lacking))
    if clustered:
        about = "Points that HDBSCAN takes for noise count as one cluster in both indices."
        yield Heading(f"{METRICS['ari'].title} by case", 3)
        yield Text(f"The best of each case is bold. {about}")
        yield _case_grid(results, "ari", clustered)
        yield from (Heading(f"{METRICS['ami'].title} by case", 3), _case_grid(results, "ami", clustered))
        yield from (Heading("Clusters found", 3), Text("Noise of HDBSCAN is not counted here."))
        yield _case_grid(results, "clusters", clustered)
    if noise:
        yield Heading("Clusters found in noise", 3)
        yield Text("One is right. None says that HDBSCAN takes all points for noise, which is as right.")
        yield _case_grid(results, "clusters", noise)
    yield from _level_costs(results, clustered)


def _case_grid(results: Results, metric: str, cases: Sequence[FlatCase]) -> Grid:
    """One metric, cases by the rows that have one of them; numbers of clusters beside the true ones."""
    names, counts = {case.name for case in cases}, metric == "clusters"
    table = {label: row for label, row in results.table(metric).items() if names & row.keys()}
    marks = {} if counts else mark_best(table, names, metric)
    rows = []
    for name, case in ((case.name, case) for case in cases):
        figures = [field(row.get(name), metric, marks.get((label, name), ""), False) for label, row in table.items()]
        rows.append((Entry(name), *([Entry(str(case.n_clusters))] if counts else []), *figures))
    return Grid(("", *(["true"] if counts else []), *table), tuple(rows))


def _flat_standing(results: Results, cases: Sequence[FlatCase]) -> Iterator[str]:
    """What our rows win and lose beside the others, in words."""
    values = results.ours("ari", complete=True)
    values = values[[data for data in values if data in {case.name for case in cases}]].dropna(how="all")
    ours = [label for label, row in results.rows.items() if row.method in ("main-level", "cut")]
    others = values[~values.index.isin(ours)]
    for label in ours if len(others) else []:
        if label in values.index:
            own = values.loc[label].dropna()
            beside = "; ".join(
                f"of {other} on {(gaps > NEAR).sum()} of {gaps.size} cases (behind on {(gaps < -NEAR).sum()})"
                for other, gaps in ((other, (own - row).dropna()) for other, row in others.iterrows())
            )
            yield f"By ARI, our {label} is ahead {beside}. {_extremes(own, others)}"


def _extremes(own: pd.Series, others: pd.DataFrame) -> str:
    """The cases on which a row is far ahead of all others, and those on which it is far behind the best."""
    gaps, best = _behind_best(own, others)
    won = [f"{name} ({-gaps[name]:.2f})" for name in gaps.index[::-1] if gaps[name] < -MUCH]
    lost = [f"{name} ({gaps[name]:.2f} to {best[name]})" for name in gaps.index if gaps[name] > MUCH]
    return (
        f"It is more than {MUCH:g} ahead of all of them on {', '.join(won) or 'no case'}; and more than {MUCH:g} "
        f"behind the best of them on {', '.join(lost) or 'no case'}."
    )


def _behind_best(own: pd.Series, others: pd.DataFrame) -> tuple[pd.Series, pd.Series]:
    """How far a row is behind the best of the others, most first, and which row that is, by case."""
    others = others[own.index].dropna(axis=1, how="all").sort_index(ascending=False)
    gaps = (others.max() - own[others.columns]).sort_values(ascending=False, kind="stable")
    return gaps, others.idxmax()


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
    # Cases with records that all rows were planned for.
    planned = {(row.label, task.data) for row, task in results.planned}
    shared = [data for data in results.data_sets if all((label, data) in planned for label in results.rows)]
    cases = [CASES[data] for data in shared if data in CASES]
    if not cases:
        return
    counted = "Means over the nested Gaussians; a row that lacks one of these cases, or a draw of it, has no mean."
    yield Heading("Purity by planted level (percent)", 3)
    yield Text(
        f"{counted} A level counts where a case has it, and the finest is the last that it has. The block model is "
        "left out: rows that see features alone cannot see its edges."
    )
    nested = [case for case in cases if not case.degrees]
    names = [case.name for case in nested]
    levels = {"mean": dict.fromkeys(names, "mean_purity")}
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
    hits = {
        "hit (percent)": dict.fromkeys(names, "partitions_hit"),
        "best level": dict.fromkeys(names, "best_ari"),
        "main level": dict.fromkeys(names, "main_ari"),
        "structural entropy": dict.fromkeys(names, "structural_entropy"),
        "hit, block model (percent)": {case.name: "partitions_hit" for case in cases if case.degrees},
    }
    yield mean_grid(results, {head: scores for head, scores in hits.items() if scores}, ranked=True)


def _purity_standing(results: Results) -> str:
    """On which cases our own rows are behind the best, by how much, and behind whom."""
    values, texts = results.ours("mean_purity", complete=True), []
    ours = dict.fromkeys(row.label for row in results.experiment.rows if row.refined or row.method == "hypcse")
    for label in ours if len(values) > 1 else ():
        if label in values.index:
            gaps, best = _behind_best(values.loc[label].dropna(), values)
            lost = gaps[gaps > NEAR_BEST]
            on = f"on {len(gaps) - len(lost)} of {len(gaps)} cases"
            more = "; it loses more on " + ", ".join(f"{d} ({lost[d]:.1f} to {best[d]})" for d in lost.index)
            texts.append(f"{label} is within {NEAR_BEST:g} point of the best row {on}{more if len(lost) else ''}.")
    return " ".join(texts)

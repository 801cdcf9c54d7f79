"""Made hierarchies: the data, its scores, and the experiment from the runner to the report."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

import hypcse
from hypcse.paper import build_report, experiment, plan, run_tasks, to_markdown
from hypcse.paper.experiments import made_size
from hypcse.paper.hierarchies import CASES, MAX_DEPTH, make, planted_scores
from hypcse.paper.report.summary import Results

DECLARED = experiment("hierarchies")
every_case = pytest.mark.parametrize("case", CASES.values(), ids=lambda case: case.name)


def refines(fine, coarse):
    """Whether every part of one partition lies in one part of another."""
    return len(np.unique(np.stack([fine, coarse]), axis=1).T) == len(np.unique(fine))


@every_case
def test_the_data_is_what_the_case_says(case):
    data = make(case, 1)
    assert data.graph.n_vertices == case.n_points == made_size(case.name)
    if case.n_features:
        assert data.X.shape == (case.n_points, case.n_features + case.n_noise) and np.isfinite(data.X).all()
    else:
        assert data.X is None
    assert [len(np.unique(labels)) for labels in data.partitions] == np.cumprod(case.branching).tolist()
    assert all(refines(fine, coarse) for coarse, fine in zip(data.partitions, data.partitions[1:], strict=False))
    assert len(data.partitions) <= MAX_DEPTH and CASES[case.name] is case
    sizes = np.bincount(data.partitions[-1])
    assert sizes.max() / sizes.min() == pytest.approx(case.size_ratio, rel=0.15)


@every_case
def test_the_same_seed_gives_the_same_data_and_another_another(case):
    first, again, other = make(case, 0), make(case, 0), make(case, 1)
    assert np.array_equal(first.partitions[-1], again.partitions[-1])
    assert np.array_equal(first.graph.weights, again.graph.weights)
    assert not np.array_equal(first.partitions[-1], other.partitions[-1])
    if case.n_features:
        assert np.array_equal(first.X, again.X)


def test_spreads_differ_as_declared():
    for name, least in (("gaussians-3x8-0.65", 1.0), ("densities-3x8-0.65", 4.0)):
        data = make(CASES[name], 0)
        spreads = [data.X[data.partitions[-1] == k].std(axis=0).mean() for k in range(27)]
        assert least * 0.8 < max(spreads) / min(spreads) < least * 1.6
        assert np.sqrt(max(spreads) * min(spreads)) == pytest.approx(0.65, rel=0.1)


@pytest.mark.parametrize("case", [case for case in CASES.values() if case.degrees], ids=lambda case: case.name)
def test_a_block_model_has_the_declared_degrees(case):
    data = make(case, 0)
    i, j, _ = data.graph.edges()
    shared = np.sum([labels[i] == labels[j] for labels in data.partitions], axis=0)
    result = 2 * np.bincount(shared) / case.n_points
    assert result[::-1] == pytest.approx(case.degrees, rel=0.1)


def planted_tree(partitions):
    """The tree whose subtrees are the clusters of nested partitions, coarse to fine."""
    n = len(partitions[0])
    paths = [tuple(labels[leaf] for labels in partitions) for leaf in range(n)]
    nodes = sorted({path[:k] for path in paths for k in range(len(partitions) + 1)}, key=lambda node: -len(node))
    place = {node: n + k for k, node in enumerate(nodes)}
    parent = [place[path] for path in paths] + [place[node[:-1]] if node else -1 for node in nodes]
    height = [0.0] * n + [float(len(partitions) + 1 - len(node)) for node in nodes]
    return hypcse.Tree(np.array(parent), np.array(height))


def test_a_perfect_tree_scores_one():
    """Far apart at every level: all purities are 1, and every planted partition is a level."""
    clear = replace(CASES["gaussians-3x64-1.25"], spread=0.1, step_ratio=8.0)
    data = make(clear, 0)
    perfect = planted_scores(planted_tree(data.partitions), data.graph, data.partitions)
    assert [perfect[f"purity_{k}"] for k in (1, 2, 3)] == [1.0] * 3 and perfect["mean_purity"] == 1.0
    result = planted_scores(hypcse.methods.run("ward", data.X, graph=data.graph), data.graph, data.partitions)
    assert result["mean_purity"] == result["partitions_hit"] == result["best_ari"] == result["main_ari"] == 1.0


def test_scores_are_those_of_the_levels():
    data = make(CASES["gaussians-2x8-0.65"], 0)
    tree = hypcse.methods.run("graph-average", data.X, graph=data.graph)
    result = planted_scores(tree, data.graph, data.partitions)
    levels = hypcse.levels(tree, data.graph)
    for k, labels in enumerate(data.partitions, 1):
        indices = [adjusted_rand_score(labels, level) for level in levels]
        assert result[f"best_ari_{k}"] == max(indices)
        assert result[f"main_ari_{k}"] == indices[hypcse.main_level(tree, data.graph)]
        assert result[f"purity_{k}"] == hypcse.dendrogram_purity(tree, labels)
    assert result["structural_entropy"] == hypcse.structural_entropy(tree, data.graph)


def test_seeds_draw_the_data_of_every_row_and_a_graph_alone_leaves_rows_out():
    planned = plan(DECLARED)
    assert {task.kind for _, task in planned} == {"planted"}
    for case in CASES.values():
        rows = [row for row in DECLARED.rows if case.n_features or row.graph_alone]
        wanted = [(row.label, seed) for row in rows for seed in range(3)]
        assert [(row.label, task.seed) for row, task in planned if task.data == case.name] == wanted


@pytest.mark.parametrize("row", DECLARED.rows, ids=lambda row: row.label)
def test_rows_say_whether_they_can_do_without_features(row):
    graph = hypcse.similarity_graph(np.random.default_rng(0).normal(size=(30, 2)))
    options = {"n_epochs": 1} if row.trains else dict(row.options)
    if row.graph_alone:
        assert hypcse.methods.run(row.method, graph=graph, **options).n_leaves == 30
    elif not options.get("join") and not row.trains:
        with pytest.raises(ValueError, match="features|X"):
            hypcse.methods.run(row.method, graph=graph, **options)


def test_the_experiment_runs_from_end_to_end(tasks_here, tmp_path):
    """Two rows, two cases, two draws: through processes into records, and from these into the report."""
    small = replace(
        DECLARED, rows=tuple(row for row in DECLARED.rows if row.label in ("Ward", "graph-average, refined"))
    )
    planned = plan(small, ["gaussians-2x8-0.65", "blocks-4x4-graph"], n_seeds=2)
    assert len(planned) == 6
    records = run_tasks([task for _, task in planned], tmp_path / "records.jsonl")
    assert not [record for record in records.values() if "error" in record]
    drawn = [record["scores"]["purity_2"] for record in records.values() if record["method"] == "ward"]
    assert drawn[0] != drawn[1]
    text = to_markdown(build_report([Results(small, planned, records)], "Results", "Made."))
    lines = [line for line in text.splitlines() if line.startswith("| Ward |")]
    assert len(lines) == 3 and lines[0].endswith("| - |") and "**" in text
    assert "graph-average, refined is within 1 point of the best row on" in text


def made_up(data_sets, purity):
    """Results of Ward and of the refined tree, whose purities are given by method and case; None is not run."""
    rows = tuple(row for row in DECLARED.rows if row.label in ("Ward", "graph-average, refined"))
    small = replace(DECLARED, rows=rows)
    planned = plan(small, data_sets, n_seeds=1)
    records = {}
    for _, task in planned:
        value = purity.get((task.method, task.data), 0.95)
        if value is not None:
            names = ("mean_purity", *(f"purity_{k + 1}" for k in range(len(CASES[task.data].branching))))
            records[task.key] = {
                "key": task.key, "version": "0", "data": task.data, "seed": 0, "method": task.method, "seconds": 1.0,
                "when": "2026-01-01", "libraries": {}, "machine": "m", "scores": dict.fromkeys(names, value),
            }  # fmt: skip
    return to_markdown(build_report([Results(small, planned, records)], "Results", "Made up."))


def test_what_we_lose_is_named():
    sizes = "sizes-3x8-0.65"
    text = made_up(["gaussians-2x8-0.65", sizes], {("ward", sizes): 0.99, ("graph-average", sizes): 0.9})
    assert "on 1 of 2 cases; it loses more on sizes-3x8-0.65 (9.0 to Ward)." in text


def test_a_row_that_lacks_a_case_has_no_mean():
    text = made_up(["gaussians-2x8-0.65", "gaussians-4x4-0.5"], {("ward", "gaussians-2x8-0.65"): None})
    assert "| Ward | - | - | - | **95.0** | **95.0** | - |" in text
    assert "| graph-average, refined | **95.0** | **95.0** | **95.0** | **95.0** | **95.0** | **95.0** |" in text

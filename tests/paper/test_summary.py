"""Figures of rows, verdicts about them, and ranks."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from hypcse.metrics import SCORES
from hypcse.paper.experiments import EXPERIMENTS, Experiment, Planned, Row, Task
from hypcse.paper.report.summary import METRICS, Figure, Results, best_two, figure, mean_ranks, verdict
from hypcse.paper.settings import read_printed


def record(task, purity, entropy=2.0, **more):
    scores = {"dendrogram_purity": purity, "structural_entropy": entropy}
    return {
        "key": task.key,
        "data": task.data,
        "seed": task.seed,
        "options": {},
        "seconds": 1.0,
        "scores": scores,
        **more,
    }


def results(purities, row=None):
    """One row on iris, a seed for each purity."""
    row = row or Row("random", "untrained", printed="hypcse", random=True)
    planned = [Planned(row, Task("tree", "untrained", "iris", seed)) for seed in range(len(purities))]
    records = {task.key: record(task, p) for (_, task), p in zip(planned, purities, strict=True) if p is not None}
    return Results(Experiment("toy", "", (row,), ("dendrogram_purity",)), planned, records)


def test_a_figure_has_mean_deviation_and_the_papers_figure():
    result = results([0.5, 0.6, 0.7]).table("dendrogram_purity")["random"]["iris"]
    assert (result.mean, result.n_seeds, result.paper) == (pytest.approx(60), 3, 95.1)
    assert result.deviation == pytest.approx(10)
    assert result.verdict == "not reproduced"


def test_tasks_that_were_not_run_are_left_out():
    result = results([0.5, None]).table("dendrogram_purity")["random"]["iris"]
    assert (result.n_seeds, result.n_missing) == (1, 1)
    assert results([None]).table("dendrogram_purity") == {}
    assert results([None]).data_sets == []


def test_failed_and_stopped_seeds_are_counted():
    task = Task("tree", "ufit", "iris")
    records = [record(task, 0.5), record(task, 0.5, stopped=True), {"error": "x", "seconds": 1.0}]
    result = figure(records, "dendrogram_purity")
    assert (result.n_seeds, result.n_failed, result.n_stopped) == (2, 1, 1)
    assert figure(records[2:], "dendrogram_purity").n_seeds == 0


@pytest.mark.parametrize(
    ("metric", "mean", "deviation", "paper", "wanted"),
    [
        ("dendrogram_purity", 95.6, 0.0, 95.1, "reproduced"),
        ("dendrogram_purity", 95.7, 0.0, 95.1, "better"),
        ("dendrogram_purity", 94.5, 0.0, 95.1, "not reproduced"),
        ("dendrogram_purity", 93.0, 2.0, 95.1, "reproduced"),
        ("structural_entropy", 2.029, 0.0, 2.01, "reproduced"),
        ("structural_entropy", 2.031, 0.0, 2.01, "not reproduced"),
        ("structural_entropy", 1.98, 0.0, 2.01, "better"),
        ("points", 178, 0.0, 175, "not reproduced"),
    ],
)
def test_the_rule_of_verdicts(metric, mean, deviation, paper, wanted):
    assert verdict(metric, mean, deviation, 5, paper) == wanted


def test_the_spread_of_two_seeds_does_not_count():
    assert verdict("dendrogram_purity", 93.0, 5.0, 2, 95.1) == "not reproduced"
    assert verdict("dendrogram_purity", 93.0, 5.0, 3, 95.1) == "reproduced"


def test_what_there_is_no_number_for_has_no_verdict_and_no_place():
    task = Task("tree", "ward", "iris")
    result = figure([record(task, None)], "dendrogram_purity", 95.0)
    assert np.isnan(result.mean) and result.verdict is None
    table = {"none": {"iris": result}, "a": {"iris": Figure(50.0, 0.0, 1)}}
    assert best_two(table, "iris", "dendrogram_purity") == [["a"]]


def test_the_best_two_share_their_place_when_they_print_alike():
    table = {
        name: {"iris": Figure(mean, 0.0, 1)} for name, mean in {"a": 1.0001, "b": 1.0002, "c": 1.2, "d": 3.0}.items()
    }
    assert best_two(table, "iris", "structural_entropy") == [["a", "b"], ["c"]]
    assert best_two(table, "iris", "dendrogram_purity") == [["d"], ["c"]]


def grid(matrix):
    n_rows, n_columns = np.shape(matrix)
    return pd.DataFrame(matrix, [f"row {i}" for i in range(n_rows)], [f"set {j}" for j in range(n_columns)], float)


def test_mean_ranks_and_the_critical_difference():
    """The difference of 10 methods on 7 sets by the table of Nemenyi's test: q = 3.164 at 0.05."""
    order = np.tile(np.arange(10.0)[:, None], 7)
    low = mean_ranks(grid(order), "structural_entropy")
    assert list(low.mean.values()) == list(range(1, 11))
    assert low.difference == pytest.approx(3.164 * np.sqrt(10 * 11 / 42), rel=1e-3)
    assert low.p_value < 1e-6
    assert next(iter(mean_ranks(grid(order), "dendrogram_purity").mean)) == "row 9"
    assert mean_ranks(grid(order[:, :2]), "structural_entropy") is None
    assert mean_ranks(grid(order[:3]), "structural_entropy") is None


def test_rows_without_a_figure_have_no_rank():
    x = np.random.default_rng(1).normal(size=(8, 1))
    with_short = pd.concat([grid(np.tile(x, 4)), pd.DataFrame({"set 0": [1.0]}, ["short"])])
    assert set(mean_ranks(with_short, "structural_entropy").mean) == set(grid(x).index)


def test_the_papers_figures():
    assert read_printed("table1", "structural_entropy", "hypcse", "zoo") == 1.822
    assert read_printed("table1", "dendrogram_purity", "dp-cluster-hsbm", "pen-digits") is None
    assert read_printed("table2", "dendrogram_purity", "base", "pen-digits") is None
    assert read_printed("table4", "points", "data", "wine") == 175


def test_every_score_is_a_metric_and_so_is_what_experiments_ask_for():
    for score in SCORES:
        metric = METRICS[score.name]
        assert (metric.phrase, metric.unit, metric.higher) == (score.phrase, score.unit, score.higher)
    assert all(name in METRICS for one in EXPERIMENTS for name in one.metrics)
    assert METRICS["dasgupta_cost"].title == "Dasgupta's cost" and METRICS["peak_mb"].title == "Peak memory (MB)"

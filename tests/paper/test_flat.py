"""Flat clusters: the data, the methods, their scores, and the experiment from the runner to the report."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from sklearn import datasets as tables
from sklearn.metrics import adjusted_mutual_info_score, adjusted_rand_score
from sklearn.preprocessing import MinMaxScaler

import hypcse
from hypcse.cli.reproduce import _runnable
from hypcse.paper import build_report, experiment, plan, run_tasks, to_markdown
from hypcse.paper.experiments import made_size
from hypcse.paper.flat import FLAT_CASES, FLAT_METHODS, NEED_NUMBER, FlatData, best_of_levels, flat_data, flat_scores
from hypcse.paper.report.summary import Results
from hypcse.paper.running.measure import run_task
from hypcse.paper.running.runner import find_finished
from hypcse.paper.running.tasks import Task

DECLARED = experiment("flat")
SMALL = [case for case in FLAT_CASES.values() if case.n_points <= 2000]
PAPERS = set(hypcse.datasets.available()) - {"optical-digits"}
"""Data sets that nobody has without a download; scikit-learn brings optical-digits."""
DRAWN = [case for case in FLAT_CASES.values() if case.group != "public"]
ROWS = {row.method: row for row in DECLARED.rows}


@pytest.mark.parametrize("case", SMALL, ids=lambda case: case.name)
def test_the_data_is_what_the_case_says(case, request):
    if case.name in PAPERS:
        request.getfixturevalue("paper_data")
    data = flat_data(case, 1)
    assert data.graph.n_vertices == data.y.size == case.n_points
    assert np.unique(data.y).tolist() == list(range(case.n_clusters))
    assert data.X is None if case.n_features == 0 else data.X.shape == (case.n_points, case.n_features)
    assert FLAT_CASES[case.name] is case and (case.n_clusters == 1) == (case.group == "noise")


def test_what_is_read_is_checked_before_a_run_and_what_is_drawn_is_not():
    for case in FLAT_CASES.values():
        read = case.name in hypcse.datasets.available()
        assert made_size(case.name) == (None if read else case.n_points)


@pytest.mark.parametrize("case", DRAWN, ids=lambda case: case.name)
def test_the_same_seed_gives_the_same_data_and_another_another(case):
    first, again, other = (flat_data(case, seed) for seed in (0, 0, 1))
    assert first.graph == again.graph != other.graph
    assert np.array_equal(first.y, again.y)


def test_no_table_counts_twice(paper_data):
    """Of scikit-learn's tables, three are among the paper's."""
    iris, digits, wine = (paper_data(name)[0] for name in ("iris", "optical-digits", "wine"))
    assert np.count_nonzero(iris != tables.load_iris().data) == 3
    assert np.array_equal(digits, tables.load_digits().data)
    theirs = MinMaxScaler((-1, 1)).fit_transform(tables.load_wine().data)
    assert all(np.isclose(theirs, row, atol=1e-4).all(axis=1).any() for row in wine)
    assert paper_data("breast-cancer")[0].shape != tables.load_breast_cancer().data.shape


def test_a_planted_partition_has_the_declared_chances():
    case = FLAT_CASES["partition-20x50-0.3-0.02"]
    data = flat_data(case, 0)
    i, j, _ = data.graph.edges()
    same = np.count_nonzero(data.y[i] == data.y[j])
    n_same = 20 * 50 * 49 / 2
    assert np.bincount(data.y).tolist() == [50] * 20
    assert same / n_same == pytest.approx(0.3, rel=0.05)
    assert (i.size - same) / (1000 * 999 / 2 - n_same) == pytest.approx(0.02, rel=0.05)


def far_apart():
    """Three tight clusters of 30 points."""
    y = np.repeat(np.arange(3), 30)
    X = np.eye(3)[y] + 0.01 * np.random.default_rng(0).normal(size=(90, 3))
    return FlatData(X, hypcse.similarity_graph(X), y)


@pytest.mark.parametrize("method", FLAT_METHODS)
def test_every_method_finds_clusters_far_apart(method):
    """Louvain and Leiden may split a cluster, as the graph has no edges between them; nobody joins two."""
    if not ROWS[method].can_run:
        pytest.skip(f"needs {ROWS[method].needs}")
    data = far_apart()
    result = FLAT_METHODS[method](data, 0, **({"n_clusters": 3} if method in NEED_NUMBER else {})).labels
    groups = np.unique(np.stack([result, data.y]), axis=1)
    assert len(groups.T) == len(np.unique(result))
    if method not in ("louvain", "leiden"):
        assert adjusted_rand_score(data.y, result) == 1.0


@pytest.mark.parametrize("row", DECLARED.rows, ids=lambda row: row.label)
def test_rows_say_what_they_are_told_and_whether_they_can_do_without_features(row):
    assert (row.method in NEED_NUMBER) == (row.classes is not None)
    alone = far_apart()._replace(X=None)
    options = {"n_clusters": 3} if row.classes else {}
    if row.graph_alone and row.can_run:
        assert FLAT_METHODS[row.method](alone, 0, **options).labels.size == 90


@pytest.mark.parametrize("method", ["louvain", "leiden"])
def test_loops_change_no_communities(method):
    if not ROWS[method].can_run:
        pytest.skip(f"needs {ROWS[method].needs}")
    data = flat_data(FLAT_CASES["moons"], 0)
    result, bare = (
        FLAT_METHODS[method](one, 3).labels for one in (data, data._replace(graph=data.graph.without_loops()))
    )
    assert data.graph.self_weights.any() and np.array_equal(result, bare)


def test_scores_are_those_of_scikit_learn_and_noise_is_one_cluster():
    y, labels = np.array([0, 0, 1, 1, 2, 2]), np.array([0, 0, 1, -1, -1, -1])
    result = flat_scores(y, labels)
    as_one = np.array([0, 0, 1, 2, 2, 2])
    assert result["ari"] == adjusted_rand_score(y, as_one)
    assert result["ami"] == adjusted_mutual_info_score(y, as_one)
    assert result["clusters"] == 2
    together = flat_scores(np.zeros(6, int), np.full(6, -1))
    assert (together["ari"], together["clusters"]) == (1.0, 0)
    assert flat_scores(np.zeros(6, int), labels)["ari"] == 0.0


def test_the_best_level_is_the_coarsest_of_the_best():
    levels = [{"ari": ari, "clusters": k} for ari, k in ((0.2, 2), (0.9, 3), (0.9, 5))]
    assert best_of_levels(levels) == {"best_level_ari": 0.9, "best_level_clusters": 3}
    assert best_of_levels([]) == {}


def test_rows_and_seeds_of_every_case():
    """Seeds matter to what is random, and on drawn data to all; noise and graphs leave rows out."""
    planned = plan(DECLARED)
    for case in FLAT_CASES.values():
        rows = [row for row in DECLARED.rows if row.graph_alone or case.n_features]
        rows = [row for row in rows if row.classes is None or case.group != "noise"]
        wanted = [(row.label, seed) for row in rows for seed in range(3 if case.group != "public" or row.random else 1)]
        assert [(row.label, task.seed) for row, task in planned if task.data == case.name] == wanted
    facts = {task.options.get("n_clusters") for row, task in planned if task.data == "zoo" and row.classes}
    assert facts == {7}


def test_tasks_of_moons_and_of_noise():
    """Moons are found without being told anything, and noise is left in one piece."""
    moons = run_task(Task("flat", "main-level", "moons"))
    assert moons["scores"]["ari"] == 1.0 and moons["scores"]["clusters"] == 2
    assert moons["levels"][0] == {"ari": 1.0, "ami": 1.0, "clusters": 2}
    cut = run_task(Task("flat", "cut", "moons", options={"n_clusters": 2}))
    assert cut["scores"]["ari"] == 1.0 and cut["levels"] == []
    noise = run_task(Task("flat", "main-level", "noise-2d"))
    assert noise["scores"]["clusters"] == 1 and noise["scores"]["ari"] == 1.0


def test_the_experiment_runs_from_end_to_end(tmp_path):
    """Through processes into records, and from these into the report."""
    small = replace(DECLARED, rows=tuple(ROWS[method] for method in ("main-level", "k-means")))
    planned = plan(small, ["moons", "partition-20x50-0.3-0.02", "noise-2d"], n_seeds=2)
    assert len(planned) == 8
    records = run_tasks([task for _, task in planned], tmp_path / "records.jsonl")
    assert not [record for record in records.values() if "error" in record]
    text = to_markdown(build_report([Results(small, planned, records)], "Results", "Made."))
    assert "ahead of k-means (told the number) on 1 of 1 cases (behind on 0)" in text
    assert (
        "### Clusters found in noise" in text
        and "|  | true | main level |\n| --- | --- | --- |\n| noise-2d | 1 | 1 |" in text
    )


def made_up(scores, methods=("main-level", "k-means", "hdbscan", "leiden")):
    """The report of one seed whose indices are given by method and case; what is not given was not run."""
    small = replace(DECLARED, rows=tuple(ROWS[method] for method in methods))
    data_sets = list(dict.fromkeys(data for _, data in scores))
    planned = plan(small, data_sets, n_seeds=1)
    records = {}
    for _, task in planned:
        ari = scores.get((task.method, task.data))
        if ari is not None:
            result = {"ari": ari, "ami": ari, "clusters": 4, "best_level_ari": 0.95, "best_level_clusters": 9}
            records[task.key] = {
                "key": task.key, "version": "0", "data": task.data, "seed": 0, "method": task.method, "seconds": 1.0,
                "when": "2026-01-01", "libraries": {}, "machine": "m", "scores": result,
            }  # fmt: skip
    return to_markdown(build_report([Results(small, planned, records)], "Results", "Made up."))


def test_what_we_win_and_lose_is_named_and_a_row_that_was_not_run_is_too():
    own = {("main-level", "iris"): 0.5, ("main-level", "wine"): 0.9, ("main-level", "zoo"): 0.7}
    text = made_up({
        **own,
        ("k-means", "iris"): 0.8, ("k-means", "wine"): 0.8, ("k-means", "zoo"): 0.705,
        ("hdbscan", "iris"): 0.4, ("hdbscan", "wine"): 0.3, ("hdbscan", "zoo"): 0.2,
    })  # fmt: skip
    assert "ahead of k-means (told the number) on 1 of 3 cases (behind on 1); of HDBSCAN on 3 of 3" in text
    assert "ahead of all of them on wine (0.10); and more than 0.05 behind the best of them on iris (0.30 to" in text
    assert "Leiden was not run: it needs leidenalg." in text and "| Leiden |" not in text
    assert "| main level | <ins>0.700</ins> |" in text and "| k-means (told the number) | **0.768** |" in text
    assert "| iris | 3 | 4 | 0.500 | 9 | 0.950 |" in text


def test_a_row_that_lacks_a_case_has_no_mean_and_no_row_may_be_alone():
    text = made_up({("main-level", "iris"): 0.9, ("main-level", "wine"): 0.9, ("k-means", "iris"): 0.8})
    assert "| k-means (told the number) | - | - |" in text
    alone = made_up({("main-level", "iris"): 0.95}, methods=("main-level",))
    assert "By ARI" not in alone and "choice of the main level" not in alone


def test_what_needs_a_package_is_not_run_without_it_but_stays_where_it_was(monkeypatch, tmp_path):
    monkeypatch.setattr("hypcse.paper.experiments.find_spec", lambda name: None)
    planned = plan(replace(DECLARED, rows=(ROWS["ward"], ROWS["louvain"])), ["moons"], n_seeds=1)
    ward, louvain = (task for _, task in planned)
    path = tmp_path / "records.jsonl"
    assert _runnable(planned, {}) == [ward]
    path.write_text(json.dumps({"key": louvain.key, "version": hypcse.__version__}) + "\n")
    assert _runnable(planned, find_finished([ward, louvain], path)) == [ward, louvain]

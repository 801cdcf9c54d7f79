"""Tasks, and the runner that can be stopped and go on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from hypcse import Points, similarity_graph, structural_entropy
from hypcse.methods import describe, run
from hypcse.paper.classifiers import CLASSIFIERS
from hypcse.paper.experiments import EXPERIMENTS, Experiment, Row, Task, compare_tasks, experiment, plan
from hypcse.paper.measure import nested_gaussians, run_task
from hypcse.paper.runner import read_records, run_tasks

TOY = Experiment(
    "toy",
    "A toy",
    (Row("Ward", "ward"), Row("random", "untrained", {"n_encoders": 1}, printed="hypcse", trains=False, random=True)),
    ("dendrogram_purity", "structural_entropy"),
    data_sets=("optical-digits",),
    n_seeds=3,
)
MEASURED = ("seconds", "peak_mb", "when", "machine", "threads")
"""What differs between two runs of one task."""
TINY = tuple(f"nested-gaussians-{size}" for size in (40, 50, 60))


def tasks_of(declared, *args, **options):
    return [task for _, task in plan(declared, *args, **options)]


def stand_in(task):
    """A record as `run_task` gives it, at once."""
    record = {"key": task.key, "version": "0.1.0", "data": task.data, "seed": task.seed, "options": {}, "seconds": 1.0}
    if task.method == "broken":
        return {**record, "error": "x"}
    return {**record, "scores": {"dendrogram_purity": 0.5 + 0.1 * task.seed, "structural_entropy": 2.0}}


@pytest.fixture
def calls(monkeypatch):
    """Tasks that were run, each by the stand-in."""
    result = []

    def run(task):
        result.append(task)
        return stand_in(task)

    monkeypatch.setattr("hypcse.paper.runner.run_in_workers", lambda tasks, n_jobs: (run(task) for task in tasks))
    monkeypatch.setattr("hypcse.__version__", "0.1.0")
    return result


def test_every_declared_task_can_run():
    """Methods are known, every option is theirs, and no task of an experiment is asked for twice."""
    for declared in EXPERIMENTS:
        for task in tasks_of(declared):
            if task.kind in ("labelled", "few"):
                assert task.method in CLASSIFIERS and set(task.options) <= {"features", "guess_weight"}
            else:
                assert not task.method or set(task.options) <= set(describe(task.method).options), task
        assert len({task.key for task in tasks_of(declared)}) == len(tasks_of(declared))
    assert experiment("table2").seeds(experiment("table2").rows[0], "zoo") == range(5)
    with pytest.raises(ValueError, match="Did you mean 'table2'"):
        experiment("table-2")


def test_experiments_share_their_tasks():
    """The paper's row is one piece of work, in Table 1, in the ablation and in every sweep."""
    paper = {task.key for task in tasks_of(experiment("paper-row"), ["iris"], n_seeds=1)}
    for name in ("table1", "table2", "tau", "eta1", "k", "t1", "t2"):
        assert paper < {task.key for task in tasks_of(experiment(name), ["iris"], n_seeds=1)}, name


def test_methods_that_want_classes_are_given_their_number():
    rows = {row.label: task.options for row, task in plan(experiment("table1"), ["iris"])}
    assert rows["SpecWRSC"]["n_clusters"] == 3
    for inner in ("random", "average"):
        assert rows[f"DPClusterHSBM, {inner} inside"] == {"inner": inner, "n_blocks": 3}


def test_a_method_can_see_the_complete_graph():
    """Which has an edge between any two points, while scores stay those on the standard graph."""
    task = Task("tree", "graph-average", TINY[0], neighbors="all")
    X, _ = nested_gaussians(40)
    tree = run("graph-average", X, graph=similarity_graph(X, 39))
    assert similarity_graph(X, 39).n_edges == 40 * 39 // 2
    assert run_task(task)["scores"]["structural_entropy"] == structural_entropy(tree, similarity_graph(X))


def test_seeds_and_quick():
    assert [task.seed for task in tasks_of(TOY)] == [0, 0, 1, 2]
    assert [task.seed for task in tasks_of(TOY, n_seeds=1)] == [0, 0]
    quick = tasks_of(experiment("paper-row"), quick=True)
    assert [(task.data, task.seed, task.options["n_epochs"]) for task in quick] == [("zoo", 0, 2), ("iris", 0, 2)]
    assert [task.seed for task in tasks_of(experiment("paper-row"), ["wine"], 3, quick=True)] == [0, 1, 2]
    assert tasks_of(TOY, []) == []
    assert len(tasks_of(TOY, ["wine", "wine"])) == 4


def test_a_task_is_measured():
    record = run_task(tasks_of(TOY)[0])
    assert record["scores"]["dendrogram_purity"] > 0.7
    assert record["seconds"] > 0 and record["peak_mb"] > 0
    assert set(MEASURED) < set(record)
    assert json.loads(json.dumps(record)) == record


def test_what_is_measured_of_data_and_of_growth():
    counts = run_task(Task("statistics", "", TINY[0]))["scores"]
    assert (counts["points"], counts["features"], counts["distinct_points"]) == (40, 16, 40)
    grown = run_task(Task("growth", "graph-average", TINY[0]))
    assert grown["scores"]["structural_entropy"] > 0 and grown["seconds"] < 1


def test_a_disk_holds_what_is_drawn():
    record = run_task(Task("disk", "hypcse", TINY[0], options={"preset": "paper", "embed_dim": 2, "n_epochs": 1}))
    picture = record["picture"]
    assert len(picture["embedding"]) == 40 and len(picture["embedding"][0]) == 2
    assert len(picture["parent"]) == len(picture["height"]) == 79
    assert len(picture["classes"]) == 40


def test_the_method_sees_other_neighbors_than_the_scores():
    alone = {"join": False}
    few, usual, same = (
        run_task(Task("tree", "graph-average", TINY[2], options=alone, neighbors=k))["scores"] for k in (3, None, 10)
    )
    assert usual == same and few["structural_entropy"] > usual["structural_entropy"]


def test_a_method_that_knows_a_limit_is_stopped(monkeypatch):
    task = Task("tree", "ufit", TINY[2])
    assert run_task(task)["stopped"] is False
    monkeypatch.setattr("hypcse.paper.measure.LIMIT_SECONDS", 1e-9)
    assert run_task(task)["stopped"] is True
    assert "Stopped" in run_task(Task("tree", "spec-wrsc", TINY[2]))["error"]
    assert run_task(Task("tree", "graph-average", TINY[2]))["stopped"] is False


def test_tasks_on_the_same_points_are_the_same_work_wherever_the_trees_go(tmp_path):
    """Wherever they go; other features, names or classes are other work, and so is another graph."""
    X = np.random.default_rng(0).normal(size=(30, 2))
    graph = similarity_graph(X)
    names, y = [f"p{k}" for k in range(30)], np.arange(30) % 3
    several = [Points.of(X), Points.of(X + 1), Points.of(X, names=names), Points.of(X, labels=y), Points.of(X, graph)]
    here, there = ([compare_tasks(p, ["ward"], "x", 0, tmp_path / f)[0].key for p in several] for f in "ab")
    assert here == there and len(set(here)) == 5


def test_a_failure_is_recorded_as_one(monkeypatch):
    def fails(*args, **options):
        raise RuntimeError("no luck")

    monkeypatch.setattr("hypcse.methods.run", fails)
    record = run_task(tasks_of(TOY)[0])
    assert record["error"] == "RuntimeError: no luck"
    assert "scores" not in record


def test_a_run_that_was_cut_anywhere_ends_the_same(tmp_path, calls):
    whole = tmp_path / "whole.jsonl"
    tasks = tasks_of(TOY)
    wanted = run_tasks(tasks, whole)
    assert len(calls) == 4
    content = whole.read_bytes()
    for rest in range(0, len(content), 37):
        path = tmp_path / "cut.jsonl"
        path.write_bytes(content[:rest])
        calls.clear()
        assert run_tasks(tasks, path) == wanted
        assert path.read_bytes() == content
        assert len(calls) == 4 - content[:rest].count(b"\n")


def test_failed_tasks_and_those_of_other_versions_run_again(tmp_path, calls, monkeypatch):
    for task in (Task("tree", "broken", "zoo"), Task("tree", "ward", "zoo")):
        path = tmp_path / f"{task.method}.jsonl"
        for _ in range(2):
            run_tasks([task], path)
    assert [task.method for task in calls] == ["broken", "broken", "ward"]
    assert len(read_records(tmp_path / "broken.jsonl")) == 1
    monkeypatch.setattr("hypcse.__version__", "0.2.0")
    run_tasks([task], path)
    assert len(calls) == 4


def test_a_foreign_file_is_refused(tmp_path):
    path = tmp_path / "notes.jsonl"
    for text in ("hello\n", "[1]\n", "{}\n"):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(ValueError, match="is not a file of results"):
            read_records(path)
        assert path.read_text(encoding="utf-8") == text


RUN = """
import os, sys
from pathlib import Path
from hypcse.paper.experiments import Task
from hypcse.paper.runner import run_tasks

if __name__ == "__main__":
    path, n_jobs, methods, sets, n_seeds = sys.argv[1:]
    tasks = [Task("tree", m, d, s) for d in sets.split(",") for m in methods.split(",") for s in range(int(n_seeds))]
    run_tasks(tasks, Path(path), int(n_jobs), lambda record: print(record["key"], flush=True))
"""


def start(folder, path, n_jobs, methods):
    script = folder / "run.py"
    script.write_text(RUN, encoding="utf-8")
    call = [sys.executable, str(script), str(path), str(n_jobs), methods, ",".join(TINY), "3"]
    return subprocess.Popen(call, stdout=subprocess.PIPE, text=True, start_new_session=True)


def without_measures(path):
    records = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())
    rest = [{name: value for name, value in record.items() if name not in MEASURED} for record in records]
    return sorted(rest, key=lambda record: record["key"])


def alive(group):
    """Whether a process of the group is left, zombies aside."""
    for entry in os.listdir("/proc"):
        if entry.isdecimal():
            try:
                fields = Path(f"/proc/{entry}/stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if fields[2] == str(group) and fields[0] != "Z":
                return True
    return False


@pytest.mark.skipif(not os.path.isdir("/proc"), reason="looks at processes by /proc")
def test_kills_leave_the_same_file_and_no_process(tmp_path):
    """The runner alone is killed, by a signal that it cannot catch; its workers end by themselves."""
    methods, path = "ward,bisecting-kmeans,graph-average", tmp_path / "killed.jsonl"
    for n_lines in (2, 4):
        process = start(tmp_path, path, 2, methods)
        done = path.read_text().count("\n") if path.exists() else 0
        for _ in range(done + n_lines):
            process.stdout.readline()
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        until = time.monotonic() + 20
        while alive(process.pid) and time.monotonic() < until:
            time.sleep(0.05)
        assert not alive(process.pid)
    assert start(tmp_path, path, 2, methods).communicate()[0].count("\n") == 27
    whole = tmp_path / "whole.jsonl"
    start(tmp_path, whole, 1, methods).communicate()
    assert without_measures(path) == without_measures(whole)
    assert len(without_measures(whole)) == 27


def test_a_second_run_in_the_folder_is_refused(tmp_path, calls, monkeypatch):
    def inner(tasks, n_jobs):
        with pytest.raises(ValueError, match="another run writes into"):
            run_tasks(tasks_of(TOY), tmp_path / "x.jsonl")
        return (stand_in(task) for task in tasks)

    monkeypatch.setattr("hypcse.paper.runner.run_in_workers", inner)
    assert len(run_tasks(tasks_of(TOY), tmp_path / "x.jsonl")) == 4


def test_ctrl_c_ends_the_workers(tmp_path):
    """The interrupt reaches the runner alone; the process ends at once, its workers with it."""
    process = start(tmp_path, tmp_path / "x.jsonl", 2, "hypcse")
    process.stdout.readline()
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=20) != 0
    process.stdout.close()
    assert 0 < len(read_records(tmp_path / "x.jsonl")) < 9


def test_a_process_that_dies_is_a_failed_task(tmp_path):
    """Memory that runs out takes the process; its task is recorded, and all others are run."""
    path = tmp_path / "x.jsonl"
    script = tmp_path / "dies.py"
    script.write_text(
        "import os, hypcse.methods\n"
        "from hypcse.methods import run\n"
        "def dies(name, *args, **options):\n"
        "    if name == 'complete-linkage':\n"
        "        os._exit(9)\n"
        "    return run(name, *args, **options)\n"
        "hypcse.methods.run = dies\n" + RUN,
        encoding="utf-8",
    )
    call = [sys.executable, str(script), str(path), "2", "ward,complete-linkage,graph-paris", TINY[0], "1"]
    subprocess.run(call, check=True, capture_output=True)
    records = read_records(path)
    assert len(records) == 3
    assert {record["method"] for record in records if "error" in record} == {"complete-linkage"}
    assert all("without a word" in record["error"] for record in records if record["method"] == "complete-linkage")

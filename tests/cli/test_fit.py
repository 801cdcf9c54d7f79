"""`hypcse fit`: from a table to a folder, whole or not at all."""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest

import hypcse
from hypcse.neural.training.run import Run
from hypcse.storage.archive import ModelFileError
from hypcse.tree.flat import by_size
from ordinary_tables import films, houses


@pytest.fixture
def fit(command):
    """Run `hypcse fit`, or another command, in an empty folder."""
    first = command

    def run(*words: str, command: tuple[str, ...] = ("fit",)) -> SimpleNamespace:
        return first(*command, *words)

    return run


@pytest.fixture
def table(tmp_path):
    """Forty named points in four groups, in a CSV with ids and classes."""
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(4), 10)
    X = rng.normal(size=(40, 3)) + 8 * rng.normal(size=(4, 3))[y]
    lines = ["id,a,b,c,kind"] + [",".join([f"p_{k}", *map(str, X[k]), f"kind {y[k]}"]) for k in range(40)]
    (tmp_path / "points.csv").write_text("\n".join(lines))
    return X, y


def test_the_folder_holds_what_the_library_finds(fit, table, tmp_path):
    X, y = table
    result = fit("points.csv", "--out", "found", "--id-column", "id", "--label-column", "kind")
    assert result.returncode == 0, result.stderr
    graph = hypcse.similarity_graph(X)
    expected = hypcse.refine(hypcse.graph_linkage(graph), graph)
    found = tmp_path / "found"
    assert sorted(path.name for path in found.iterdir()) == [
        "clusters.csv",
        "labels.csv",
        "linkage.npy",
        "model",
        "scores.json",
        "tree.html",
        "tree.nwk",
    ]
    names = [f"p_{k}" for k in range(40)]
    tree = hypcse.Tree.from_newick((found / "tree.nwk").read_text(), names=names)
    assert hypcse.robinson_foulds(tree, hypcse.Tree(expected.parent, expected.height, tuple(names))) == 0
    assert np.array_equal(np.load(found / "linkage.npy"), expected.to_linkage())
    report = json.loads((found / "scores.json").read_text())
    partitions = hypcse.levels(expected, graph, X)
    cut = partitions[partitions.main]
    assert report["scores"] == pytest.approx(hypcse.score(expected, graph=graph, labels=y, clusters=cut))
    rows = list(csv.DictReader((found / "labels.csv").read_text().splitlines()))
    assert [row["name"] for row in rows] == names
    assert [int(row["label"]) for row in rows] == by_size(cut).tolist()
    assert report["main_level"] == partitions.main + 1
    assert [int(row[f"level_{len(partitions)}"]) for row in rows] == by_size(partitions[-1]).tolist()


def test_options_reach_the_work(fit, table, tmp_path):
    X, _ = table
    words = ("points.csv", "--id-column", "id", "--label-column", "kind", "--no-refine", "--method", "ward")
    assert fit(*words, "--out", "ward", "--clusters", "3").returncode == 0
    assert np.array_equal(np.load(tmp_path / "ward" / "linkage.npy"), hypcse.methods.run("ward", X).to_linkage())
    report = json.loads((tmp_path / "ward" / "scores.json").read_text())
    assert report["clusters"] == 3
    assert report["job"]["method"] == "ward"


def test_hypcse_leaves_its_embedding(fit, table, tmp_path):
    X, _ = table
    words = ("points.csv", "--id-column", "id", "--label-column", "kind", "--method", "hypcse", "--epochs", "2")
    result = fit(*words, "--out", "found", "--device", "cpu", "--seed", "3")
    assert result.returncode == 0, result.stderr
    model = hypcse.HypCSE(n_epochs=2, random_state=3).fit(X)
    assert np.array_equal(np.load(tmp_path / "found" / "linkage.npy"), model.linkage_matrix_)
    assert np.array_equal(np.load(tmp_path / "found" / "embedding.npy"), model.embedding_)
    loaded = hypcse.HypCSE.load(tmp_path / "found" / "model")
    assert np.array_equal(loaded.predict(X), loaded.labels_)
    assert loaded.tree_.names == tuple(f"p_{k}" for k in range(40))
    with pytest.raises(ModelFileError, match=re.escape(f"is in {tmp_path / 'found' / 'model'}")):
        hypcse.HypCSE.load(tmp_path / "found")
    assert not (tmp_path / "found.checkpoints").exists()
    wrong = fit(*words, "--out", "other", "--preset", "best")
    assert wrong.returncode == 2 and "'best' is not one of 'default', 'paper'" in wrong.stderr
    assert not (tmp_path / "other").exists()


def test_columns_by_their_quantiles(fit, table, tmp_path):
    X, _ = table
    words = ("points.csv", "--id-column", "id", "--label-column", "kind", "--scale", "rank")
    result = fit(*words, "--out", "ward", "--method", "ward", "--no-refine")
    assert result.returncode == 0, result.stderr
    expected = hypcse.methods.run("ward", X, scale="rank").to_linkage()
    assert np.array_equal(np.load(tmp_path / "ward" / "linkage.npy"), expected)
    result = fit(*words, "--out", "found", "--method", "hypcse", "--epochs", "1", "--device", "cpu")
    assert result.returncode == 0, result.stderr
    loaded = hypcse.HypCSE.load(tmp_path / "found" / "model")
    model = hypcse.HypCSE(n_epochs=1, scale="rank", device="cpu").fit(X)
    assert np.array_equal(loaded.linkage_matrix_, model.linkage_matrix_)
    assert np.array_equal(loaded.transform(X + 1), model.transform(X + 1))
    assert "uses quantiles" in " ".join(fit("--help").stdout.split())


def test_an_existing_folder_is_kept_unless_told(fit, table, tmp_path):
    words = ("points.csv", "--out", "found", "--id-column", "id", "--label-column", "kind")
    assert fit(*words).returncode == 0
    refused = fit(*words)
    assert refused.returncode == 2
    assert "--overwrite" in refused.stderr
    before = (tmp_path / "found" / "tree.nwk").read_text()
    assert fit(*words, "--overwrite", "--no-refine").returncode == 0
    assert (tmp_path / "found" / "tree.nwk").read_text() != before
    assert sorted(p.name for p in tmp_path.iterdir()) == ["found", "points.csv"]


def test_what_others_put_there_is_never_deleted(fit, table, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("keep me")
    words = ("--id-column", "id", "--label-column", "kind", "--overwrite")
    for out, text in (("mine", "notes.txt"), (".", "the folder you are in")):
        result = fit("points.csv", "--out", out, *words)
        assert result.returncode == 2
        assert text in result.stderr
    assert (tmp_path / "mine" / "notes.txt").read_text() == "keep me"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["mine", "points.csv"]


@pytest.mark.parametrize("swallowed", [False, True])
def test_an_interrupt_leaves_nothing_behind(tmp_path, swallowed):
    """Ctrl-C comes while the tree is searched, and may be lost there, as inside a compiler."""
    np.save(tmp_path / "points.npy", np.random.default_rng(0).normal(size=(300, 8)))
    code = f"""
import contextlib, signal
signal.signal(signal.SIGINT, signal.default_int_handler)
import hypcse.search.refining as refining
graph_linkage = refining.graph_linkage
def pressed(*values, **options):
    with contextlib.suppress(KeyboardInterrupt) if {swallowed} else contextlib.nullcontext():
        signal.raise_signal(signal.SIGINT)
    return graph_linkage(*values, **options)
refining.graph_linkage = pressed
from hypcse.cli import main
main()
"""
    call = [sys.executable, "-c", code, "fit", "points.npy", "--out", "found"]
    result = subprocess.run(call, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert result.returncode == 130
    assert "nothing was written to found" in result.stderr
    assert [p.name for p in tmp_path.iterdir()] == ["points.npy"]


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("points.csv", "--out", "found", "--strict"), "not a number"),
        (("points.csv", "--out", "no/such/place", "--id-column", "id"), "not a folder"),
        (("nowhere.csv", "--out", "found"), "neither a file nor a data set"),
        (("optical-digits", "--out", "found", "--method", "graph-avarage"), "Did you mean"),
        (("optical-digits", "--out", "found", "--effort", "extreme"), "'extreme' is not one of 'fast', 'thorough'"),
        (("points.csv", "--out", "points.csv", "--id-column", "id"), "is a file"),
        (("points.csv", "--out", "found", "--cluster", "3"), "For 3 clusters, pass --clusters 3."),
        (("points.csv", "--out", "found", "--n-clusters", "3"), "For 3 clusters, pass --clusters 3."),
        (("points.csv", "--out", "found", "--k=3"), "For 3 clusters, pass --clusters 3."),
        (("digits", "--out", "found"), "Did you mean 'optical-digits'?"),
    ],
)
def test_bad_input_leaves_nothing_behind(fit, table, tmp_path, words, text):
    result = fit(*words)
    assert result.returncode == 2
    assert text in result.stderr
    assert all(line.startswith("- column ") for line in result.stderr.splitlines()[1:])
    assert [p.name for p in tmp_path.iterdir()] == ["points.csv"]


def test_two_points(fit, tmp_path):
    (tmp_path / "few.csv").write_text("a,b\n1,2\n1,2\n")
    result = fit("few.csv", "--out", "few")
    assert result.returncode == 0, result.stderr
    assert json.loads((tmp_path / "few" / "scores.json").read_text())["points"] == 2


def test_a_graph_becomes_a_tree(fit, tmp_path):
    lines = [f"v{i} v{j} {1 + (i // 3 == j // 3)}" for i in range(6) for j in range(i) if i - j < 3]
    (tmp_path / "graph.edges").write_text("\n".join(lines))
    for method, epochs in (("graph-average", ()), ("hypcse", ("--epochs", "1"))):
        result = fit("graph.edges", "--out", method, "--method", method, *epochs)
        assert result.returncode == 0, result.stderr
        assert "v5" in (tmp_path / method / "tree.nwk").read_text()
    (tmp_path / "graph.csv").write_text("\n".join(line.replace(" ", ",") for line in lines))
    for words in (("score", "hypcse", "--json"), ("view", "hypcse", "--no-open")):
        told = fit(*words, "--data", "graph.csv", "--edges", command=())
        assert told.returncode == 0, told.stderr
        if words[0] == "score":
            assert json.loads(told.stdout) == json.loads((tmp_path / "hypcse" / "scores.json").read_text())["scores"]
    wrong = fit("graph.edges", "--out", "ward", "--method", "ward")
    assert wrong.returncode == 2 and "clusters features" in wrong.stderr


def test_what_was_done_to_the_data_is_said(fit, tmp_path):
    rows = [f"{k},{'' if k == 3 else k % 5},{'red' if k % 2 else 'blue'}" for k in range(20)]
    (tmp_path / "gaps.csv").write_text("\n".join(["a,b,c", *rows]))
    result = fit("gaps.csv", "--out", "found", "--impute", "median", "--categorical", "c")
    assert result.returncode == 0, result.stderr
    assert "missing numbers filled with the median: b (1)" in result.stderr
    assert "1 column of categories: c (2)" in result.stderr and "looks like an id" in result.stderr


def test_a_stopped_training_goes_on_when_asked(fit, table, tmp_path, monkeypatch):
    words = ("points.csv", "--out", "found", "--id-column", "id", "--label-column", "kind", "--method", "hypcse")
    whole = Run.epoch

    def epoch(self, number):
        if number == 15:
            raise KeyboardInterrupt
        return whole(self, number)

    monkeypatch.setattr(Run, "epoch", epoch)
    stopped = fit(*words, "--epochs", "20")
    monkeypatch.setattr(Run, "epoch", whole)
    assert stopped.returncode == 130, stopped.stderr
    assert "--resume" in stopped.stderr and not (tmp_path / "found").exists()
    refused = fit(*words, "--epochs", "20")
    assert refused.returncode == 2 and "Pass --resume to continue it" in refused.stderr
    assert fit(*words, "--epochs", "20", "--resume").returncode == 0
    assert not (tmp_path / "found.checkpoints").exists()
    undisturbed = fit(*words, "--epochs", "20", "--out", "again")
    assert undisturbed.returncode == 0, undisturbed.stderr
    linkages = [np.load(tmp_path / name / "linkage.npy") for name in ("found", "again")]
    assert np.array_equal(*linkages)


def test_compare_runs_methods_and_goes_on(fit, table, tmp_path):
    def compare(*more):
        options = ("--out", "found", "--id-column", "id", "--label-column", "kind")
        return fit("points.csv", *more, *options, command=("compare",))

    first = compare("--method", "ward", "--method", "graph-average")
    assert first.returncode == 0, first.stderr
    lines = (tmp_path / "found" / "compare.jsonl").read_text()
    assert lines.count("\n") == 2
    assert compare("--method", "ward").returncode == 0
    assert (tmp_path / "found" / "compare.jsonl").read_text() == lines
    wrong = compare("--method", "wart")
    assert wrong.returncode == 2 and "Did you mean 'ward'" in wrong.stderr


def test_compare_sees_changed_points(fit, tasks_here, table, tmp_path):
    def entropy():
        options = ("--out", "found", "--id-column", "id", "--label-column", "kind")
        assert fit("points.csv", "--method", "ward", *options, command=("compare",)).returncode == 0
        return json.loads((tmp_path / "found" / "compare.jsonl").read_text().splitlines()[-1])["scores"]

    first = entropy()
    text = (tmp_path / "points.csv").read_text().splitlines()
    (tmp_path / "points.csv").write_text("\n".join([*text[:-1], "p_39,99,99,99,kind 3"]))
    assert entropy() != first


def test_two_rows_of_one_name(fit, tmp_path):
    (tmp_path / "twins.csv").write_text("id,a\nx,1\nx,2\n")
    words = ("twins.csv", "--out", "found", "--id-column", "id")
    result = fit(*words, "--strict")
    assert result.returncode == 2 and "two points are called 'x'" in result.stderr
    result = fit(*words)
    assert result.returncode == 0 and "- names of rows that repeat have a number: x (2)\n" in result.stderr


@pytest.mark.parametrize("make", [films, houses], ids=lambda make: make.__name__)
def test_an_ordinary_table_needs_no_option(fit, tmp_path, make):
    """What was done with each column is one block of lines, each with the option that changes it."""
    make(np.random.default_rng(0))[0].to_csv(tmp_path / "table.csv", index=False)
    result = fit("table.csv", "--out", "found")
    assert result.returncode == 0 and (tmp_path / "found" / "tree.html").is_file()
    first, *lines = result.stderr.splitlines()
    assert first.startswith("note: ") and lines and all(line.startswith("- ") for line in lines)
    if make is films:
        assert "- left out: column 'id' (looks like an id; --keep id uses it)" in lines


def test_what_is_refused_names_the_option(fit, tmp_path):
    (tmp_path / "edges.csv").write_text("from,to,weight\nann,bob,1\nbob,cat,2\nann,cat,1\n")
    result = fit("edges.csv", "--out", "a b")
    assert result.returncode == 2 and "rows may be edges. Pass --edges for a graph" in result.stderr
    assert fit("edges.csv", "--out", "a b", "--edges").returncode == 0
    (tmp_path / "texts.csv").write_text("a\nu\nv\nw\n")
    (tmp_path / "one.csv").write_text("a,b\n1,2\n")
    for name, words in (("texts.csv", "no feature columns left"), ("one.csv", "1 row; at least 2 are needed")):
        result = fit(name, "--out", "found")
        assert result.returncode == 2 and words in result.stderr.splitlines()[-1]

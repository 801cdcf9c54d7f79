"""The command as a person types it: what it prints, its exit codes, and what it leaves behind."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import pytest

import hypcse


@pytest.fixture
def hypcse_command(tmp_path):
    """Run the command in an empty folder, the data folder left out."""
    environment = {k: v for k, v in os.environ.items() if k != "HYPCSE_DATA"} | {"COLUMNS": "200"}

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        call = [sys.executable, "-c", "from hypcse.cli import main; main()", *words]
        return subprocess.run(call, capture_output=True, text=True, cwd=tmp_path, env=environment)

    return run


@pytest.fixture
def table(tmp_path):
    """Twelve named points in three groups, in a CSV with ids and classes."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 4)
    X = rng.normal(size=(12, 2)) + 10 * y[:, None]
    lines = ["id,a,b,kind"] + [f"p{k},{X[k, 0]},{X[k, 1]},kind {y[k]}" for k in range(12)]
    (tmp_path / "points.csv").write_text("\n".join(lines))
    np.save(tmp_path / "points.npy", X)
    (tmp_path / "kinds.txt").write_text("\n".join(map(str, y)) + "\n")
    return X, y


def assert_one_line(result, text):
    assert result.returncode == 2
    assert result.stdout == ""
    assert text in result.stderr
    assert "Traceback" not in result.stderr


def test_help_version_and_lists(hypcse_command):
    assert "score" in hypcse_command("--help").stdout
    assert hypcse_command("--version").stdout.strip() == f"hypcse {hypcse.__version__}"
    methods = hypcse_command("methods").stdout
    assert all(name in methods for name in hypcse.methods.available())
    datasets = hypcse_command("datasets").stdout
    assert all(name in datasets for name in hypcse.datasets.available())
    for command in ("demo", "score", "methods", "datasets"):
        assert "Example" in hypcse_command(command, "--help").stdout


def test_demo_writes_a_tree_that_score_reads(hypcse_command, tmp_path):
    result = hypcse_command("demo")
    assert result.returncode == 0, result.stderr
    assert "ward" in result.stdout
    again = hypcse_command("score", "demo/optical-digits.nwk", "--data", "optical-digits", "--json")
    row = json.loads(again.stdout)
    assert f"{row['structural_entropy']:.4f}" in result.stdout


def test_score_from_files(hypcse_command, tmp_path, table):
    """Every form of tree and of points gives the library's own figures."""
    X, y = table
    tree = hypcse.methods.run("ward", X)
    expected = hypcse.score(tree, graph=hypcse.similarity_graph(X, 3), labels=y)
    shuffled = np.random.default_rng(1).permutation(12)
    names = [f"p{k}" for k in range(12)]
    (tmp_path / "ids.nwk").write_text(tree.to_newick())
    (tmp_path / "named.nwk").write_text(tree.to_newick(names))
    (tmp_path / "tree.json").write_text(tree.to_json())
    np.save(tmp_path / "linkage.npy", tree.to_linkage())
    lines = (tmp_path / "points.csv").read_text().split("\n")
    (tmp_path / "shuffled.csv").write_text("\n".join([lines[0], *(lines[k + 1] for k in shuffled)]))
    columns = ("--label-column", "kind", "--id-column", "id")
    calls = [
        ("ids.nwk", "--data", "points.npy", "--labels", "kinds.txt"),
        ("tree.json", "--data", "points.npy", "--labels", "kinds.txt"),
        ("linkage.npy", "--data", "points.npy", "--labels", "kinds.txt"),
        ("named.nwk", "--data", "points.csv", *columns),
        ("named.nwk", "--data", "shuffled.csv", *columns),
    ]
    for call in calls:
        result = hypcse_command("score", *call, "--neighbors", "3", "--json")
        assert result.returncode == 0, result.stderr
        assert json.loads(result.stdout) == pytest.approx(expected)
    assert "100.0%" in hypcse_command("score", *calls[0]).stdout


def test_bad_input_is_one_line(hypcse_command, tmp_path, table):
    X, _ = table
    (tmp_path / "named.nwk").write_text(hypcse.methods.run("ward", X).to_newick([f"p{k}" for k in range(12)]))
    (tmp_path / "broken.nwk").write_text("((0,1),2")
    (tmp_path / "small.nwk").write_text("(0,1);")
    (tmp_path / "holes.csv").write_text("a,b\n1,2\n,3\n")
    (tmp_path / "ragged.csv").write_text("a,b\n1,2\n3\n")
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "binary.csv").write_bytes(b"\xff\xfe\x00")
    score = ("score", "named.nwk", "--data")
    assert_one_line(hypcse_command(*score, "nowhere.csv"), "neither a file nor a data set")
    assert_one_line(hypcse_command(*score, "points.npy"), "--id-column")
    assert_one_line(hypcse_command(*score, "points.csv"), "no number")
    assert_one_line(hypcse_command(*score, "points.csv", "--id-column", "name"), "no column 'name'")
    assert_one_line(hypcse_command("score", "broken.nwk", "--data", "points.npy"), "column")
    assert_one_line(hypcse_command("score", "small.nwk", "--data", "points.npy"), "2 leaves")
    assert_one_line(hypcse_command("score", "small.nwk", "--data", "holes.csv"), "data row 2 is empty")
    assert_one_line(hypcse_command("score", "small.nwk", "--data", "ragged.csv"), "row 3 has 1 cells")
    assert_one_line(hypcse_command("score", "small.nwk", "--data", "empty.csv"), "is empty")
    assert_one_line(hypcse_command("score", "small.nwk", "--data", "binary.csv"), "UTF-8")
    assert_one_line(hypcse_command("score", "none.nwk", "--data", "points.npy"), "none.nwk")
    assert_one_line(hypcse_command(*score, "points.npy", "--bandwidth", "wide"), "--id-column")
    assert_one_line(hypcse_command("demo", "--data", "irish"), "irish")
    assert hypcse_command("no-such-command").returncode == 2

"""The command as a person types it: what it prints, its exit codes, and what it leaves behind."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
import typer

import hypcse
from hypcse.cli.score import show_scores
from hypcse.paper.measure import record_lost


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
    first, *others = result.stderr.splitlines()
    assert first.startswith("error: ") and result.stderr.endswith("\n")
    assert all(line.startswith("- column ") for line in others), "only columns have lines of their own"


def test_help_version_and_lists(command):
    assert "score" in command("--help").stdout
    assert command("--version").stdout.strip() == f"hypcse {hypcse.__version__}"
    methods = command("methods").stdout
    assert all(name in methods for name in hypcse.methods.available())
    datasets = command("datasets").stdout
    assert all(name in datasets for name in hypcse.datasets.available())
    for name in ("demo", "fit", "score", "view", "compare", "reproduce", "methods", "datasets"):
        assert "Example" in command(name, "--help").stdout
    nothing = command()
    assert "score" in nothing.stdout and nothing.stderr == "" and nothing.returncode == 0


def test_reproduce_reports_and_goes_on(command, tasks_here, tmp_path):
    words = ("reproduce", "control", "--data", "iris", "--quick")
    first = command(*words)
    assert first.returncode == 0, first.stderr
    assert "| trained, refined (default) |" in first.stdout
    assert "Written by `hypcse reproduce control --data iris --quick`." in first.stdout
    assert "5 of 5: " in first.stderr
    folder = tmp_path / "results"
    content = (folder / "records.jsonl").read_text()
    assert content.count("\n") == 5 and '"error"' not in content
    assert "<h2>What training adds" in (folder / "control-quick.html").read_text()
    assert command(*words).stdout == first.stdout
    assert command(*words, "--report-only").stdout == first.stdout
    assert (folder / "records.jsonl").read_text() == content
    nothing = command("reproduce", "table2", "--report-only")
    assert nothing.returncode == 2 and "has no record of table2" in nothing.stderr


@pytest.fixture
def stand_ins(monkeypatch):
    """Tasks are done at once: by failing, or as a run that is interrupted after the first."""

    def install(how):
        def results(tasks, n_jobs):
            for number, task in enumerate(tasks):
                if how == "interrupted" and number:
                    raise KeyboardInterrupt
                yield {**record_lost(task), "method": task.method}

        monkeypatch.setattr("hypcse.paper.runner.run_in_workers", results)

    return install


def test_reproduce_lists_failures_and_ends_with_1(command, stand_ins, tmp_path):
    stand_ins("failed")
    failed = command("reproduce", "growth", "--quick")
    assert failed.returncode == 1
    page = (tmp_path / "results" / "growth-quick.md").read_text()
    assert "## Failures" in page and "ended without a word" in page


def test_ctrl_c_tells_how_to_go_on(command, stand_ins):
    stand_ins("interrupted")
    stopped = command("reproduce", "growth", "--quick")
    assert stopped.returncode == 130
    assert "stopped; the results of 1 of 18 tasks are kept in" in stopped.stderr


def test_reproduce_refuses_what_it_does_not_know(command, tmp_path):
    wrong = command("reproduce", "table9")
    assert wrong.returncode == 2 and "'table9' is not known" in wrong.stderr
    for name in ("table1", "all"):
        wrong = command("reproduce", name, "--data", "irs")
        assert wrong.returncode == 2 and "Did you mean 'iris'" in wrong.stderr
    assert "no such data set" in command("reproduce", "growth", "--data", "iris").stderr
    (tmp_path / "taken").write_text("")
    assert (
        "taken is not a folder, and a folder is needed there" in command("reproduce", "table1", "--out", "taken").stderr
    )
    wrong = command("reproduce", "table1", "--report-only")
    assert wrong.returncode == 2 and "records.jsonl does not exist" in wrong.stderr


def test_demo_writes_a_tree_that_score_reads(command, tmp_path):
    result = command("demo")
    assert result.returncode == 0, result.stderr
    assert "ward" in result.stdout
    assert len(list((tmp_path / "demo").glob("*.html"))) == 2
    again = command("score", "demo/ward.nwk", "--data", "optical-digits", "--json")
    row = json.loads(again.stdout)
    assert f"{row['structural_entropy']:.4f}" in result.stdout


def test_score_from_files(command, tmp_path, table):
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
        result = command("score", *call, "--neighbors", "3", "--json")
        assert result.returncode == 0, result.stderr
        assert json.loads(result.stdout) == pytest.approx(expected)
    assert "100.0%" in command("score", *calls[0]).stdout


def test_a_folder_of_fit_is_scored(command, table):
    columns = ("--id-column", "id", "--label-column", "kind")
    assert command("fit", "points.csv", "--out", "found.npy", *columns).returncode == 0
    whole = command("score", "found.npy", "--data", "points.csv", *columns, "--json")
    assert whole.returncode == 0, whole.stderr
    assert whole.stdout == command("score", "found.npy/tree.nwk", "--data", "points.csv", *columns, "--json").stdout


def test_bad_input_is_one_line(command, tmp_path, table):
    X, _ = table
    (tmp_path / "named.nwk").write_text(hypcse.methods.run("ward", X).to_newick([f"p{k}" for k in range(12)]))
    (tmp_path / "broken.nwk").write_text("((0,1),2")
    (tmp_path / "small.nwk").write_text("(0,1);")
    (tmp_path / "binary.csv").write_bytes(b"\xff\xfe\x00")
    score = ("score", "named.nwk", "--data")
    named = (*score, "points.csv", "--id-column", "id", "--label-column", "kind")
    assert command(*named).returncode == 0
    assert_one_line(command(*score, "nowhere.csv"), "neither a file nor a data set")
    assert_one_line(command(*score, "points.npy"), "--id-column")
    assert_one_line(command(*score, "points.csv", "--strict"), "not a number")
    assert_one_line(command(*score, "points.csv", "--id-column", "name"), "no column 'name'")
    assert_one_line(command(*named, "--labels", "kinds.txt"), "both give labels")
    assert_one_line(command(*named, "--bandwidth", "wide"), "--bandwidth 'wide' is neither")
    assert_one_line(command(*named, "--scale", "wide"), "'wide' is not one of 'minmax', 'standard', 'rank', 'none'")
    assert_one_line(command(*named, "--self-loops", "nonsense"), "'nonsense' is not one of 'paper', 'exact', 'drop'")
    assert_one_line(command("score", "broken.nwk", "--data", "points.npy"), "column")
    assert_one_line(command("score", "small.nwk", "--data", "points.npy"), "2 leaves")
    assert_one_line(
        command("score", "small.nwk", "--data", "binary.csv"), "binary.csv is damaged or not a table of text"
    )
    assert_one_line(command("score", "none.nwk", "--data", "points.npy"), "none.nwk")
    assert_one_line(command("score", ".", "--data", "points.npy"), "has no tree.nwk. Pass broken.nwk")
    (tmp_path / "empty").mkdir()
    assert_one_line(command("score", "empty", "--data", "points.npy"), "has no tree.nwk. Pass a tree file")
    assert_one_line(command("demo", "--data", "irish"), "irish")


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("no-such-command",), "'no-such-command'. See `hypcse --help`"),
        (("scor",), "Did you mean 'score'?"),
        (("--no-such-option",), "--no-such-option"),
        (("score",), "Missing argument"),
        (("score", "tree.nwk"), "Missing option '--data'. See `hypcse score --help`"),
        (("score", "tree.nwk", "--data", "iris", "--neighbors", "0"), "--neighbors"),
        (("score", "tree.nwk", "--data", "iris", "--neighbors", "many"), "--neighbors"),
        (("score", "tree.nwk", "--data"), "--data"),
        (("methods", "extra"), "extra"),
    ],
)
def test_a_wrong_call_is_one_line(command, words, text):
    assert_one_line(command(*words), text)


@pytest.mark.parametrize("error", [KeyboardInterrupt, typer.Abort])
def test_interrupted(command, monkeypatch, error):
    def stop() -> None:
        raise error

    monkeypatch.setattr("hypcse.cli.output.list_methods", stop)
    result = command("methods")
    assert result.returncode == 130
    assert result.stdout == "" and "Traceback" not in result.stderr


def test_ids_that_are_numbers_are_matched(command, tmp_path, table):
    """Leaves called 0 .. n - 1 are the rows with these ids, wherever they stand; a linkage matrix goes by row."""
    X = np.array([[0.0], [1.0], [10.0], [11.5]])
    text = "(3:3,(1:2,(0:1,2:1):1):1);"
    tree = hypcse.Tree.from_newick(text)
    expected = hypcse.score(tree, graph=hypcse.similarity_graph(X, 2), labels=[0, 0, 1, 1])
    (tmp_path / "tree.nwk").write_text(text)
    rows = [f"{k},{X[k, 0]},{k // 2}" for k in (2, 0, 3, 1)]
    (tmp_path / "shuffled.csv").write_text("\n".join(["id,a,kind", *rows]))
    call = ("--data", "shuffled.csv", "--id-column", "id", "--label-column", "kind", "--neighbors", "2", "--json")
    assert json.loads(command("score", "tree.nwk", *call).stdout) == pytest.approx(expected)
    np.save(tmp_path / "tree.npy", tree.to_linkage())
    by_row = hypcse.score(tree, graph=hypcse.similarity_graph(X[[2, 0, 3, 1]], 2), labels=[1, 0, 1, 0])
    assert json.loads(command("score", "tree.npy", *call).stdout) == pytest.approx(by_row)
    (tmp_path / "shuffled.csv").write_text("\n".join(["id,a,kind", *rows[:3], "7,1,0"]))
    assert_one_line(command("score", "tree.nwk", *call), "the tree names leaf '1', but the id column has '2'")


def test_leaf_names_are_matched(command, tmp_path):
    """Bare underscores of a Newick file, which read as blanks, find their rows; names given twice find none."""
    (tmp_path / "bare.nwk").write_text("((s_1,s_2),t_1);")
    (tmp_path / "twice.nwk").write_text("((b,a),b);")
    (tmp_path / "points.csv").write_text("id,a\nt_1,9\ns_2,1\ns_1,0\n")
    call = ("--data", "points.csv", "--id-column", "id", "--neighbors", "1", "--json")
    found = json.loads(command("score", "bare.nwk", *call).stdout)
    tree = hypcse.Tree.from_newick("((0,1),2);")
    assert found == pytest.approx(hypcse.score(tree, graph=hypcse.similarity_graph([[0.0], [1], [9]], 1)))
    assert_one_line(command("score", "twice.nwk", *call), "the tree names leaf 'b' twice")
    (tmp_path / "points.csv").write_text("id,a\nt_1,9\ns_1,1\ns_1,0\n")
    assert_one_line(command("score", "bare.nwk", *call, "--strict"), "two points are called 's_1'")


def test_where_there_is_no_number(command, tmp_path):
    """Classes of one point each have no purity: null in JSON, a dash in a table."""
    (tmp_path / "tree.nwk").write_text("((0,1),2);")
    np.save(tmp_path / "points.npy", np.arange(3.0)[:, None])
    (tmp_path / "labels.txt").write_text("a\nb\nc\n")
    call = ("score", "tree.nwk", "--data", "points.npy", "--labels", "labels.txt", "--neighbors", "1")
    text = command(*call, "--json").stdout
    assert json.loads(text)["dendrogram_purity"] is None and "NaN" not in text
    lines = [[cell.strip() for cell in re.split("[┃│]", line)] for line in command(*call).stdout.split("\n")]
    assert lines[1][1:3] == ["score", "value"] and lines[3][1:3] == ["purity ↑", "-"]


def test_a_long_path_leaves_room_for_the_scores(command, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    folder = tmp_path / ("long" * 30)
    folder.mkdir()
    (folder / "tree.nwk").write_text("((0,1),2);")
    np.save(tmp_path / "points.npy", np.arange(3.0)[:, None])
    found = command("score", f"{folder}/tree.nwk", "--data", "points.npy", "--neighbors", "1", "--json")
    shown = command("score", f"{folder}/tree.nwk", "--data", "points.npy", "--neighbors", "1")
    assert f"{json.loads(found.stdout)['structural_entropy']:.4f}" in shown.stdout


def test_brackets_in_a_path_are_no_markup(capsys):
    show_scores([{"method": "[red]x[/blue]", "seconds": 1.0}])
    assert "[red]x[/blue]" in capsys.readouterr().out

"""`hypcse compare` for people: trees that open, ranks by what was named, and no words of the experiments."""

from __future__ import annotations

import csv
import re

import pytest
from sklearn.datasets import load_iris
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

import hypcse
from hypcse.cli.score import show_scores
from hypcse.metrics import SCORES

METHODS = ("--method", "ward", "--method", "graph-average", "--method", "single-linkage")
WITH_CLASSES = ("--id-column", "id", "--label-column", "kind")


@pytest.fixture
def compare(command, tasks_here, tmp_path):
    """Every third flower, with names and classes."""
    X, y = (part[::3] for part in load_iris(return_X_y=True))
    rows = [
        f"flower {k},{','.join(map(str, row))},kind {label}" for k, (row, label) in enumerate(zip(X, y, strict=True))
    ]
    (tmp_path / "flowers.csv").write_text("\n".join(["id,a,b,c,d,kind", *rows]))

    def run(*words):
        return command("compare", "flowers.csv", "--out", "found", *words)

    return run


def table(tmp_path):
    return list(csv.DictReader((tmp_path / "found" / "compare.csv").read_text().splitlines()))


def test_trees_are_saved_and_their_scores_are_those_of_the_table(compare, tmp_path):
    result = compare(*METHODS, *WITH_CLASSES)
    assert result.returncode == 0, result.stderr
    points = hypcse.read(tmp_path / "flowers.csv", id_column="id", label_column="kind")
    graph = hypcse.similarity_graph(points)
    scores = [score.name for score in SCORES]
    assert list(table(tmp_path)[0]) == ["rank", "method", "tree", *scores, "seconds", "error"]
    for row in table(tmp_path):
        tree = hypcse.Tree.from_newick((tmp_path / "found" / row["tree"]).read_text(), points.names)
        assert tree == hypcse.methods.run(row["method"], points, graph=graph, random_state=0).with_names(points.names)
        assert float(row["structural_entropy"]) == pytest.approx(hypcse.structural_entropy(tree, graph))
        assert float(row["dendrogram_purity"]) == pytest.approx(hypcse.dendrogram_purity(tree, points.labels))
        clusters = hypcse.best_cut(tree, graph, n_clusters=3)
        assert float(row["ari"]) == pytest.approx(adjusted_rand_score(points.labels, clusters))
        assert float(row["nmi"]) == pytest.approx(normalized_mutual_info_score(points.labels, clusters))


@pytest.mark.parametrize(
    ("name", "column", "higher"),
    [
        ("entropy", "structural_entropy", False),
        ("purity", "dendrogram_purity", True),
        ("ari", "ari", True),
        ("nmi", "nmi", True),
        ("cost", "dasgupta_cost", False),
        ("seconds", "seconds", False),
    ],
)
def test_rows_are_ranked_by_what_was_named(compare, tmp_path, name, column, higher):
    result = compare(*METHODS, *WITH_CLASSES, "--rank-by", name)
    rows = table(tmp_path)
    values = [float(row[column]) for row in rows]
    assert values == sorted(values, reverse=higher) and [row["rank"] for row in rows] == ["1", "2", "3"]
    text = (tmp_path / "found" / "compare.md").read_text()
    places = [text.index(f"| {row['method']} |") for row in rows]
    assert places == sorted(places) and "Ranked by" in result.stdout
    shown = [result.stdout.index(f"│ {row['method']} ") for row in rows]
    assert shown == sorted(shown)


def test_no_word_of_the_experiments_is_said(compare, tmp_path):
    result = compare(*METHODS, *WITH_CLASSES)
    report = (tmp_path / "found" / "compare.md").read_text()
    page = re.sub("<style>.*</style>", "", (tmp_path / "found" / "compare.html").read_text(), flags=re.DOTALL)
    for text in (result.stdout, result.stderr, report, page):
        assert not re.search(r"\b([Tt]asks?|[Cc]ells?|[Ss]eeds at most|data set|[Rr]ecords?)\b", text), text
    assert "50 points, 4 features, 3 classes." in report and "ward.nwk" in report
    assert "hypcse view found/" in result.stdout


def test_no_number_is_cut_at_80_columns(compare, tmp_path, monkeypatch):
    """The cost, which the files keep, goes first; what is ranked by stays."""
    monkeypatch.setenv("COLUMNS", "80")
    shown = compare(*METHODS, *WITH_CLASSES).stdout
    assert "…" not in shown and "cost ↓" in compare(*METHODS, *WITH_CLASSES, "--rank-by", "cost").stdout
    for row in table(tmp_path):
        assert f"{float(row['structural_entropy']):.4f}" in shown and row["dasgupta_cost"]


@pytest.mark.parametrize(("width", "spared"), [(40, True), (200, False)])
def test_the_cost_is_left_out_where_it_does_not_fit(monkeypatch, capsys, width, spared):
    monkeypatch.setenv("COLUMNS", str(width))
    row = {"method": "a" * 30, "structural_entropy": 2.34567, "dasgupta_cost": 123456.7, "seconds": 12.3}
    show_scores([row, row])
    shown = capsys.readouterr().out
    assert "2.3457" in shown and "12.30" in shown and "a" * 30 in shown and ("cost" not in shown) == spared


def test_the_command_that_shows_the_first_knows_the_points(compare, command, tmp_path):
    result = compare("--method", "ward", *WITH_CLASSES, "--drop", "a,b")
    call = result.stdout.split("Look at the first: hypcse ")[1].strip()
    assert call == "view found/ward.nwk --data flowers.csv --label-column kind --id-column id --drop a --drop b"
    shown = command(*call.split(), "--no-open", "--out", "w.html")
    assert shown.returncode == 0, shown.stderr
    page = (tmp_path / "w.html").read_text()
    assert "kind 2" in page and "flower 7" in page


def test_without_classes_there_are_no_scores_of_them(compare, tmp_path):
    result = compare(*METHODS, "--drop", "id,kind")
    assert result.returncode == 0, result.stderr
    assert not {"ari", "nmi", "dendrogram_purity"} & set(table(tmp_path)[0])
    assert "classes" not in result.stdout and "no classes" in (tmp_path / "found" / "compare.md").read_text()
    refused = compare(*METHODS, "--drop", "id,kind", "--rank-by", "ari")
    assert refused.returncode == 2
    assert "--rank-by ari needs classes" in refused.stderr and "entropy, cost or seconds" in refused.stderr


def test_a_word_that_cannot_be_ranked_by_is_told_the_choices(compare):
    result = compare(*METHODS, "--rank-by", "speed")
    assert result.returncode == 2 and result.stderr.count("\n") == 1
    assert "'entropy', 'purity', 'ari', 'nmi', 'cost', 'seconds'" in result.stderr


def test_a_tree_that_was_lost_or_changed_is_found_again(compare, tmp_path):
    """As after another seed or other points, whose tree has the same name."""
    assert compare(*METHODS, *WITH_CLASSES).returncode == 0
    place = tmp_path / "found" / "ward.nwk"
    whole = place.read_text()
    for change in (place.unlink, lambda: place.write_text("(0,1);")):
        change()
        again = compare(*METHODS, *WITH_CLASSES)
        assert again.returncode == 0 and place.read_text() == whole
    assert len({row["method"] for row in table(tmp_path)}) == 3


def test_pages_know_the_points(compare, command, tmp_path):
    result = compare("--method", "ward", *WITH_CLASSES, "--pages")
    assert result.returncode == 0, result.stderr
    page = (tmp_path / "found" / "ward.html").read_text()
    assert "flower 7" in page and "kind 2" in page and "open found/ward.html" in result.stdout
    shown = command("view", "found/ward.nwk", "--data", "flowers.csv", *WITH_CLASSES, "--no-open", "--out", "w.html")
    assert shown.returncode == 0, shown.stderr


def test_a_method_that_fails_is_listed(compare, tmp_path, monkeypatch):
    def fail(*words, **options):
        raise ValueError("no such luck")

    monkeypatch.setattr("hypcse.paper.measure.grow", fail)
    result = compare("--method", "ward", *WITH_CLASSES)
    assert result.returncode == 1 and "ward failed: ValueError: no such luck" in result.stderr
    assert table(tmp_path)[0]["error"] == "ValueError: no such luck"
    assert "| ward | ValueError: no such luck |" in (tmp_path / "found" / "compare.md").read_text()

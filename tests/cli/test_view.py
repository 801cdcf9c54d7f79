"""`hypcse view`: a page of any tree."""

from __future__ import annotations

import base64
import csv
import json
import re
import sys

import numpy as np
import pytest

import hypcse
from hypcse.cli import main
from hypcse.graph import scale_features
from hypcse.tree.flat import by_size
from hypcse.tree.nodes import merge_distances


@pytest.fixture
def command(tmp_path, monkeypatch, capsys):
    """Run the command in an empty folder; its exit code and what it said."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("HYPCSE_DATA", raising=False)

    def run(*words: str):
        monkeypatch.setattr(sys, "argv", ["hypcse", *words])
        with pytest.raises(SystemExit) as ended:
            main()
        said = capsys.readouterr()
        return ended.value.code or 0, said.out, said.err

    (tmp_path / "other.nwk").write_text("((a:1,b_1:1):2,(c:2,d:2):1);")
    return run


def data_of(path):
    text = path.read_text(encoding="utf-8")
    return json.loads(re.search(r'id="data">(.*?)</script>', text, re.DOTALL)[1])


def codes(packed):
    return np.frombuffer(base64.b64decode(packed["data"]), dtype="<" + packed["kind"]).tolist()


def test_any_newick_file(command, tmp_path):
    code, out, _ = command("view", "other.nwk", "--no-open")
    assert code == 0 and "other.html" in out
    assert data_of(tmp_path / "other.html")["names"] == ["a", "b 1", "c", "d"]
    assert data_of(tmp_path / "other.html")["title"] == "other"
    assert command("view", "other.nwk", "--no-open", "--out", "page.html", "--clusters", "3")[0] == 0
    assert data_of(tmp_path / "page.html")["clusters"] == 3


def test_the_browser_opens_unless_told(command, tmp_path, monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", lambda address: opened.append(address) or True)
    command("view", "other.nwk")
    assert opened == [(tmp_path / "other.html").resolve().as_uri()]
    command("view", "other.nwk", "--no-open")
    assert len(opened) == 1


def test_labels_go_by_name(command, tmp_path):
    (tmp_path / "kinds.csv").write_text("name,kind\nd,fir\nc,fir\nb_1,cat\na,dog\n")
    assert command("view", "other.nwk", "--no-open", "--labels", "kinds.csv")[0] == 0
    classes = data_of(tmp_path / "other.html")["classes"]
    assert [classes["names"][k] for k in codes(classes["codes"])] == ["dog", "cat", "fir", "fir"]
    (tmp_path / "kinds.txt").write_text("x\nx\ny\ny\n")
    assert command("view", "other.nwk", "--no-open", "--labels", "kinds.txt")[0] == 0
    assert data_of(tmp_path / "other.html")["classes"]["names"] == ["x", "y"]


def test_a_folder_of_fit(command, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(24, 2)) + 9 * np.repeat([0, 1, 2], 8)[:, None]
    lines = ["id,width,length"] + [f"p{k},{X[k, 0]},{X[k, 1]}" for k in range(24)]
    (tmp_path / "points.csv").write_text("\n".join(lines))
    assert command("fit", "points.csv", "--out", "found", "--id-column", "id")[0] == 0
    code, _, said = command("view", "found", "--no-open", "--data", "points.csv", "--id-column", "id")
    assert code == 0, said
    held = data_of(tmp_path / "found" / "tree.html")
    by_name = dict(zip(held["names"], codes(held["automatic"]), strict=True))
    graph = hypcse.similarity_graph(X)
    tree = hypcse.join_components(hypcse.refine(hypcse.graph_linkage(graph), graph), graph, X, bridges=True)
    levels = hypcse.levels(tree, graph, X)
    expected = by_size(levels[levels.main])
    assert [by_name[f"p{k}"] for k in range(24)] == expected.tolist()
    assert held["table"]["names"] == ["width", "length"]
    assert held["entropy"] is not None
    assert command("fit", "points.csv", "--out", "found", "--id-column", "id", "--overwrite")[0] == 0


def test_a_folder_with_outliers(command, tmp_path):
    (tmp_path / "found").mkdir()
    (tmp_path / "found" / "tree.nwk").write_text("((a:1,b:1):2,(c:2,d:2):1);")
    (tmp_path / "found" / "labels.csv").write_text("name,label\na,0\nb,0\nc,1\nd,-1\n")
    assert command("view", "found", "--no-open", "--title", "T")[0] == 0
    held = data_of(tmp_path / "found" / "tree.html")
    assert dict(zip(held["names"], codes(held["automatic"]), strict=True))["d"] not in (0, 1)


@pytest.mark.parametrize("largest", [2**31, 2**32 + 5, 10**30, "9" * 5000, "-2", "1.5", "red"])
def test_a_folder_with_labels_that_no_page_holds(command, tmp_path, largest):
    (tmp_path / "found").mkdir()
    (tmp_path / "found" / "tree.nwk").write_text("((a:1,b:1):2,(c:2,d:2):1);")
    (tmp_path / "found" / "labels.csv").write_text(f"name,label\na,0\nb,0\nc,1\nd,{largest}\n")
    code, _, said = command("view", "found", "--no-open")
    assert code == 2 and "labels.csv" in said and said.count("\n") == 1 and len(said) < 500


def test_names_that_look_like_formulas_stay_as_they_are(command, tmp_path):
    """Names must be found again: nothing is put before them."""
    names = ["=1+1", "+2", "-3", "@SUM(A1)", "'5", "six", "=cmd|' /C calc'!A0", "8"]
    rows = "".join(f'"{name}",{k % 4},{k}.5\n' for k, name in enumerate(names))
    (tmp_path / "points.csv").write_text(f"id,x,y\n{rows}")
    code, _, said = command("fit", "points.csv", "--out", "found", "--id-column", "id")
    assert code == 0, said
    with (tmp_path / "found" / "labels.csv").open(newline="") as file:
        assert [row["name"] for row in csv.DictReader(file)] == names
    assert command("view", "found", "--no-open", "--overwrite")[0] == 0
    assert sorted(data_of(tmp_path / "found" / "tree.html")["names"]) == sorted(names)


@pytest.mark.parametrize("scale", ["minmax", "standard"])
def test_pages_draw_distances_on_the_scale_of_the_command(command, tmp_path, scale):
    """Those of `hypcse fit` and of `hypcse view --data`, whatever the order of the leaves in the file."""
    X = np.random.default_rng(0).normal(size=(20, 2)) * [1, 100]
    (tmp_path / "points.csv").write_text("\n".join(["id,a,b", *(f"p{k},{a},{b}" for k, (a, b) in enumerate(X))]))
    options = ("--id-column", "id", "--scale", scale)
    assert command("fit", "points.csv", "--out", "found", *options)[0] == 0
    code, _, said = command(
        "view", "found/tree.nwk", "--out", "page.html", "--data", "points.csv", *options, "--no-open"
    )
    assert code == 0, said
    for page in (tmp_path / "found" / "tree.html", tmp_path / "page.html"):
        held = data_of(page)
        order = [int(name[1:]) for name in held["names"]]
        tree = hypcse.Tree(codes(held["parent"]), [0.0] * 20 + codes(held["height"]))
        expected = merge_distances(tree, scale_features(X, scale)[order])
        assert codes(held["distance"]["inner"]) == pytest.approx(expected[20:], rel=1e-6)
        assert held["byDistance"]
    assert command("view", "found/tree.nwk", "--out", "bare.html", "--no-open")[0] == 0
    assert data_of(tmp_path / "bare.html")["distance"] is None


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("nowhere.nwk",), "neither a file nor a folder"),
        (("empty",), "has no tree.nwk"),
        (("broken.nwk",), "broken.nwk"),
        (("rows.csv",), "rows.csv holds points"),
        (("other.nwk", "--out", "notes.html"), "not a page of hypcse"),
        (("other.nwk", "--out", "no/such/page.html"), "not a folder"),
        (("other.nwk", "--out", "empty"), "is a folder"),
        (("other.nwk", "--labels", "few.txt"), "4 points"),
        (("other.nwk", "--labels", "wrong.csv"), "both must name the same leaves"),
        (("other.nwk", "--clusters", "9"), "between 1 and 4"),
        (("other.nwk", "--id-column", "id"), "Pass --data too"),
        (("other.nwk", "--data", "rows.csv"), "4 leaves"),
    ],
)
def test_bad_input_is_one_line(command, tmp_path, words, text):
    (tmp_path / "empty").mkdir()
    (tmp_path / "broken.nwk").write_text("((a,b);")
    (tmp_path / "notes.html").write_text("<p>mine</p>")
    (tmp_path / "few.txt").write_text("x\n")
    (tmp_path / "wrong.csv").write_text("a,1\nb_1,1\nc,1\nzebra,1\n")
    (tmp_path / "rows.csv").write_text("x\n1\n2\n")
    code, out, said = command("view", *words, "--no-open")
    assert code == 2 and out == ""
    assert text in said and said.count("\n") == 1
    assert (tmp_path / "notes.html").read_text() == "<p>mine</p>"
    assert not (tmp_path / "other.html").exists()


def test_names_of_nodes_come_from_the_tree_or_a_file(command, tmp_path):
    (tmp_path / "named.nwk").write_text("((a,b)pets,(c,d)0.98)'all of them';")
    assert command("view", "named.nwk", "--no-open")[0] == 0
    assert data_of(tmp_path / "named.html")["nodeNames"] == [[4, "pets"], [6, "all of them"]]
    (tmp_path / "names.csv").write_text('node,name\n4,cats\n5,"dogs, both"\n')
    assert command("view", "named.nwk", "--no-open", "--node-names", "names.csv", "--title", "Animals")[0] == 0
    held = data_of(tmp_path / "named.html")
    assert held["nodeNames"] == [[4, "cats"], [6, "all of them"], [5, "dogs, both"]] and held["title"] == "Animals"
    tree = json.loads(hypcse.Tree.from_newick("((a,b),(c,d));").to_json())
    (tmp_path / "tree.json").write_text(json.dumps({**tree, "node_names": {"5": "as the page exports"}}))
    assert command("view", "tree.json", "--no-open")[0] == 0
    assert data_of(tmp_path / "tree.html")["nodeNames"] == [[5, "as the page exports"]]
    for text, wrong in (
        ('{"x": "a"}', "node numbers are whole numbers"),
        ("[1]", "no names of nodes"),
        ('{"4": null}', "no names of nodes"),
        ('{"9": "a"}', "4 .. 6"),
    ):
        (tmp_path / "wrong.json").write_text(text)
        code, _, said = command("view", "tree.json", "--no-open", "--node-names", "wrong.json")
        assert code and wrong in said


def test_other_labels_to_compare_with(command, tmp_path):
    (tmp_path / "first.csv").write_text("name,label\nd,2\nc,2\nb 1,1\na,\n")
    (tmp_path / "second.txt").write_text("x\nx\ny\nx\n")
    assert command("view", "other.nwk", "--no-open", "--compare", "first.csv", "--compare", "second.txt")[0] == 0
    one, two = data_of(tmp_path / "other.html")["compared"]
    assert (one["title"], one["names"], codes(one["codes"])) == ("first", ["1", "2"], [2, 0, 1, 1])
    assert (two["title"], codes(two["codes"])) == ("second", [0, 0, 1, 0])


def test_the_title_is_the_name_of_the_data(command, tmp_path):
    (tmp_path / "animals.csv").write_text("size,weight\n" + "".join(f"{k % 3},{k * k % 7}\n" for k in range(24)))
    assert command("fit", "animals.csv", "--out", "found", "--no-stability")[0] == 0
    assert data_of(tmp_path / "found" / "tree.html")["title"] == "animals"
    assert command("view", "found", "--no-open", "--out", "again.html")[0] == 0
    assert data_of(tmp_path / "again.html")["title"] == "animals"

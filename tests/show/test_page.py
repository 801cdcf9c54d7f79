"""The file: what it holds comes back, names are no markup, and it is written whole or not at all."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hypcse
from graph_strategies import graphs_with_trees
from hypcse.graph import scale_features
from hypcse.show.layout import tree_layout
from hypcse.show.page.bundle import render, to_json
from hypcse.show.page.contents import entropy_shares
from hypcse.show.page.levels import widest_gap
from hypcse.tree import Tree
from hypcse.tree.nodes import merge_distances
from pages import gathered, saved, unpack
from strategies import trees

TREE = Tree.from_newick("((a:1,b:1):2,(c:2,d:2):1);")
NESTED = [[0, 0, 1, 1], [0, 1, 2, 2]]


class Elements(HTMLParser):
    """Tags of a page, and the text of its script elements."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag == "script":
            self.scripts.append("")

    def handle_data(self, data):
        if self.tags and self.tags[-1][0] == "script":
            self.scripts[-1] += data


def elements(text: str) -> Elements:
    parser = Elements()
    parser.feed(text)
    return parser


@given(trees(names=True))
def test_what_goes_in_comes_back(tree):
    """Parents, heights to the last bit, names of any text, and angles and radii as exactly as can be seen."""
    shown = gathered(tree)
    held = json.loads(to_json(shown))
    layout = tree_layout(tree)
    assert np.array_equal(unpack(held["parent"]), tree.parent)
    assert np.array_equal(unpack(held["height"]), tree.height[tree.n_leaves :])
    assert tuple(held["names"]) == tree.names
    assert unpack(held["angle"]) == pytest.approx(layout.angle, abs=1e-6)
    assert unpack(held["radius"]) / 65535 * held["radiusMax"] == pytest.approx(layout.radius, abs=1e-3)


@given(trees(), st.sampled_from(["minmax", "standard", "none"]))
def test_distances_are_those_of_the_scaled_features(tree, scale):
    """Of internal nodes, as exactly as can be seen, beside the tree's own heights, and never falling upwards."""
    X = np.random.default_rng(tree.n_leaves).normal(size=(tree.n_leaves, 3)) * [1, 10, 100]
    held = json.loads(to_json(gathered(tree, features=X, scale=scale)))
    inner = unpack(held["distance"]["inner"])
    assert inner == pytest.approx(merge_distances(tree, scale_features(X, scale))[tree.n_leaves :], rel=1e-6)
    assert np.array_equal(unpack(held["height"]), tree.height[tree.n_leaves :])
    above = tree.parent[tree.n_leaves : -1] - tree.n_leaves
    assert (inner[:-1] <= inner[above]).all()


def test_which_heights_a_page_draws_first():
    X = np.array([[0.0], [1.0], [4.0], [9.0]])
    model = SimpleNamespace(tree_=TREE, _scaled=X)
    for source, options, known, first in (
        (TREE, {}, False, False),
        (TREE, {"heights": "tree"}, False, False),
        (TREE, {"features": X}, True, True),
        (TREE, {"features": X, "heights": "distance"}, True, True),
        (TREE, {"features": X, "heights": "tree"}, True, False),
        (model, {}, True, True),
        (SimpleNamespace(tree_=TREE, _scaled=None), {}, False, False),
    ):
        held = gathered(source, **options)
        assert (held["distance"] is not None, held["byDistance"]) == (known, first)
        assert held["heightTitle"] == "height"
    kept = unpack(gathered(model)["distance"]["inner"])
    assert kept == pytest.approx(merge_distances(TREE, X)[4:])
    given_too = unpack(gathered(model, features=X)["distance"]["inner"])
    assert given_too == pytest.approx(kept / 9), "features that are given are scaled, and win over the model's"


def test_distances_beyond_single_precision():
    X = np.array([[-3e38, -3e38], [-3e38, -3e38], [3e38, 3e38], [3e38, 3e38]])
    inner = unpack(gathered(TREE, features=X, scale="none")["distance"]["inner"])
    assert np.isfinite(inner).all() and inner[-1] > 6e38


@given(trees(names=True, min_leaves=2))
def test_no_name_is_markup(tree):
    """Whatever leaves are called, the page has the same elements, and none of the signs that begin one."""
    plain = elements(render(gathered(Tree(tree.parent, tree.height))))
    named = render(gathered(tree, title=tree.names[0], labels=list(tree.names)))
    assert [tag for tag, _ in elements(named).tags] == [tag for tag, _ in plain.tags]
    data = re.search(r'id="data">(.*?)</script>', named, re.DOTALL)[1]
    assert not set("<>&\u2028\u2029") & set(data)


@pytest.mark.parametrize("name", ["</script><script>alert(1)</script>", "<!--", "{{script}}", "\ud800", "a\x00b"])
def test_hostile_names(name, tmp_path):
    path = saved(TREE, tmp_path / "tree.html", names=[name, "b", "c", "d"], title=name)
    found = elements(path.read_text(encoding="utf-8"))
    assert len(found.scripts) == 2
    kept = json.loads(found.scripts[0])["names"][0]
    assert kept == name.encode("utf-8", "replace").decode()


def test_the_policy_allows_this_script_and_nothing_else():
    found = elements(render(gathered(TREE)))
    policy = next(a["content"] for _, a in found.tags if a.get("http-equiv") == "Content-Security-Policy")
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert re.search(r"script-src 'sha256-[\w+/=]+';", policy)
    assert not any("src" in a or "href" in a or "style" in a for _, a in found.tags)
    assert not any(key.startswith("on") for _, a in found.tags for key in a)


@given(graphs_with_trees())
def test_shares_of_the_entropy_sum_to_one(case):
    graph, tree = case
    shares = entropy_shares(tree, graph)
    total = hypcse.structural_entropy(tree, graph, self_loops="exact")
    assert shares.sum() == pytest.approx(1 if total > 1e-12 else shares.sum())
    assert (shares >= 0).all()


def test_a_model_brings_its_parts():
    graph = hypcse.Graph.from_edges([0, 2, 1], [1, 3, 2])
    disk = np.array([[0.5, 0.1], [0.5, -0.1], [-0.5, 0.1], [-0.5, -0.1]])
    model = SimpleNamespace(tree_=TREE, graph_=graph, labels_=np.array([0, 0, 1, 1]), embedding_=disk)
    shown = gathered(model)
    assert unpack(shown["levels"]["finest"]).tolist() == [0, 0, 1, 1] and shown["levels"]["main"] == 0
    assert shown["degrees"] is not None and shown["entropy"] is not None
    assert unpack(shown["angle"])[:2] == pytest.approx([np.arctan2(0.1, 0.5), 2 * np.pi - np.arctan2(0.1, 0.5)])
    model.embedding_ = np.zeros((4, 16))
    assert unpack(gathered(model)["radius"])[-1] == 0
    assert gathered(TREE, graph=graph)["automaticRule"] != gathered(TREE)["automaticRule"]


def test_classes_keep_their_names():
    held = gathered(TREE, labels=["dog", "cat", "dog", 3])
    names = [held["classes"]["names"][k] for k in unpack(held["classes"]["codes"])]
    assert names == ["dog", "cat", "dog", "3"]


def test_unknown_classes_have_no_name():
    held = gathered(TREE, labels=["dog", None, "cat", np.nan])
    assert held["classes"]["names"] == ["dog", "cat"]
    assert unpack(held["classes"]["codes"]).tolist() == [0, 2, 1, 2]


@given(trees(min_leaves=1))
def test_the_widest_gap_gives_a_cut(tree):
    assert 1 <= widest_gap(tree) <= max(20, 1)
    assert widest_gap(tree) <= tree.n_leaves


@pytest.mark.parametrize(
    ("source", "options", "error", "text"),
    [
        (np.zeros((2, 4)), {}, TypeError, "from_linkage"),
        (SimpleNamespace(fit=1), {}, ValueError, "Call fit first"),
        (TREE, {"labels": [1, 2]}, ValueError, "one label per point"),
        (TREE, {"names": ["a"]}, ValueError, "1 names for 4 leaves"),
        (TREE, {"n_clusters": 5}, ValueError, "between 1 and 4"),
        (TREE, {"features": np.zeros((3, 2))}, ValueError, "3 rows for 4 leaves"),
        (TREE, {"features": np.zeros((4, 2)), "feature_names": ["a"]}, ValueError, "1 feature_names for 2"),
        (TREE, {"feature_names": ["a"]}, ValueError, "without features"),
        (TREE, {"heights": "distance"}, ValueError, "Pass features="),
        (TREE, {"heights": "log"}, ValueError, "Choose one of 'auto', 'distance', 'tree'"),
        (TREE, {"features": np.zeros((4, 2)), "scale": "log"}, ValueError, "scale='log'"),
        (TREE, {"graph": "edges"}, TypeError, "a graph must be"),
        (TREE, {"graph": hypcse.Graph.from_edges([0], [1])}, ValueError, "has 2 vertices"),
        (TREE, {"automatic": [0, 1]}, ValueError, "each of the 4 leaves"),
        (TREE, {"levels": [[0, 0, 1, 1], [0, 1]]}, ValueError, r"level 1 of shape \(2,\)"),
        (TREE, {"levels": [["a", "a", "b", "b"]]}, ValueError, "one whole number from 0"),
        (TREE, {"levels": [[0, 1, 2, 3], [0, 0, 1, 1]]}, ValueError, "the coarsest first"),
        (TREE, {"levels": NESTED, "stability": [0.5]}, ValueError, "for 2 levels"),
        (TREE, {"levels": NESTED, "stability": [0.5, 1.5]}, ValueError, "stability=1.5 must be from 0 to 1"),
        (TREE, {"levels": NESTED, "stability": [0.5, np.nan]}, ValueError, "stability=nan must be"),
        (TREE, {"stability": [0.5]}, ValueError, "for 0 levels"),
        (TREE, {"structure": "clear"}, TypeError, "beyond_chance"),
        (TREE, {"embedding": np.zeros((4, 3))}, ValueError, "one row per leaf, 4, and two columns"),
    ],
)
def test_wrong_calls_say_what_is_wrong(source, options, error, text, tmp_path):
    with pytest.raises(error, match=text):
        hypcse.view(source, tmp_path / "tree.html", **options)
    assert not list(tmp_path.iterdir())


def test_the_file_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    path = saved(TREE, tmp_path / "tree.html", title="first")
    before = path.read_text()
    assert path.stat().st_mode & 0o444

    def fails(source, target):
        raise OSError("disk full")

    monkeypatch.setattr("os.replace", fails)
    with pytest.raises(OSError, match="disk full"):
        hypcse.view(TREE, path, title="second")
    assert path.read_text() == before
    assert [p.name for p in tmp_path.iterdir()] == ["tree.html"]
    with pytest.raises(FileNotFoundError, match="not a folder"):
        hypcse.view(TREE, tmp_path / "no" / "tree.html")
    with pytest.raises(IsADirectoryError, match="one file"):
        hypcse.view(TREE, tmp_path)

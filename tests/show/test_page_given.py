"""What a user adds to a page, and what it holds of a table: names of nodes, other labels, means of columns."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hypcse
from hypcse.show.page.bundle import to_json
from hypcse.show.page.table import column_means, distinct_columns
from hypcse.tree import Tree
from pages import gathered, unpack
from strategies import trees

TREE = Tree.from_newick("((a:1,b:1):2,(c:2,d:2):1);")


@given(trees(min_leaves=2))
def test_columns_that_describe_a_node_are_the_farthest(tree):
    """As a plain loop over nodes and columns finds them."""
    X = np.random.default_rng(tree.n_leaves).normal(size=(tree.n_leaves, 5))
    X[:, 1] = 3
    found = distinct_columns(tree, X, 2)
    spread = np.where(X.std(axis=0) > 1e-9, X.std(axis=0), np.inf)
    for row, node in enumerate(found.nodes):
        own = tree.leaves(node) if node >= tree.n_leaves else np.array([node])
        others = np.setdiff1d(np.arange(tree.n_leaves), own)
        shift = (X[own].mean(axis=0) - X[others].mean(axis=0)) / spread
        assert np.abs(found.shift[row]) == pytest.approx(np.sort(np.abs(shift))[::-1][:2])
        assert shift[found.column[row]] == pytest.approx(found.shift[row])


@given(trees(min_leaves=2), st.integers(1, 6))
def test_means_are_those_of_the_leaves(tree, most):
    """In standard deviations, of the columns that differ most; constant ones are left out."""
    rng = np.random.default_rng(tree.n_leaves)
    labels = rng.integers(2, size=tree.n_leaves)
    X = rng.normal(size=(tree.n_leaves, 6))
    X[:, 4] = 1
    X[:, 2] += 100 * labels
    found = column_means(tree, X, [labels], most)
    assert found.columns.size == min(most, 5) and 4 not in found.columns
    if 1 < np.unique(labels).size <= tree.n_leaves // 2:
        assert 2 in found.columns
    z = ((X - X.mean(axis=0)) / np.where(X.std(axis=0) > 0, X.std(axis=0), 1))[:, found.columns]
    for row, node in enumerate(found.nodes):
        own = tree.leaves(node) if node >= tree.n_leaves else [node]
        assert found.values[row] == pytest.approx(z[own].mean(axis=0))


def test_a_page_holds_the_means(monkeypatch):
    X = np.array([[0.0, 7, 0], [1, 7, 1], [5, 7, 1], [6, 7, 0]])
    table = gathered(TREE, features=X, feature_names=["size", "same", "tail"])["table"]
    heat = table["heat"]
    assert unpack(heat["columns"]).tolist() == [0, 2]
    values = ((unpack(heat["values"]).astype(float) - 32767) / 32767 * heat["most"]).reshape(-1, 2)
    nodes = unpack(table["nodes"])[: heat["rows"]].tolist()
    assert values[nodes.index(4)] == pytest.approx([(0.5 - 3) / X[:, 0].std(), 0], abs=1e-4)
    monkeypatch.setattr("hypcse.show.page.table.MAX_VALUES", 4)
    assert gathered(TREE, features=X)["table"]["heat"]["rows"] == 2


def test_a_page_holds_what_columns_say_of_nodes(monkeypatch):
    X = np.array([[0.0, 1], [0, 1], [0, 5], [1, 6]])
    assert gathered(TREE, features=X)["table"]["said"] is None
    table = gathered(TREE, features=X, feature_names=["tail", "size"])["table"]
    names = dict(zip(unpack(table["nodes"]).tolist(), table["said"], strict=False))
    assert names[4] == "size 1" and names[5].startswith("size 5")
    monkeypatch.setattr("hypcse.show.page.table.NAMED", 4)
    assert len(gathered(TREE, features=X, feature_names=["tail", "size"])["table"]["said"]) == 1


def test_names_and_labels_come_back():
    given_names = {4: "pets", np.int64(6): "</script>"}
    held = json.loads(to_json(gathered(TREE, node_names=given_names, compare={"other": ["x", None, "y", "x"]})))
    assert held["nodeNames"] == [[4, "pets"], [6, "</script>"]]
    (labels,) = held["compared"]
    assert labels["title"] == "other" and labels["names"] == ["x", "y"]
    assert unpack(labels["codes"]).tolist() == [0, 2, 1, 0]
    assert gathered(TREE, compare=[1, 1, 2, 2])["compared"][0]["title"] == "compared"
    assert gathered(TREE)["nodeNames"] == [] and gathered(TREE)["compared"] == []


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        (
            {"node_names": {2: "a leaf"}},
            ValueError,
            r"node 2, but the inner nodes .* the numbers 4 \.\. 6",
        ),
        ({"node_names": {7: "none"}}, ValueError, "Name leaves by names="),
        ({"node_names": {"4": "text"}}, ValueError, "names node '4', but .* the numbers 4"),
        ({"node_names": ["a"]}, TypeError, "Pass a mapping"),
        ({"compare": [1, 2]}, ValueError, "compare, 'compared': .* one label per point"),
        ({"compare": {"k-means": [1]}}, ValueError, "compare, 'k-means'"),
    ],
)
def test_wrong_names_and_labels_are_refused(options, error, text):
    with pytest.raises(error, match=text):
        hypcse.view(TREE, **options)


def test_no_column_at_all():
    held = gathered(TREE, features=np.ones((4, 2)), feature_names=["a", "b"])["table"]["heat"]
    assert unpack(held["columns"]).size == 0 and unpack(held["values"]).size == 0

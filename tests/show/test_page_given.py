"""What a user adds to a page, and what it holds of a table: names of nodes, other labels, means of columns."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hypcse
from hypcse.show.page.payload import document, to_json
from hypcse.show.page.table import WORDS, NodeColumns, column_means, naming_words, sibling_columns
from hypcse.tree import Tree
from pages import gathered, unpack
from strategies import trees

TREE = Tree.from_newick("((a:1,b:1):2,(c:2,d:2):1);")


@given(trees(min_leaves=2))
def test_columns_against_siblings_are_the_farthest(tree):
    """As a plain loop over nodes and columns finds them."""
    X = np.random.default_rng(tree.n_leaves).normal(size=(tree.n_leaves, 5))
    X[:, 1] = 3
    found = sibling_columns(tree, X)
    spread = np.where(X.std(axis=0) > 1e-9, X.std(axis=0), np.inf)
    for row, node in enumerate(found.nodes):
        own = tree.leaves(node) if node >= tree.n_leaves else np.array([node])
        others = np.setdiff1d(tree.leaves(tree.parent[node]), own)
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
    table = document(gathered(TREE, features=X, feature_names=["size", "same", "tail"]))["table"]
    heat = table["heat"]
    assert unpack(heat["columns"]).tolist() == [0, 2]
    values = ((unpack(heat["values"]).astype(float) - 32767) / 32767 * heat["most"]).reshape(-1, 2)
    nodes = unpack(table["nodes"])[: heat["rows"]].tolist()
    assert values[nodes.index(4)] == pytest.approx([(0.5 - 3) / X[:, 0].std(), 0], abs=1e-4)
    monkeypatch.setattr("hypcse.show.page.table.MAX_VALUES", 4)
    assert document(gathered(TREE, features=X))["table"]["heat"]["rows"] == 2


def test_columns_without_names_name_no_node():
    X = np.arange(8.0).reshape(4, 2)
    assert document(gathered(TREE, features=X))["table"]["siblings"] is None
    assert document(gathered(TREE, features=X, feature_names=["a", "b"]))["table"]["siblings"] is not None


@pytest.mark.parametrize(
    ("share", "above", "below"),
    [
        (1.0, "", "less "),
        (0.9, "", "less "),
        (0.89, "often ", "less "),
        (0.51, "often ", "less "),
        (0.16, "more ", "few "),
        (0.03, "more ", "few "),
        (0.02, "more ", "no "),
        (0.0, "more ", "no "),
    ],
)
def test_a_name_by_a_mark_is_true_of_the_node(share, above, below):
    """Whatever the siblings have; a column of other numbers is high or low."""
    found = NodeColumns(
        np.zeros(2, np.int64), np.zeros((2, 1), np.int64), np.array([[1.0], [-1.0]]), np.full((2, 1), share)
    )
    assert [WORDS[k] for k in naming_words(found, np.array([True])).ravel()] == [above, below]
    assert [WORDS[k] for k in naming_words(found, np.array([False])).ravel()] == ["high ", "low "]


def test_a_page_holds_the_words_of_names():
    X = np.array([[0.0, 1], [0, 1], [0, 5], [1, 6]])
    held = document(gathered(TREE, features=X, feature_names=["tail", "size"]))["table"]
    row = unpack(held["nodes"]).tolist().index(5)
    siblings = held["siblings"]
    words = [siblings["words"][k] for k in unpack(siblings["word"]).reshape(-1, siblings["told"])[row]]
    columns = unpack(siblings["column"]).reshape(-1, siblings["told"])[row].tolist()
    assert dict(zip(columns, words, strict=True)) == {0: "often ", 1: "high "}


def test_names_and_labels_come_back():
    given_names = {4: "pets", np.int64(6): "</script>"}
    held = json.loads(to_json(gathered(TREE, node_names=given_names, compare={"other": ["x", None, "y", "x"]})))
    assert held["nodeNames"] == [[4, "pets"], [6, "</script>"]]
    (labels,) = held["compared"]
    assert labels["title"] == "other" and labels["names"] == ["x", "y"]
    assert unpack(labels["codes"]).tolist() == [0, 2, 1, 0]
    assert document(gathered(TREE, compare=[1, 1, 2, 2]))["compared"][0]["title"] == "compared"
    assert document(gathered(TREE))["nodeNames"] == [] and document(gathered(TREE))["compared"] == []


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"node_names": {2: "a leaf"}}, ValueError, r"node 2, but the inner nodes of this tree are 4 \.\. 6"),
        ({"node_names": {7: "none"}}, ValueError, "Name leaves by names="),
        ({"node_names": {"4": "text"}}, TypeError, "whole numbers"),
        ({"node_names": {True: "truth"}}, TypeError, "whole numbers"),
        ({"node_names": ["a"]}, TypeError, "Pass a mapping"),
        ({"compare": [1, 2]}, ValueError, "compare, 'compared': .* one label per point"),
        ({"compare": {"k-means": [1]}}, ValueError, "compare, 'k-means'"),
    ],
)
def test_wrong_names_and_labels_are_refused(options, error, text):
    with pytest.raises(error, match=text):
        hypcse.view(TREE, **options)


def test_no_column_at_all():
    held = document(gathered(TREE, features=np.ones((4, 2)), feature_names=["a", "b"]))["table"]["heat"]
    assert unpack(held["columns"]).size == 0 and unpack(held["values"]).size == 0

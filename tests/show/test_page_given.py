"""What a user adds to a page, and what it holds of a table: names, other labels, typical values, places of leaves."""

from __future__ import annotations

import json
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.decomposition import PCA

import hypcse
from hypcse.show.page.bundle import to_json
from hypcse.show.page.contents import umap_of
from hypcse.show.page.table import leaf_rows
from hypcse.tree import Tree
from pages import gathered, unpack
from strategies import trees

TREE = Tree.from_newick("((a:1,b:1):2,(c:2,d:2):1);")


@given(trees(min_leaves=2), st.integers(1, 6), st.integers(6, 200))
def test_rows_are_means_of_neighboring_leaves(tree, most, n_cells):
    """In standard deviations, of the columns that differ most; constant ones are left out."""
    rng = np.random.default_rng(tree.n_leaves)
    labels = rng.integers(2, size=tree.n_leaves)
    X = rng.normal(size=(tree.n_leaves, 6))
    X[:, 4] = 1
    X[:, 2] += 100 * labels
    found = leaf_rows(tree, X, [labels], most, n_cells)
    assert found.columns.size == min(most, 5) and 4 not in found.columns
    if 1 < np.unique(labels).size <= tree.n_leaves // 2:
        assert 2 in found.columns
    assert found.values.size <= n_cells
    z = ((X - X.mean(axis=0)) / np.where(X.std(axis=0) > 0, X.std(axis=0), 1))[tree.leaf_order()][:, found.columns]
    ends = [k * tree.n_leaves // len(found.values) for k in range(len(found.values) + 1)]
    for row, (first, end) in enumerate(pairwise(ends)):
        assert found.values[row] == pytest.approx(z[first:end].mean(axis=0))


def test_a_page_holds_typical_values_in_the_words_of_the_table(tmp_path):
    path = tmp_path / "cars.csv"
    path.write_text("origin,weight (lb)\nJapan,2100\nJapan,2210\nUSA,4123\nUSA,4050\n")
    points = hypcse.read(path, use=["origin", "weight (lb)"])
    table = gathered(TREE, points, automatic=[0, 0, 1, 1])["table"]
    assert table["clusters"][-1] == hypcse.describe(np.array([0, 0, 1, 1]), points)["name"].tolist()
    row = unpack(table["nodes"]).tolist().index(4)
    texts, held = table["typical"]["texts"], {}
    for part in ("column", "here", "others"):
        held[part] = [texts[k] for k in unpack(table["typical"][part]).reshape(-1, 4)[row]]
    assert held["column"] == ["origin", "weight (lb)", "", ""]
    assert held["here"][:2] == ["Japan 100%", "2,100"] and held["others"][:2] == ["Japan 0%", "4,000"]


def test_what_is_described_is_bounded(monkeypatch):
    X = np.array([[0.0, 1], [0, 1], [0, 5], [1, 6]])
    assert gathered(TREE, features=X)["table"]["said"] is gathered(TREE, features=X)["table"]["clusters"] is None
    monkeypatch.setattr("hypcse.show.page.table.MAX_SIZES", 2)
    monkeypatch.setattr("hypcse.show.page.table.MAX_NAMED_VALUES", 4)
    table = gathered(TREE, features=X, feature_names=["tail", "size"])["table"]
    assert table["said"] == ["size 1"] and table["clusters"] == [None]


@given(trees(min_leaves=2), st.integers(1, 5))
def test_points_of_the_scatter(tree, width):
    """Two columns are themselves, and of more two principal components keep the order along both axes."""
    X = np.random.default_rng(width).normal(size=(tree.n_leaves, width)) * np.arange(1, width + 1)
    held = gathered(tree, features=X, scale="none")["scatter"]
    if width == 1:
        assert held is None
        return
    wanted = X if width == 2 else PCA(2, random_state=0).fit_transform(X.astype(np.float32))
    share = (wanted - wanted.min(axis=0)) / np.ptp(wanted, axis=0)
    assert np.column_stack([unpack(held["x"]), unpack(held["y"])]) / 65535 == pytest.approx(share, abs=1e-4)
    mine = gathered(tree, features=X, embedding=wanted[::-1])["scatter"]
    assert np.array_equal(unpack(mine["x"]), unpack(held["x"])[::-1])


def test_the_umap_of_cells_follows_the_leaves():
    anndata = pytest.importorskip("anndata")
    cells = anndata.AnnData(np.eye(4, dtype=np.float32))
    cells.obs_names, cells.obsm["X_umap"] = list("dcba"), np.array([[0.0, 9], [1, 9], [2, 9], [4, 9]])
    held = gathered(TREE, cells, embedding=umap_of(cells, TREE))["scatter"]
    assert unpack(held["x"]).tolist() == [65535, 32768, 16384, 0] and held["titles"] == ["UMAP 1", "UMAP 2"]


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

"""Cells: nested labels, linkage, embedding and dendrogram, before and after a file."""

from __future__ import annotations

from itertools import pairwise

import anndata
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.cluster.hierarchy import is_valid_linkage
from sklearn.metrics import normalized_mutual_info_score

import hypcse
from hypcse.cells import hierarchy

SCANPY = {
    "linkage",
    "groupby",
    "use_rep",
    "cor_method",
    "linkage_method",
    "categories_ordered",
    "categories_idx_ordered",
    "dendrogram_info",
    "correlation_matrix",
}


@pytest.fixture(autouse=True)
def _plain_strings():
    """anndata 0.12 writes no string of pandas 3, be it a cell's name."""
    with pd.option_context("future.infer_string", False):
        yield


@pytest.fixture
def adata():
    """Four groups of cells, two near each other, two apart."""
    rng = np.random.default_rng(0)
    centers = np.array([[0, 0, 0], [2, 0, 0], [9, 0, 0], [0, 9, 0]])
    X = np.repeat(centers, (30, 25, 20, 15), axis=0) + rng.normal(0, 0.3, (90, 3))
    result = anndata.AnnData(X, obs=pd.DataFrame(index=[f"cell-{k}" for k in range(90)]))
    result.obsm["X_pca"] = X[:, :2].astype(np.float32)
    return result


def with_connectivities(adata):
    """A graph of neighbors like that of scanpy: sparse, in single precision, not quite symmetric."""
    W = hypcse.similarity_graph(adata.X, bandwidth="median", scale="none").without_loops().to_scipy()
    adata.obsp["connectivities"] = sparse.csr_matrix(W.astype(np.float32))
    return adata


def check(adata, tree, key="hypcse"):
    """What must hold of all fields, however they were made."""
    n_levels = adata.uns[key]["levels"].size
    columns = [f"{key}_{number}" for number in range(1, n_levels + 1)]
    main = adata.uns[key]["main_level"]
    assert adata.obs[key].tolist() == adata.obs[f"{key}_{main}"].tolist()
    for coarse, fine in pairwise(columns):
        assert adata.obs.groupby(fine, observed=True)[coarse].nunique().max() == 1
        assert adata.obs[fine].nunique() > adata.obs[coarse].nunique()
    for column, number in zip(columns, adata.uns[key]["levels"], strict=True):
        counts = adata.obs[column].value_counts(sort=False)
        assert list(adata.obs[column].cat.categories) == [str(k) for k in range(number)]
        assert counts.is_monotonic_decreasing and counts.min() > 0
    assert is_valid_linkage(adata.uns[key]["linkage"])
    assert tree == hypcse.Tree.from_linkage(adata.uns[key]["linkage"], list(adata.obs_names))
    embedding = adata.obsm[f"X_{key}"]
    assert embedding.shape[0] == adata.n_obs and (np.linalg.norm(embedding, axis=1) < 1).all()


def check_dendrogram(adata, key="hypcse"):
    """The tree over the groups, in the order and with the keys that scanpy's plots read."""
    held = adata.uns[f"dendrogram_{key}"]
    assert set(held) == SCANPY and list(held["groupby"]) == [key]
    names = adata.obs[key].cat.categories
    assert sorted(held["categories_ordered"]) == sorted(names)
    assert list(names[np.asarray(held["categories_idx_ordered"])]) == list(held["categories_ordered"])
    info = held["dendrogram_info"]
    assert list(info["ivl"]) == list(held["categories_ordered"])
    assert np.shape(info["icoord"]) == np.shape(info["dcoord"]) == (len(names) - 1, 4)
    # Groups that meet lower in the tree over cells do so in the tree over groups.
    cells = hypcse.Tree.from_linkage(adata.uns[key]["linkage"])
    groups = hypcse.Tree.from_linkage(held["linkage"])
    one = [int(np.argmax(adata.obs[key] == name)) for name in names]
    for a in range(len(one)):
        for b in range(a):
            assert groups.height[groups.lca(a, b)] == pytest.approx(cells.height[cells.lca(one[a], one[b])])


@pytest.mark.parametrize("resolutions", [None, 2, [2, 4, 7], [4]])
def test_fields_survive_a_file(adata, tmp_path, resolutions):
    tree = hierarchy(with_connectivities(adata), resolutions=resolutions)
    assert adata.uns["hypcse"]["params"]["use"] == "connectivities"
    check(adata, tree)
    check_dendrogram(adata)
    adata.write_h5ad(tmp_path / "cells.h5ad")
    read = anndata.read_h5ad(tmp_path / "cells.h5ad")
    check(read, tree)
    check_dendrogram(read)
    assert (read.uns["hypcse"]["linkage"] == adata.uns["hypcse"]["linkage"]).all()
    assert read.uns["hypcse"]["params"]["method"] == "search"


def test_numbers_of_clusters_are_met(adata):
    hierarchy(adata, resolutions=[8, 2, 4])
    assert adata.uns["hypcse"]["params"]["use"] == "X_pca"
    assert adata.uns["hypcse"]["levels"].tolist() == [2, 4, 8]
    assert [adata.obs[f"hypcse_{k}"].nunique() for k in (1, 2, 3)] == [2, 4, 8]


def test_cells_of_different_kinds_are_kept_apart(adata):
    hierarchy(adata)
    adata.obs["kind"] = np.repeat([0, 1, 2, 3], (30, 25, 20, 15))
    finest = f"hypcse_{adata.uns['hypcse']['levels'].size}"
    assert adata.obs.groupby(finest, observed=True)["kind"].nunique().max() == 1


@pytest.mark.parametrize("use", ["X", "X_pca", "connectivities"])
def test_the_trained_estimator(adata, use, monkeypatch):
    monkeypatch.setattr("hypcse.neural.training.config.AUTO_LIMITS", (2, 2))
    tree = hierarchy(with_connectivities(adata), use=use, method="hypcse", resolutions=[2, 4], key_added="tree")
    check(adata, tree, "tree")
    check_dendrogram(adata, "tree")


def test_a_second_call_leaves_nothing_of_the_first(adata):
    hierarchy(adata, resolutions=[2, 3, 4, 5])
    hierarchy(adata, resolutions=[1])
    assert [name for name in adata.obs if name.startswith("hypcse")] == ["hypcse", "hypcse_1"]
    assert "dendrogram_hypcse" not in adata.uns


def test_sparse_counts_and_same_seed_same_answer(adata):
    adata.X = sparse.csr_matrix(np.abs(adata.X))
    first = hierarchy(adata, use="X")
    assert first == hierarchy(adata, use="X")


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"use": "X_umap"}, "Choose one of 'auto', 'X', 'X_pca'"),
        ({"method": "leiden"}, "Choose one of 'search', 'hypcse'"),
        ({"resolutions": []}, "at least one number"),
        ({"resolutions": [91]}, "between 1 and 90"),
        ({"random_state": -1}, "integer of at least 0"),
    ],
)
def test_errors_name_the_way_out(adata, options, text):
    before = list(adata.obs)
    with pytest.raises(ValueError, match=text):
        hierarchy(adata, **options)
    assert list(adata.obs) == before and not adata.uns


def test_a_table_is_no_anndata():
    with pytest.raises(TypeError, match="got ndarray"):
        hierarchy(np.zeros((3, 2)))


def nested_cells(seed=0):
    """3 lineages of 3 types of 2 subtypes each, far enough apart that no neighbor is of another subtype."""
    rng = np.random.default_rng(seed)
    lineages = rng.normal(size=(3, 30)) * 12
    types = np.repeat(lineages, 3, axis=0) + rng.normal(size=(9, 30)) * 4
    subtypes = np.repeat(types, 2, axis=0) + rng.normal(size=(18, 30)) * 1.5
    y = rng.integers(18, size=1200)
    X = subtypes[y] + rng.normal(size=(y.size, 30)) * 0.4
    created = anndata.AnnData(X, obs=pd.DataFrame(index=[f"cell {k}" for k in range(y.size)]))
    created.obsm["X_pca"] = X
    return created, y


@pytest.mark.parametrize("graph_given", [False, True])
def test_lineages_types_and_subtypes_are_levels(graph_given):
    """The neighbor graph has 18 components, and nothing in it says which of them belong together."""
    created, y = nested_cells()
    if graph_given:
        with_connectivities(created)
    hierarchy(created)
    levels = [created.obs[f"hypcse_{k}"] for k in range(1, created.uns["hypcse"]["levels"].size + 1)]
    for planted in (y // 6, y // 2, y):
        assert max(normalized_mutual_info_score(planted, result) for result in levels) > 0.99


def test_a_graph_alone_warns_that_components_have_no_order():
    created, _ = nested_cells()
    with_connectivities(created)
    del created.obsm["X_pca"]
    with pytest.warns(hypcse.HypcseWarning, match="18 components"):
        hierarchy(created)


def test_a_number_of_levels_may_be_numpys(adata):
    assert hierarchy(adata, resolutions=np.int64(2)) == hierarchy(adata, resolutions=2)
    assert len(adata.uns["hypcse"]["levels"]) == 2


def test_outliers_are_the_last_category():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(40, 4)), rng.normal(12, 1, size=(40, 4)), [[90.0, -90, 90, -90]]])
    cells = anndata.AnnData(X)
    hierarchy(cells, mark_outliers=True)
    groups = cells.obs["hypcse"]
    assert groups.cat.categories[-1] == "outliers" and groups.iloc[-1] == "outliers"
    assert (groups == "outliers").sum() < 5 and "outliers" not in cells.obs["hypcse_1"].cat.categories

"""Scanpy's own neighbors, made by the real package, and the guide that starts from them."""

from __future__ import annotations

import warnings

import anndata
import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import normalized_mutual_info_score

import hypcse
from doc_code import run_page
from hypcse.points.cells import points_of_cells

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    sc = pytest.importorskip("scanpy", reason="scanpy is not installed")


@pytest.fixture(autouse=True)
def _plain_strings():
    """anndata 0.12 writes no string of pandas 3, be it a cell's name."""
    with pd.option_context("future.infer_string", False):
        yield


@pytest.fixture
def adata():
    """Three groups of cells with 60 genes."""
    rng = np.random.default_rng(0)
    kind = rng.integers(3, size=150)
    created = anndata.AnnData(rng.normal(size=(3, 60))[kind] * 3 + rng.normal(size=(150, 60)))
    created.obs["kind"] = kind
    created.obsm["X_pca"] = sc.pp.pca(created.X, n_comps=10)
    return created


@pytest.mark.parametrize("key", [None, "mine"])
def test_a_graph_of_scanpys_is_used(adata, key):
    sc.pp.neighbors(adata, n_neighbors=12, key_added=key)
    used = "connectivities" if key is None else "mine_connectivities"
    tree = hypcse.cells.hierarchy(adata, neighbors_key=key)
    assert adata.uns["hypcse"]["params"]["use"] == used and tree.n_leaves == 150
    assert adata.uns["hypcse"]["params"]["n_edges"] == hypcse.Graph.from_scipy(adata.obsp[used]).n_edges
    assert normalized_mutual_info_score(adata.obs["kind"], adata.obs["hypcse"]) > 0.999


@pytest.mark.parametrize(
    ("options", "behind"),
    [
        ({}, "X_pca"),
        ({"n_pcs": 4}, 4),
        ({"use_rep": "X"}, "X"),
        ({"n_pcs": 0}, "X"),
        ({"use_rep": "X_pca", "n_pcs": 3}, 3),
        ({"use_rep": "X_other", "n_pcs": 2}, "other"),
    ],
)
def test_what_the_graph_was_made_of_is_found(adata, options, behind):
    adata.obsm["X_other"] = np.asarray(adata.X)[:, :5]
    sc.pp.neighbors(adata, n_neighbors=5, **options)
    points, _ = points_of_cells(adata)
    pca = adata.obsm["X_pca"]
    wanted = {"X_pca": pca, "X": adata.X, "other": adata.X[:, :2]}.get(
        behind, pca[:, :behind] if behind in (3, 4) else None
    )
    assert np.array_equal(points.features, wanted)


def test_few_genes_are_compared_as_they_are(adata):
    """scanpy does so up to 50 genes, whether there are principal components or not."""
    few = adata[:, :20].copy()
    sc.pp.neighbors(few, n_neighbors=5)
    assert np.array_equal(points_of_cells(few)[0].features, few.X)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"neighbors_key": "none"}, r"names no graph of neighbors in uns\. Choose one of 'neighbors'"),
        ({"neighbors_key": "neighbors", "use": "X"}, "exclude each other"),
    ],
)
def test_errors_name_the_way_out(adata, options, text):
    sc.pp.neighbors(adata, n_neighbors=5)
    with pytest.raises(ValueError, match=text):
        hypcse.cells.hierarchy(adata, **options)
    with pytest.raises(ValueError, match="Call scanpy.pp.neighbors first"):
        hypcse.cells.hierarchy(anndata.AnnData(adata.X), neighbors_key="neighbors")


def test_the_guide_finds_the_cells_of_blood(tmp_path, monkeypatch):
    """B cells, monocytes and stem cells are groups of their own, and their known genes mark them."""
    monkeypatch.chdir(tmp_path)
    result = run_page("guides/cells.md")
    adata, markers = result["adata"], result["markers"]
    levels = [adata.obs[f"hypcse_{k}"] for k in range(1, 6)]
    assert max(normalized_mutual_info_score(adata.obs["bulk_labels"], level) for level in levels) > 0.65
    assert {"CD3D", "CD79A", "FCGR3A"} <= set(markers["gene"])
    read = anndata.read_h5ad(tmp_path / "cells.h5ad")
    assert hypcse.cells.tree(read) == result["tree"] and len(read.uns["hypcse"]["markers"]) == len(markers)
    page = (tmp_path / "cells.html").read_text()
    assert all(name in page for name in result["names"].values())

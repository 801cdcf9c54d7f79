"""Markers of groups of cells: SciPy's Welch test gene by gene, and what a file keeps of them."""

from __future__ import annotations

import anndata
import numpy as np
import pandas as pd
import pytest
from scipy import sparse, stats

import hypcse
from hypcse.cells import find_markers, hierarchy, name_nodes


@pytest.fixture(autouse=True)
def _plain_strings():
    """anndata 0.12 writes no string of pandas 3, be it a cell's name."""
    with pd.option_context("future.infer_string", False):
        yield


@pytest.fixture
def adata():
    """Four groups of cells in two pairs, a gene for each, and genes that are alike everywhere."""
    rng = np.random.default_rng(0)
    kind = np.repeat([0, 1, 2, 3], (40, 35, 30, 25))
    X = np.abs(rng.normal(0, 0.4, (kind.size, 8))) * (rng.random((kind.size, 8)) < 0.7)
    X[:, 0] += 9 * (kind < 2)
    for gene in range(4):
        X[:, gene + 1] += 3 * (kind == gene)
    created = anndata.AnnData(X, obs=pd.DataFrame(index=[f"cell-{k}" for k in range(kind.size)]))
    created.var_names = [f"gene-{k}" for k in range(8)]
    created.obs["kind"] = kind
    hierarchy(created, resolutions=[2, 4], use="X")
    return created


def siblings_of(adata, level, group):
    """Cells of a group, and the other cells of the group that it lies in."""
    inside = (adata.obs[f"hypcse_{level}"] == group).to_numpy()
    above = np.ones(adata.n_obs, bool)
    if level > 1:
        above = (adata.obs["hypcse_1"] == adata.obs["hypcse_1"][inside].iloc[0]).to_numpy()
    return inside, above & ~inside


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix, sparse.csc_array])
def test_every_number_is_scipys(adata, form):
    dense = np.asarray(adata.X)
    adata.X = form(dense)
    result = find_markers(adata, n_genes=8)
    assert result["level"].unique().tolist() == [1, 2] and len(result.groupby(["level", "group"])) == 6
    for row in result.itertuples():
        inside, others = siblings_of(adata, row.level, row.group)
        a, b = dense[inside][:, int(row.gene[5:])], dense[others][:, int(row.gene[5:])]
        wanted = stats.ttest_ind(a, b, equal_var=False)
        assert (row.t, row.p_value) == pytest.approx((wanted.statistic, wanted.pvalue), rel=1e-6, abs=1e-12)
        assert row.p_adjusted == pytest.approx(min(1, wanted.pvalue * 8 * 6), rel=1e-6, abs=1e-12)
        pooled = ((a.size - 1) * a.var(ddof=1) + (b.size - 1) * b.var(ddof=1)) / (a.size + b.size - 2)
        assert row.effect == pytest.approx(row.difference / np.sqrt(pooled))
        assert row.difference == pytest.approx(a.mean() - b.mean())
        assert (row.n_cells, row.n_siblings) == (a.size, b.size)
        assert (row.share, row.share_siblings) == pytest.approx(((a > 0).mean(), (b > 0).mean()))
    for _, rows in result.groupby("node"):
        assert rows["t"].is_monotonic_decreasing and (rows["t"] > 0).all()


def test_planted_genes_lead(adata):
    result = find_markers(adata, n_genes=1).set_index(["level", "group"])
    for (level, group), gene in result["gene"].items():
        kinds = set(adata.obs["kind"][adata.obs[f"hypcse_{level}"] == group])
        assert gene in (
            {"gene-0"} if kinds == {0, 1} else {"gene-3", "gene-4"} if level == 1 else {f"gene-{min(kinds) + 1}"}
        )


def test_tree_markers_and_names_survive_a_file(adata, tmp_path):
    result = find_markers(adata)
    adata.write_h5ad(tmp_path / "cells.h5ad")
    read = anndata.read_h5ad(tmp_path / "cells.h5ad")
    stored = read.uns["hypcse"]["markers"]
    assert list(stored.columns) == list(result.columns)
    for name in result:
        assert stored[name].tolist() == result[name].tolist()
    whole = hypcse.cells.tree(read)
    assert whole == hypcse.cells.tree(adata) and whole.names[0] == "cell-0"
    names = name_nodes(read, n_genes=2)
    assert names == name_nodes(adata, n_genes=2) and len(names) == 6
    for node, group in result.drop_duplicates("node").set_index("node")[["level", "group"]].iterrows():
        inside, _ = siblings_of(adata, group["level"], group["group"])
        assert whole.leaves(node).tolist() == np.flatnonzero(inside).tolist()
        assert names[node].split(", ") == result[result["node"] == node]["gene"].tolist()[:2]


def test_many_groups_are_taken_in_parts(adata, monkeypatch):
    whole = find_markers(adata)
    monkeypatch.setattr("hypcse.cells.markers.BLOCK", 1)
    pd.testing.assert_frame_equal(find_markers(adata), whole)


def test_renamed_groups_keep_their_names(adata):
    adata.obs["hypcse_1"] = adata.obs["hypcse_1"].cat.rename_categories({"0": "blood", "1": "skin"})
    markers = find_markers(adata)
    assert set(markers["group"][markers["level"] == 1]) == {"blood", "skin"}


def test_a_gene_that_never_varies_within_is_the_best(adata):
    adata.X[:, 7] = adata.obs["hypcse_1"] == "0"
    best = find_markers(adata, n_genes=1).iloc[0]
    assert best["gene"] == "gene-7" and best["t"] == np.inf and best["p_value"] == 0


def test_small_groups_have_no_markers(adata):
    result = find_markers(adata, min_cells=60)
    assert set(result["level"]) == {1} and (result["n_cells"] >= 60).all()
    assert find_markers(adata, min_cells=1000).empty


def test_counts_are_told_from_logarithms(adata):
    adata.layers["counts"] = np.round(adata.X)
    with pytest.warns(hypcse.HypcseWarning, match="look like counts"):
        find_markers(adata, layer="counts")


def test_logarithms_are_found_behind_scaled_values(adata):
    """With `raw`, scaled values change nothing, and its genes are the ones tested; without it, they are told."""
    expected = find_markers(adata)
    adata.layers["logs"] = adata.X.copy()
    adata.raw = adata
    adata.X = (adata.X - adata.X.mean(axis=0)) / adata.X.std(axis=0)
    pd.testing.assert_frame_equal(find_markers(adata), expected)
    pd.testing.assert_frame_equal(find_markers(adata[:, :3].copy()), expected)
    del adata.raw
    with pytest.warns(hypcse.HypcseWarning, match=r"look scaled: some are negative.*adata\.raw"):
        find_markers(adata)
    pd.testing.assert_frame_equal(find_markers(adata, layer="logs"), expected)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"key": "leiden"}, "no hierarchy called 'leiden'"),
        ({"layer": "logs"}, "layer='logs' is not in layers"),
        ({"n_genes": 0}, "n_genes=0"),
        ({"min_cells": 1}, "min_cells=1"),
    ],
)
def test_errors_name_the_way_out(adata, options, text):
    with pytest.raises(ValueError, match=text):
        find_markers(adata, **options)


def test_what_does_not_belong_to_these_cells_is_refused(adata):
    with pytest.raises(ValueError, match="has no markers"):
        name_nodes(adata)
    with pytest.raises(ValueError, match="is about 130 cells, not 50"):
        hypcse.cells.tree(adata[:50])
    del adata.obs["hypcse_1"]
    with pytest.raises(ValueError, match="no column 'hypcse_1'"):
        find_markers(adata)


@pytest.mark.parametrize("value", [0.1, 1e6, -0.3])
@pytest.mark.filterwarnings("ignore:the values look scaled")
def test_a_gene_that_is_the_same_everywhere_marks_nothing(adata, value):
    adata.X[:, 7] = value
    result = find_markers(adata, n_genes=8)
    assert "gene-7" not in set(result["gene"]) and np.isfinite(result["effect"]).all()


def test_reordered_cells_are_refused(adata, tmp_path):
    turned = adata[::-1].copy()
    turned.write_h5ad(tmp_path / "turned.h5ad")
    for cells in (turned, anndata.read_h5ad(tmp_path / "turned.h5ad")):
        with pytest.raises(ValueError, match=r"reordered or renamed.*Call hierarchy\(adata\) again"):
            hypcse.cells.tree(cells)
        with pytest.raises(ValueError, match="reordered or renamed"):
            find_markers(cells)
    assert hypcse.cells.tree(turned[::-1].copy()) == hypcse.cells.tree(adata)


def test_a_hierarchy_without_a_digest_is_read(adata):
    whole = hypcse.cells.tree(adata)
    del adata.uns["hypcse"]["cells"]
    assert hypcse.cells.tree(adata) == whole

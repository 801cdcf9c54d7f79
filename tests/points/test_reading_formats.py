"""Workbooks, Parquet, NumPy, Matrix Market, cells and edges; and files that are damaged."""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.io import mmwrite

import hypcse
from hypcse.points.columns import Columns
from hypcse.points.reading import read_points

HEAD = "%%MatrixMarket matrix "
TABLE = {"id": ["a", "b", "c"], "x": [1.0, None, 3.0], "k": [1, 2, 3], "kind": ["u", None, "u"]}


def test_the_command_passes_one_value(tmp_path):
    (tmp_path / "table.csv").write_text("a,b\n1,x\n2,y\n")
    points = read_points(str(tmp_path / "table.csv"), Columns(label="b"))
    assert points.labels.tolist() == ["x", "y"]
    assert Columns(label="b", header=True).options() == {"label": "--label-column", "header": "--header"}


@pytest.mark.parametrize("name", ["table.parquet", "table.xlsx"])
def test_workbooks_and_parquet(tmp_path, name):
    frame = pd.DataFrame(TABLE)
    path = tmp_path / name
    if name == "table.xlsx":
        pytest.importorskip("openpyxl")
        frame.to_excel(path, index=False)
    else:
        pytest.importorskip("pyarrow")
        frame.to_parquet(path)
    points = hypcse.read(path, label_column="kind", id_column="id", impute="median")
    assert points.features.tolist() == [[1, 1], [2, 2], [3, 3]]
    assert (points.names, points.labels.tolist()) == (("a", "b", "c"), ["u", None, "u"])
    assert points.feature_names == ("x", "k")
    with pytest.raises(ValueError, match="missing numbers: column 'x' 1"):
        hypcse.read(path, label_column="kind", id_column="id", strict=True)
    path.write_bytes(path.read_bytes()[:50])
    with pytest.raises(ValueError, match=f"{name} is damaged or not a"):
        hypcse.read(path)


def test_sheets(tmp_path):
    pytest.importorskip("openpyxl")
    path = tmp_path / "book.xlsx"
    with pd.ExcelWriter(path) as writer:
        pd.DataFrame({"a": [1, 2], "when": pd.to_datetime(["1970-01-02", "1970-01-03"])}).to_excel(
            writer, sheet_name="first", index=False, startrow=2
        )
        pd.DataFrame([["1,5", 7], ["n/a", 8], ["2,5", 8]]).to_excel(
            writer, sheet_name="second", index=False, header=False
        )
    points = hypcse.read(path, dates="number")
    assert points.features.tolist() == [[1, 1], [2, 2]]
    assert "sheet 'first' of 2" in points.notes
    for sheet in ("second", 2):
        points = hypcse.read(path, sheet=sheet, impute="median")
        assert points.features.tolist() == [[1.5, 7], [2, 8], [2.5, 8]]
        assert points.feature_names is None
    with pytest.raises(ValueError, match=r"book.xlsx has no sheet 'third'; its sheets are first, second"):
        hypcse.read(path, sheet="third")


def test_the_index_in_parquet_names_the_rows(tmp_path):
    pytest.importorskip("pyarrow")
    pd.DataFrame({"a": [1, 2]}, index=["u", "v"]).to_parquet(tmp_path / "table.parquet")
    points = hypcse.read(tmp_path / "table.parquet")
    assert (points.names, points.features.tolist()) == (("u", "v"), [[1], [2]])


@pytest.mark.parametrize(("library", "name"), [("pyarrow", "a.parquet"), ("openpyxl", "a.xlsx"), ("anndata", "a.h5ad")])
def test_a_missing_library_is_named(read, monkeypatch, library, name):
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(ImportError, match=rf'needs {library}: pip install "hypcse\[(tables|cells)\]"'):
        read("a", name)


def test_arrays(tmp_path):
    np.save(tmp_path / "points.npy", np.eye(3))
    assert hypcse.read(tmp_path / "points.npy").features.tolist() == np.eye(3).tolist()
    np.savez(tmp_path / "points.npz", X=np.eye(3), y=[0, 1, 1])
    points = hypcse.read(tmp_path / "points.npz")
    assert (points.features.shape, points.labels.tolist()) == ((3, 3), [0, 1, 1])
    for options in ({"id_column": "foo"}, {"label_column": "foo"}, {"header": False}):
        with pytest.raises(ValueError, match="points.npy has no named columns"):
            hypcse.read(tmp_path / "points.npy", **options)


def test_arrays_that_are_no_points(tmp_path):
    for shape in ((), (3,), (2, 2, 2)):
        np.save(tmp_path / "points.npy", np.zeros(shape))
        np.savez(tmp_path / "points.npz", X=np.zeros(shape))
        for name in ("points.npy", "points.npz"):
            with pytest.raises(ValueError, match="points are a matrix"):
                hypcse.read(tmp_path / name)
    np.savez(tmp_path / "points.npz", X=np.eye(3), y=5)
    with pytest.raises(ValueError, match="labels of shape"):
        hypcse.read(tmp_path / "points.npz")
    np.savez(tmp_path / "points.npz", Y=np.eye(3))
    with pytest.raises(ValueError, match="with an array X"):
        hypcse.read(tmp_path / "points.npz")
    for content in (np.array([["a"]]), np.array([[None]], object), np.array([[1j]]), np.array([[np.nan]])):
        np.save(tmp_path / "points.npy", content, allow_pickle=True)
        with pytest.raises(ValueError, match=r"points\.npy is damaged or not"):
            hypcse.read(tmp_path / "points.npy")


def test_matrix_market(tmp_path):
    W = sparse.coo_array(np.array([[0, 1, 0], [1, 0, 2], [0, 2, 0.0]]))
    mmwrite(tmp_path / "graph.mtx", W)
    assert hypcse.read(tmp_path / "graph.mtx").graph.n_edges == 2
    mmwrite(tmp_path / "table.mtx", np.arange(6.0).reshape(3, 2))
    assert hypcse.read(tmp_path / "table.mtx").features.tolist() == [[0, 1], [2, 3], [4, 5]]
    mmwrite(tmp_path / "square.mtx", sparse.coo_array(np.array([[0, 1.0], [3, 0]])))
    assert hypcse.read(tmp_path / "square.mtx").table.tolist() == [[0, 1], [3, 0]]
    (tmp_path / "bad.mtx").write_text("hello\n")
    with pytest.raises(ValueError, match="damaged or not a Matrix Market file"):
        hypcse.read(tmp_path / "bad.mtx")


@pytest.mark.parametrize("sides", ["2000000000 2000000000", "200000000000 3", "3 200000000000"])
def test_claims_are_held_against_memory(read, monkeypatch, sides):
    monkeypatch.setattr("hypcse._memory.available_bytes", lambda: 16 * 2**30)
    with pytest.raises(MemoryError, match=r"table\.mtx: a matrix of .* but 16\.0 GiB are free. Leave out rows"):
        read(f"{HEAD}coordinate real general\n{sides} 1\n2 1 1\n", "table.mtx")


@pytest.mark.parametrize("kind", ["general", "hermitian"])
def test_complex_numbers_are_refused(read, kind):
    with pytest.raises(ValueError, match=r"table\.mtx holds complex numbers"):
        read(f"{HEAD}coordinate complex {kind}\n2 2 1\n2 1 1 5\n", "table.mtx")


def test_nothing_in_it_and_wrong_values(read):
    with pytest.raises(ValueError, match=r"table\.mtx is a matrix of 0 x 3"):
        read(f"{HEAD}coordinate real general\n0 3 0\n", "table.mtx")
    with pytest.raises(ValueError, match=r"table\.mtx: values of X are not finite"):
        read(f"{HEAD}array real general\n2 1\nnan\n1\n", "table.mtx")


def test_ways_to_write_a_header(read):
    """Comments, blank lines, ends of lines of other systems, any case; and no end of the last line."""
    text = "%%MatrixMarket Matrix Coordinate Pattern Symmetric\r\n% of somebody\r\n\r\n3 3 2\r\n2 1\r\n3 2"
    assert read(text, "graph.mtx").graph.n_edges == 2


def test_cells(tmp_path):
    anndata = pytest.importorskip("anndata")
    # Plain objects: not every version of anndata writes pandas' newer texts.
    obs = pd.DataFrame({"kind": pd.Categorical(["u", "v", None])}, index=pd.Index(["x", "y", "z"], dtype=object))
    obs["kind"] = obs["kind"].cat.rename_categories(pd.Index(["u", "v"], dtype=object))
    var = pd.DataFrame(index=pd.Index(["a", "b"], dtype=object))
    cells = anndata.AnnData(np.arange(6.0).reshape(3, 2), obs, var)
    path = tmp_path / "cells.h5ad"
    cells.write_h5ad(path)
    points = hypcse.read(path, label_column="kind")
    assert points.features.tolist() == [[0, 1], [2, 3], [4, 5]]
    assert (points.names, points.labels.tolist()) == (("x", "y", "z"), ["u", "v", None])
    assert points.one_scale
    cells.obsp["connectivities"] = sparse.csr_matrix(np.array([[0, 1, 0], [1, 0, 2], [0, 2, 0.0]]))
    cells.write_h5ad(path)
    points = hypcse.read(path)
    assert points.graph.n_edges == 2
    assert points.notes == ("3 cells; connectivities is used",)
    with pytest.raises(ValueError, match="no observation 'sort'; it has kind"):
        hypcse.read(path, label_column="sort")
    with pytest.raises(ValueError, match="label_column is the only column option"):
        hypcse.read(path, use=["a"])


@pytest.mark.parametrize(
    ("text", "name", "options"),
    [
        ("a,b,2\nb,c,0.5\n", "graph.csv", {"edges": True}),
        ("from,to,weight\na,b,2\nb,c,0.5\n", "graph.csv", {"edges": True}),
        ("a b 2\nb  c 0.5\n", "graph.edges", {}),
        ("a\tb\t2\nb\tc\t0.5\n", "graph.edgelist", {}),
        ("a;b;2\nb;c;0,5\n", "graph.csv", {"edges": True, "decimal": ","}),
    ],
)
def test_edges(read, text, name, options):
    points = read(text, name, **options)
    assert points.names == ("a", "b", "c")
    assert points.features is None
    i, j, w = points.graph.edges()
    assert list(zip(i.tolist(), j.tolist(), w.tolist(), strict=True)) == [(0, 1, 2.0), (1, 2, 0.5)]


def test_edges_of_a_data_frame():
    points = hypcse.read(pd.DataFrame({"from": [1, 2], "to": [2, 3]}), edges=True)
    assert (points.names, points.graph.n_edges) == (("1", "2", "3"), 2)


@pytest.mark.parametrize(
    ("text", "options", "told"),
    [
        ("a,b,c,d\n", {}, "4 cells per row"),
        ("a,b,1\nb,c,x\n", {}, "weight of edge 2 is 'x'"),
        ("a,b,1\nb,c,\n", {}, "weight of edge 2 is ''"),
        ("a,b,1\n,c,2\n", {}, "edge 2 has an empty end"),
        ("a,b,1\n", {"impute": "median"}, "no columns to choose. Omit impute"),
        ("from,to,weight\n", {}, "a header but no edges"),
        ("a,b,-1\n", {}, "table.csv: .*must not be negative"),
        ("a,b,1\nb,c\n", {}, "row 2 has 2 cells, row 1 has 3"),
    ],
)
def test_wrong_edges(read, text, options, told):
    with pytest.raises(ValueError, match=told):
        read(text, edges=True, **options)

"""Tables as people have them: texts, gaps, other delimiters, edges, Parquet and Matrix Market."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.io import mmwrite

from hypcse.cli.reading.columns import Columns
from hypcse.cli.reading.inputs import read_points


@pytest.fixture
def read(tmp_path):
    """Write a text to a file and read it as points."""

    def run(text, columns=None, name="table.csv"):
        (tmp_path / name).write_text(text, encoding="utf-8")
        return read_points(str(tmp_path / name), columns or Columns())

    return run


def test_gaps_are_refused_or_filled_aloud(read):
    text = "a,b\n1,2\n,4\nNA,9\n5,6\n"
    with pytest.raises(ValueError, match="column 'a', data row 2 is empty.* --impute median"):
        read(text)
    with pytest.raises(ValueError, match="holds 'NA'.* --impute median"):
        read(text.replace("\n,4", "\n3,4"))
    points = read(text, Columns(impute="median"))
    assert points.features.tolist() == [[1, 2], [3, 4], [3, 9], [5, 6]]
    assert len(points.notes) == 1 and "2 missing numbers filled with the median, 3" in points.notes[0]
    with pytest.raises(ValueError, match="column 'b' holds no number at all"):
        read("a,b\n1,\n2,?\n", Columns(impute="median"))
    with pytest.raises(ValueError, match="impute='mean'"):
        Columns(impute="mean")


def test_categories_become_columns_aloud(read):
    text = "size,colour\n1,red\n2,blue\n3,\n4,red\n"
    with pytest.raises(ValueError, match="holds 'red', which is no number.* --categorical"):
        read(text)
    points = read(text, Columns(categorical=("colour",)))
    assert points.titles == ("size", "colour=blue", "colour=red")
    assert points.features.tolist() == [[1, 0, 1], [2, 1, 0], [3, 0, 0], [4, 0, 1]]
    assert "2 categories" in points.notes[0]
    many = "a,b\n" + "".join(f"{k},text {k}\n" for k in range(101))
    with pytest.raises(ValueError, match="101 different texts.* Is it an id column"):
        read(many, Columns(categorical=("b",)))


def test_columns_to_use(read):
    points = read("a,b,c\n1,x,3\n4,y,6\n", Columns(use=("c", "1")))
    assert points.features.tolist() == [[3, 1], [6, 4]]
    assert points.titles == ("c", "a")


@pytest.mark.parametrize("mark", [";", "\t", "|"])
def test_other_delimiters(read, mark):
    text = "a,b\n1,2\n3,4\n".replace(",", mark)
    assert read(text).features.tolist() == [[1, 2], [3, 4]]


def test_a_decimal_comma_is_named(read):
    with pytest.raises(ValueError, match="holds '1,5', which is no number"):
        read("a;b\n1,5;2\n")


def test_ten_thousand_columns(read):
    points = read("\n".join(",".join(map(str, range(k, k + 10_000))) for k in range(3)))
    assert points.features.shape == (3, 10_000)


@pytest.mark.parametrize(
    ("text", "name", "columns"),
    [
        ("a,b,2\nb,c,0.5\n", "graph.csv", Columns(edges=True)),
        ("from,to,weight\na,b,2\nb,c,0.5\n", "graph.csv", Columns(edges=True)),
        ("a b 2\nb c 0.5\n", "graph.edges", Columns()),
        ("a\tb\t2\nb\tc\t0.5\n", "graph.edgelist", Columns()),
    ],
)
def test_edges(read, text, name, columns):
    points = read(text, columns, name)
    assert points.names == ("a", "b", "c")
    assert points.features is None
    i, j, w = points.graph.edges()
    assert list(zip(i.tolist(), j.tolist(), w.tolist(), strict=True)) == [(0, 1, 2.0), (1, 2, 0.5)]


@pytest.mark.parametrize(
    ("text", "columns", "told"),
    [
        ("a,b,c,d\n", Columns(edges=True), "4 cells a row"),
        ("a,b,1\nb,c,x\n", Columns(edges=True), "weight of edge 2 is 'x'"),
        ("a,b,1\n", Columns(edges=True, impute="median"), "no columns to choose"),
        ("from,to,weight\n", Columns(edges=True), "a header but no edges"),
        ("a,b,-1\n", Columns(edges=True), "must not be negative"),
    ],
)
def test_wrong_edges(read, text, columns, told):
    with pytest.raises(ValueError, match=told):
        read(text, columns)


def test_parquet(tmp_path):
    pa = pytest.importorskip("pyarrow")
    from pyarrow.parquet import write_table

    path = tmp_path / "points.parquet"
    table = {"id": ["a", "b", "c"], "x": [1.0, None, 3.0], "k": [1, 2, 3], "kind": ["u", "v", "u"]}
    write_table(pa.table(table), path)
    points = read_points(str(path), Columns(label="kind", id="id", impute="median"))
    assert points.features.tolist() == [[1, 1], [2, 2], [3, 3]]
    assert (points.names, points.labels.tolist(), points.titles) == (("a", "b", "c"), ["u", "v", "u"], ("x", "k"))
    with pytest.raises(ValueError, match="column 'x', data row 2 is empty"):
        read_points(str(path), Columns(label="kind", id="id"))
    path.write_bytes(path.read_bytes()[:50])
    with pytest.raises(ValueError, match="damaged or no Parquet file"):
        read_points(str(path), Columns())


def test_matrix_market(tmp_path):
    W = sparse.coo_array(np.array([[0, 1, 0], [1, 0, 2], [0, 2, 0.0]]))
    mmwrite(tmp_path / "graph.mtx", W)
    assert read_points(str(tmp_path / "graph.mtx"), Columns()).graph.n_edges == 2
    mmwrite(tmp_path / "table.mtx", np.arange(6.0).reshape(3, 2))
    assert read_points(str(tmp_path / "table.mtx"), Columns()).features.tolist() == [[0, 1], [2, 3], [4, 5]]
    (tmp_path / "bad.mtx").write_text("hello\n")
    with pytest.raises(ValueError, match="damaged or no Matrix Market file"):
        read_points(str(tmp_path / "bad.mtx"), Columns())


def test_cells(tmp_path):
    anndata = pytest.importorskip("anndata")
    # Plain objects: not every version of anndata writes pandas' newer texts.
    obs = pd.DataFrame({"kind": pd.Categorical(["u", "v", "u"])}, index=pd.Index(["x", "y", "z"], dtype=object))
    obs["kind"] = obs["kind"].cat.rename_categories(pd.Index(["u", "v"], dtype=object))
    var = pd.DataFrame(index=pd.Index(["a", "b"], dtype=object))
    cells = anndata.AnnData(np.arange(6.0).reshape(3, 2), obs, var)
    path = str(tmp_path / "cells.h5ad")
    cells.write_h5ad(path)
    points = read_points(path, Columns(label="kind"))
    assert points.features.tolist() == [[0, 1], [2, 3], [4, 5]]
    assert (points.names, points.labels.tolist()) == (("x", "y", "z"), ["u", "v", "u"])
    cells.obsp["connectivities"] = sparse.csr_matrix(np.array([[0, 1, 0], [1, 0, 2], [0, 2, 0.0]]))
    cells.write_h5ad(path)
    assert read_points(path, Columns()).graph.n_edges == 2
    with pytest.raises(ValueError, match="no observation 'sort'; it has kind"):
        read_points(path, Columns(label="sort"))

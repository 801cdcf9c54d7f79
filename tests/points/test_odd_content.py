"""Files whose parts are sound one by one but do not make sense: each is refused by name, in one line."""

from __future__ import annotations

import io
import zipfile

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import hypcse
from hypcse.points.formats import arrays as trial
from hypcse.points.formats.arrays import load_array
from hypcse.points.formats.damage import naming, reading


@pytest.mark.parametrize("context", [reading, naming])
def test_whatever_a_library_raises_names_the_file(tmp_path, context):
    path = tmp_path / "x"

    class OddError(Exception):
        pass

    for error in (
        OddError("odd"),
        RuntimeError(),
        KeyError("obs"),
        AttributeError("a\nb"),
        OSError("bad"),
        SystemError(),
    ):
        with (
            pytest.raises(ValueError, match=r"x is damaged or not a thing: .*\. Write it again") as told,
            context(path, "a thing"),
        ):
            raise error
        assert "\n" not in str(told.value) and told.value.__cause__ is error
    for error in (KeyboardInterrupt(), SystemExit(3), ImportError("pip install x"), FileNotFoundError(2, "no", "y")):
        with pytest.raises(type(error)) as told, context(path, "a thing"):
            raise error
        assert told.value is error
    with pytest.raises(MemoryError, match="x: .*memory") as told, context(path, "a thing"):
        raise MemoryError
    assert "damaged" not in str(told.value)


def test_our_own_words_are_not_called_damage(tmp_path):
    for error in (ValueError, TypeError):
        with pytest.raises(error, match=r"x: two points are called 'a'$"), naming(tmp_path / "x", "a thing"):
            raise error("two points are called 'a'")


def test_members_of_an_archive_that_are_no_arrays(tmp_path):
    whole = io.BytesIO()
    np.save(whole, np.eye(3))
    for members in ({"X": b"text"}, {"X.npy": whole.getvalue(), "y": b""}, {"X.npy": b""}):
        with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
            for name, content in members.items():
                archive.writestr(name, content)
        with pytest.raises(ValueError, match=r"a\.npz"):
            hypcse.read(tmp_path / "a.npz")


def test_texts_that_are_no_characters(tmp_path):
    """NumPy reads any four bytes as a character, and fails when one is looked at."""
    labels = np.frombuffer(b"\xff\xff\xff\x7f" * 3, "<U1")
    np.save(tmp_path / "labels.npy", labels)
    with pytest.raises(ValueError, match=r"labels\.npy is damaged or not a plain NumPy file"):
        load_array(tmp_path / "labels.npy")
    np.savez(tmp_path / "a.npz", X=np.eye(3), y=labels)
    with pytest.raises(ValueError, match=r"a\.npz is damaged or not a plain NumPy file"):
        hypcse.read(tmp_path / "a.npz")


@pytest.mark.parametrize("unit", ["s", "ms", "us"])
@pytest.mark.parametrize("zone", [None, "UTC", "Europe/Berlin"])
def test_dates_out_of_range(tmp_path, unit, zone):
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "dates.parquet"
    for number in (2**52, -(2**52)) if unit == "s" else (2**62, -(2**62)):
        column = pa.array([0, number, 1], pa.int64()).cast(pa.timestamp(unit, zone))
        parquet.write_table(pa.table({"when": column, "x": [1.0, 2.5, 3.0]}), path)
        for options in ({}, {"dates": "number"}, {"label_column": "when"}, {"categorical": ["when"]}, {"edges": True}):
            with pytest.raises(ValueError, match=r"dates\.parquet: column 'when', data row 2 .* --drop when"):
                hypcse.read(path, **options)
        assert hypcse.read(path, drop=["when"]).features.tolist() == [[1], [2.5], [3]]
        assert hypcse.read(path, use=["x"]).n_points == 3


def test_dates_beyond_nanoseconds_are_numbers():
    when = pd.Series(np.array(["0100-01-01", "1970-01-02", "5138-11-16"], "M8[s]"))
    frame = pd.DataFrame({"when": when, "x": [3.0, 1.0, 2.0]})
    days = when.to_numpy().astype("M8[D]").astype(float)
    assert hypcse.read(frame, dates="number").features[:, 0].tolist() == days.tolist()


@pytest.mark.parametrize("kind", ["frame", "object", "numpy", "zone", "period", "csv", "parquet", "xlsx"])
def test_a_missing_date_is_a_missing_number(tmp_path, kind):
    """In every form that dates have, and never the number that NaT is stored as."""
    when = pd.Series(pd.to_datetime(["2024-01-03", None, "2024-01-01"]))
    forms = {
        "object": when.astype(object),
        "numpy": pd.Series(list(when.to_numpy()), dtype=object),
        "zone": when.dt.tz_localize("UTC"),
        "period": when.dt.to_period("D"),
    }
    frame, source = pd.DataFrame({"when": forms.get(kind, when), "x": [1.5, 2, 3]}), tmp_path / f"t.{kind}"
    if kind == "csv":
        frame.to_csv(source, index=False, na_rep="NaT")
    elif kind == "parquet":
        pytest.importorskip("pyarrow")
        frame.to_parquet(source)
    elif kind == "xlsx":
        pytest.importorskip("openpyxl")
        frame.to_excel(source, index=False)
    else:
        source = frame
    with pytest.raises(ValueError, match=r"missing numbers: column 'when' 1 \(first in data row 2\)"):
        hypcse.read(source, dates="number")
    assert hypcse.read(source, dates="number", impute="median").features[:, 0].tolist() == [19725, 19724, 19723]


@pytest.mark.parametrize("dtype", ["M8[ns]", "M8[s]", "m8[us]"])
def test_a_missing_date_of_an_array_is_refused(tmp_path, dtype):
    X = np.array([[1], [2], [3]]).astype(dtype)
    assert hypcse.Points.of(X).features.tolist() == [[1], [2], [3]]
    X[1] = "NaT"
    np.save(tmp_path / "a.npy", X)
    for source in (lambda: hypcse.Points.of(X), lambda: hypcse.read(tmp_path / "a.npy")):
        with pytest.raises(ValueError, match=r"are NaT \(1 in all\)"):
            source()


@given(st.integers(2**53, 2**63 - 2000), st.integers(1, 1000), st.sampled_from(["int64", "Int64", "M8[ns]"]))
def test_values_that_floats_merge_are_named(start, step, dtype):
    """Whole numbers and moments stay apart, or the message names one that does not."""
    start = start % 2**62 if dtype == "M8[ns]" else start
    exact = np.array([start + 2 * step, start + step, start])
    frame = pd.DataFrame({"a": pd.Series(exact).astype(dtype), "b": [1.5, 3, 2]})
    floats = exact / 86_400e9 if dtype == "M8[ns]" else exact.astype(float)
    if np.unique(floats).size == 3:
        assert hypcse.read(frame, dates="number").features[:, 0].tolist() == floats.tolist()
    else:
        with pytest.raises(ValueError, match="column 'a', data row .* is the same number as another value"):
            hypcse.read(frame, dates="number")


@pytest.fixture
def cells(tmp_path):
    """A file of cells with a neighbour graph and texts."""
    anndata = pytest.importorskip("anndata")
    names = pd.Index([f"c{k}" for k in range(4)], dtype=object)
    found = anndata.AnnData(np.arange(8.0).reshape(4, 2), pd.DataFrame(index=names))
    found.var.index = pd.Index(["a", "b"], dtype=object)
    found.obsp["connectivities"] = sparse.csr_matrix(np.ones((4, 4)) - np.eye(4))
    found.write_h5ad(tmp_path / "cells.h5ad")
    return tmp_path / "cells.h5ad"


@pytest.mark.parametrize("part", ["indices", "indptr"])
def test_cells_whose_graph_points_outside(cells, part):
    """SciPy would read and write memory that is not its own."""
    h5py = pytest.importorskip("h5py")
    with h5py.File(cells, "r+") as file:
        file[f"obsp/connectivities/{part}"][1] = 10**6
    with pytest.raises(ValueError, match=r"cells\.h5ad is damaged or not an \.h5ad file"):
        hypcse.read(cells)


def test_a_heap_without_end(cells):
    """The HDF5 library goes from object to object by their sizes, and one of size 0 keeps it for ever."""
    content = bytearray(cells.read_bytes())
    start = content.index(b"GCOL\x01")
    place = start + 16
    while any(content[place : place + 2]):
        place += 16 + -(-int.from_bytes(content[place + 8 : place + 16], "little") // 8) * 8
    content[place + 8 : place + 16] = bytes(8)
    cells.write_bytes(bytes(content))
    with pytest.raises(ValueError, match=r"cells\.h5ad is damaged .* the heap at byte \d+ holds an object of 0 bytes"):
        hypcse.read(cells)


@pytest.mark.parametrize(("script", "told"), [("kill -SEGV $$", True), ("kill -ABRT $$", True), ("exit 1", False)])
def test_a_file_that_ends_the_process(cells, tmp_path, monkeypatch, script, told):
    """What ends another process that reads it is refused; what that one merely cannot read is told here."""
    program = tmp_path / "python"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setattr(trial.sys, "executable", str(program))
    if told:
        with pytest.raises(ValueError, match=r"cells\.h5ad is damaged .* it crashes the HDF5 library"):
            hypcse.read(cells)
    else:
        assert hypcse.read(cells).n_points == 4


def test_where_no_process_can_be_started(cells, monkeypatch):
    for program in ("", "/no/such/program"):
        monkeypatch.setattr(trial.sys, "executable", program)
        assert hypcse.read(cells).n_points == 4


def test_the_trial_reads_all_that_is_small(cells, monkeypatch):
    seen = []
    monkeypatch.setattr(trial, "_read_object", lambda name, found: seen.append(name))
    trial.read_small(str(cells))
    assert {"/", "X", "obs/_index", "obsp/connectivities/indptr"} <= set(seen)


def test_a_workbook_with_a_row_beyond_the_last(tmp_path):
    """openpyxl would make an empty row for each number up to it."""
    pytest.importorskip("openpyxl")
    pd.DataFrame({"a": [1, 2, 3], "b": [2.0, 3.0, 5.0]}).to_excel(tmp_path / "whole.xlsx", index=False)
    with zipfile.ZipFile(tmp_path / "whole.xlsx") as whole, zipfile.ZipFile(tmp_path / "odd.xlsx", "w") as odd:
        for name in whole.namelist():
            odd.writestr(name, whole.read(name).replace(b'<row r="3"', b'<row r="2000000000"'))
    with pytest.raises(ValueError, match=r"odd\.xlsx .*has row 2,000,000,000, and Excel's last is 1,048,576"):
        hypcse.read(tmp_path / "odd.xlsx")
    assert hypcse.read(tmp_path / "whole.xlsx").n_points == 3


def test_a_library_that_names_the_file_in_several_lines_is_told_in_one(tmp_path):
    path = tmp_path / "x.xlsx"
    with (
        pytest.raises(ValueError, match="is damaged or not an Excel workbook") as told,
        reading(path, "an Excel workbook"),
    ):
        raise ValueError(f"Unable to read {path}.\nPlease see the exception.")
    assert "\n" not in str(told.value)

"""What is read from files, and what is refused: always with the path, the value and the way out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypcse.cli.reading.columns import Columns
from hypcse.cli.reading.inputs import read_labels, read_points, read_tree


@pytest.fixture
def read(tmp_path):
    """Points of a table with this text."""

    def from_text(text: str, columns: Columns | None = None, name: str = "table.csv"):
        (tmp_path / name).write_bytes(text.encode())
        return read_points(str(tmp_path / name), columns or Columns())

    return from_text


@pytest.mark.parametrize(
    ("text", "columns", "features"),
    [
        ("a,b\n1,2\n3,4\n", Columns(), [[1, 2], [3, 4]]),
        ("1,2\n3,4\n", Columns(), [[1, 2], [3, 4]]),
        ("\ufeffa,b\r\n1,2\r\n\r\n3,4", Columns(), [[1, 2], [3, 4]]),
        ("1,2\n3,4\n", Columns(header=True), [[3, 4]]),
        ("x1_2,1_2\n3,4\n", Columns(), [[3, 4]]),
        (",a,b\nr,1,2\n", Columns(id="1"), [[1, 2]]),
        ("r,1,2\ns,3,4\n", Columns(id="1"), [[1, 2], [3, 4]]),
        ("2,1,c\n7,8,9\n", Columns(id="1", header=True), [[7, 9]]),
        ("a,b,c\n7,8,9\n", Columns(label="3", id="a"), [[8]]),
    ],
)
def test_tables(read, text, columns, features):
    """With a header or without, columns by name or, where no name is that, by position from 1."""
    assert read(text, columns).features.tolist() == features


def test_tabs(read):
    assert read("a\tb\n1\t2\n", name="table.tsv").features.tolist() == [[1, 2]]


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")), min_size=1, max_size=5))
def test_any_text_in_quotes_survives(tmp_path_factory, names):
    """Line ends of all kinds, commas and quotation marks within a cell are part of it."""
    path = tmp_path_factory.getbasetemp() / "quoted.csv"
    rows = ['"' + name.replace('"', '""') + f'",{k}' for k, name in enumerate(names)]
    path.write_bytes("\r\n".join(["id,a", *rows]).encode())
    points = read_points(str(path), Columns(id="id"))
    assert points.names == tuple(names)
    assert points.features.ravel().tolist() == list(range(len(names)))


@pytest.mark.parametrize(
    ("text", "columns", "told"),
    [
        ("", Columns(), "is empty"),
        ("a,b\n", Columns(), "has a header but no rows"),
        ("1,2\n", Columns(header=True), "has a header but no rows"),
        ("a,b\n1,2\n3\n", Columns(), "row 3 has 1 cells, row 1 has 2"),
        ("a,b\n1,2\n,3\n", Columns(), "column 'a', data row 2 is empty"),
        ("a,b\n1,2\n,\n", Columns(), "column 'a', data row 2 is empty"),
        ("a,b\n1,1_2\n", Columns(), "column 'b', data row 1 holds '1_2'"),
        ("a,1\n2,3\n", Columns(), "column 1, data row 1 holds 'a', which is no number.* Pass --header"),
        ("a,b,a\n1,2,3\n", Columns(), "two columns called 'a'"),
        (",a,b\n0,1,2\n", Columns(), "column 1 has no name .* --id-column 1"),
        ("a,b\n1,2\n", Columns(id="c"), "no column 'c'; its columns are a, b. .* between 1 and 2"),
        ("a,b\n1,2\n", Columns(id="3"), "no column '3'"),
        ("a,b\n1,2\n", Columns(label="0"), "no column '0'"),
        ("1,2\n", Columns(label="a"), "it has no header"),
        ("a,b\n1,2\n", Columns(label="a", id="1"), "both name column 'a'"),
        ("a\n1\n", Columns(label="a"), "no feature columns left"),
        ('a\n"' + "1" * 200_000, Columns(), "line 2: field larger than field limit"),
    ],
)
def test_bad_tables(read, tmp_path, text, columns, told):
    with pytest.raises(ValueError, match=told) as caught:
        read(text, columns)
    assert str(tmp_path / "table.csv") in str(caught.value)


def test_data_sets_and_files(tmp_path, monkeypatch):
    """A folder named like a data set hides nothing, and what has no named columns is asked for none."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("HYPCSE_DATA", raising=False)
    (tmp_path / "optical-digits").mkdir()
    np.save("points.npy", np.eye(2))
    assert read_points("optical-digits", Columns()).features.shape == (1797, 64)
    for source in ("optical-digits", "points.npy"):
        for columns in (Columns(id="foo"), Columns(label="foo"), Columns(header=False)):
            with pytest.raises(ValueError, match=f"{source} has no named columns"):
                read_points(source, columns)
    (tmp_path / "other").mkdir()
    with pytest.raises(FileNotFoundError, match="neither a file nor a data set"):
        read_points("other", Columns())


def test_arrays_of_the_wrong_shape(tmp_path):
    for shape in ((), (3,), (2, 2, 2)):
        np.save(tmp_path / "points.npy", np.zeros(shape))
        np.savez(tmp_path / "points.npz", X=np.zeros(shape))
        for name in ("points.npy", "points.npz"):
            with pytest.raises(ValueError, match="points are a matrix"):
                read_points(str(tmp_path / name), Columns())
    np.save(tmp_path / "labels.npy", np.zeros((3, 1)))
    with pytest.raises(ValueError, match="labels of shape \\(3, 1\\)"):
        read_labels(tmp_path / "labels.npy")
    np.savez(tmp_path / "points.npz", X=np.eye(3), y=5)
    with pytest.raises(ValueError, match="labels of shape"):
        read_points(str(tmp_path / "points.npz"), Columns())
    np.savez(tmp_path / "points.npz", Y=np.eye(3))
    with pytest.raises(ValueError, match="with an array X"):
        read_points(str(tmp_path / "points.npz"), Columns())
    (tmp_path / "points.npz").rename(tmp_path / "tree.npy")
    with pytest.raises(ValueError, match="tree.npy is an .npz archive"):
        read_tree(tmp_path / "tree.npy")


@pytest.mark.parametrize("name", ["points.npy", "points.npz", "packed.npz"])
def test_damaged_arrays(tmp_path, name):
    """Cut short or with wrong bytes, a file is read or told to be damaged, with its path."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 3))
    path = tmp_path / name
    {"points.npy": np.save, "points.npz": _save_archive, "packed.npz": _save_packed}[name](path, X)
    whole = path.read_bytes()
    told = []
    for trial in range(300):
        damaged = bytearray(whole[: rng.integers(len(whole))] if trial % 3 == 0 else whole)
        for place in rng.integers(max(len(damaged), 1), size=trial % 4):
            damaged[place:place] = b"" if trial % 2 else b"]"
            damaged[place : place + 1] = bytes([rng.integers(256)])
        path.write_bytes(bytes(damaged))
        try:
            read_points(str(path), Columns())
        except (ValueError, MemoryError) as error:
            told.append(str(error))
    assert len(told) > 100
    assert all(str(path) in text for text in told)


def _save_archive(path, X):
    np.savez(path, X=X, y=np.arange(len(X)))


def _save_packed(path, X):
    np.savez_compressed(path, X=X, y=np.arange(len(X)))

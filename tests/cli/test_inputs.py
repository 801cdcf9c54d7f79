"""What the command reads beside tables: data sets by name, trees and labels; always with the path and the way out."""

from __future__ import annotations

import numpy as np
import pytest

from hypcse.cli.inputs import points_of, read_cells, read_labels, read_tree
from hypcse.points.columns import Columns


def test_data_sets_and_files(tmp_path, monkeypatch):
    """A folder named like a data set hides nothing, and what has no named columns is asked for none."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("HYPCSE_DATA", raising=False)
    (tmp_path / "optical-digits").mkdir()
    points = points_of("optical-digits", Columns())
    assert points.features.shape == (1797, 64) and points.labels.shape == (1797,)
    with pytest.raises(ValueError, match="data set without named columns. Omit --id-column, --drop"):
        points_of("optical-digits", Columns(id="foo", drop=("bar",)))
    (tmp_path / "other").mkdir()
    with pytest.raises(FileNotFoundError, match="neither a file nor a data set"):
        points_of("other", Columns())
    with pytest.raises(FileNotFoundError, match=r"See `hypcse datasets`\. Did you mean 'iris'\?$"):
        points_of("irs", Columns())
    with pytest.raises(FileNotFoundError, match=r"See `hypcse datasets`\.$"):
        points_of("irs.csv", Columns())


def test_labels(tmp_path):
    np.save(tmp_path / "labels.npy", np.zeros((3, 1)))
    with pytest.raises(ValueError, match="labels of shape \\(3, 1\\)"):
        read_labels(tmp_path / "labels.npy")
    (tmp_path / "labels.txt").write_text("a\n\nb\n")
    assert read_labels(tmp_path / "labels.txt").tolist() == ["a", None, "b"]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("tree.nwk", b"((a,b);"),
        ("tree.nwk", b"(a:1e999,b);"),
        ("tree.nwk", b"\xff\xfe(a,b);"),
        ("tree.json", b"[" * 100_000),
        ("tree.json", b'{"format": "hypcse-tree", "version": 1, "parent": [1], "height": [0], "names": null}'),
    ],
)
def test_damaged_trees_name_their_file(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=name) as told:
        read_tree(tmp_path / name)
    assert told.value.__cause__ is not None


def test_wrong_linkage_matrices_name_their_file(tmp_path):
    for matrix in (np.eye(4), np.zeros((3, 4), "i4,i4"), np.array([["a"] * 4]), np.full((2, 4), np.nan)):
        np.save(tmp_path / "tree.npy", matrix)
        with pytest.raises((ValueError, TypeError), match=r"tree\.npy"):
            read_tree(tmp_path / "tree.npy")


def test_cells_of_any_length(tmp_path):
    (tmp_path / "labels.csv").write_text("name,label\n" + "a" * 200_000 + ",1\n")
    with pytest.raises(ValueError, match=r"labels\.csv is damaged or not a table of text: field larger"):
        read_cells(tmp_path / "labels.csv")


def test_the_cause_is_shown_when_asked_for(command, tmp_path):
    (tmp_path / "points.npz").write_bytes(b"PK no archive")
    said = command("fit", "points.npz", "--out", "found")
    assert said.returncode == 2 and said.stderr.count("\n") == 1 and "points.npz is damaged" in said.stderr
    told = command("--debug", "fit", "points.npz", "--out", "found")
    assert told.returncode == 2 and "Traceback" in told.stderr and "points.npz is damaged" in told.stderr
    assert "The above exception was the direct cause" in told.stderr


def test_what_is_no_tree(tmp_path):
    np.savez(tmp_path / "points.npz", Y=np.eye(3))
    (tmp_path / "points.npz").rename(tmp_path / "tree.npy")
    with pytest.raises(ValueError, match="tree.npy is an .npz archive"):
        read_tree(tmp_path / "tree.npy")
    (tmp_path / "tree.npy").write_bytes(b"no array")
    with pytest.raises(ValueError, match="tree.npy is damaged or not a plain NumPy file"):
        read_tree(tmp_path / "tree.npy")
    (tmp_path / "table.csv").write_text("1,2\n")
    with pytest.raises(ValueError, match="holds points; a tree is read from Newick"):
        read_tree(tmp_path / "table.csv")

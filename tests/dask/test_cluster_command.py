"""`hypcse fit --cluster`: the folder of `hypcse fit`, found on a cluster, and errors in one line."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits
from sklearn.metrics import adjusted_rand_score

import hypcse
from hypcse.cli import cluster as large
from hypcse.cli.cluster import open_edges
from hypcse.dask.lazy_tables import open_npy, open_parquet


@pytest.fixture(scope="module")
def address(client: Any) -> str:
    return str(client.scheduler.address)


def digits(n: int) -> tuple[pd.DataFrame, np.ndarray]:
    X, y = load_digits(return_X_y=True)
    table = pd.DataFrame(X[:n], columns=[f"p{k}" for k in range(64)])
    return table.assign(name=[f"d{k}" for k in range(n)], kind=y[:n]), X[:n]


def test_parquet_is_fitted_as_in_memory(command: Any, address: str, tmp_path: Path) -> None:
    table, X = digits(400)
    table.to_parquet("big.parquet", row_group_size=90)
    words = ("--id-column", "name", "--label-column", "kind")
    answer = command("fit", "big.parquet", "--cluster", address, "--out", "found", *words)
    assert answer.returncode == 0, answer.stderr
    assert "Written to found" in answer.stdout
    files = {path.name for path in (tmp_path / "found").iterdir()}
    assert files == {"labels.csv", "linkage.npy", "scores.json", "tree.html", "tree.nwk"}
    expected = hypcse.EntropyClustering().fit(X)
    report = json.loads((tmp_path / "found" / "scores.json").read_text())
    assert report["scores"]["structural_entropy"] == pytest.approx(expected.entropy_, rel=1e-9)
    assert report["scores"]["dendrogram_purity"] > 0.5
    labels = pd.read_csv(tmp_path / "found" / "labels.csv")
    assert labels.name.tolist() == table.name.tolist() and len(labels) == len(expected.labels_)
    by_edges = hypcse.levels(expected.tree_, expected.graph_)
    assert any(adjusted_rand_score(labels.label, level) == 1 for level in by_edges)
    assert not (tmp_path / "found.checkpoints").exists()


def test_other_tables_are_read_whole(command: Any, address: str, tmp_path: Path) -> None:
    table = digits(200)[0]
    table.to_csv("big.csv", index=False)
    words = ("--id-column", "name", "--label-column", "kind")
    answer = command("fit", "big.csv", "--cluster", address, "--out", "found", *words, "--no-refine")
    assert answer.returncode == 0, answer.stderr
    assert pd.read_csv(tmp_path / "found" / "labels.csv").name.tolist() == table.name.tolist()


def test_npy_is_fitted_and_the_page_shows_the_top(
    command: Any, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(large, "MAX_SHOWN", 100)
    monkeypatch.setattr(large, "MAX_CLUSTERS", 50)
    np.save("big.npy", digits(300)[1])
    words = ("--clusters", "7", "--no-refine", "--set", "linkage=paris", "--set", "memory_limit=400")
    answer = command("fit", "big.npy", "--cluster", address, "--out", "found", *words)
    assert answer.returncode == 0, answer.stderr
    assert "tree.html shows the top of the tree" in answer.stdout
    page = (tmp_path / "found" / "tree.html").read_text()
    assert re.search(r"found: top of the tree, \d\d clusters of 300 points", page)
    assert pd.read_csv(tmp_path / "found" / "labels.csv").label.nunique() == 7


def test_a_file_of_edges_is_fitted(command: Any, address: str, tmp_path: Path) -> None:
    i, j, w = hypcse.similarity_graph(digits(200)[1], 20).edges()
    pd.DataFrame({"source": i, "target": j, "weight": w}).to_parquet("edges.parquet")
    answer = command("fit", "edges.parquet", "--edges", "--cluster", address, "--out", "found", "--no-refine")
    assert answer.returncode == 0, answer.stderr
    assert json.loads((tmp_path / "found" / "scores.json").read_text())["edges"] == i.size


def test_edges_that_changed_are_not_resumed(client: Any, tmp_path: Path) -> None:
    for name, target in (("a", [1, 2, 3]), ("b", [1, 2, 0])):
        pd.DataFrame({"source": [0, 1, 2], "target": target}).to_parquet(tmp_path / f"{name}.parquet")
    stored = tmp_path / "kept"
    stored.mkdir()
    pd.DataFrame({"from": [0]}).to_parquet(tmp_path / "wrong.parquet")
    with pytest.raises(ValueError, match="no column 'source'"):
        open_edges(tmp_path / "wrong.parquet", stored, client)
    assert not list(stored.iterdir())
    for _ in range(2):
        assert open_edges(tmp_path / "a.parquet", stored, client).n_vertices == 4
    with pytest.raises(ValueError, match=r"another file of edges than .*b\.parquet"):
        open_edges(tmp_path / "b.parquet", stored, client)
    pd.DataFrame({"source": [0], "target": [1]}).to_parquet(tmp_path / "a.parquet")
    with pytest.raises(ValueError, match="before it changed"):
        open_edges(tmp_path / "a.parquet", stored, client)


WRONG: list[tuple[str, tuple[str, ...]]] = [
    ("no Dask scheduler answers", ("x.npy", "--cluster", "tcp://127.0.0.1:9")),
    ("neither 'local' nor an address", ("x.npy", "--cluster", "there")),
    ("does not run with --cluster", ("x.npy", "--cluster", "local", "--method", "ward")),
    ("--device is for methods that train", ("x.npy", "--cluster", "local", "--device", "cpu")),
    ("--stability is not measured", ("x.npy", "--cluster", "local", "--stability")),
    ("does not exist", ("none.npy", "--cluster", "local")),
    ("--impute does not go with", ("x.parquet", "--cluster", "local", "--impute", "median")),
    ("columns are not numbers: 'name'", ("x.parquet", "--cluster", "local")),
    ("has no column 'nam'. Did you mean 'name'?", ("x.parquet", "--cluster", "local", "--drop", "nam")),
    ("damaged or not a Parquet file", ("y.parquet", "--cluster", "local")),
    ("has no option 'n_init'", ("x.npy", "--cluster", "local", "--set", "n_init=3")),
]


@pytest.mark.parametrize(("text", "words"), WRONG, ids=[text for text, _ in WRONG])
def test_what_is_wrong_is_one_line(
    text: str, words: tuple[str, ...], command: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hypcse.cli.cluster.WAIT", 1)
    np.save("x.npy", np.eye(3))
    Path("y.parquet").write_text("no")
    digits(5)[0].to_parquet("x.parquet")
    answer = command("fit", *words, "--out", "found")
    assert answer.returncode == 2 and text in answer.stderr, answer.stderr
    assert len(answer.stderr.strip().splitlines()) == 1


def test_files_are_read_in_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table, X = digits(50)
    monkeypatch.setattr("hypcse.dask.lazy_tables.BLOCK_BYTES", 20 * 66 * 8)
    np.save(tmp_path / "x.npy", X)
    table.to_parquet(tmp_path / "x.parquet", row_group_size=7)
    result = open_npy(tmp_path / "x.npy").rows
    assert result.numblocks == (3, 1) and np.array_equal(result.compute(scheduler="sync"), X)
    lazy = open_parquet(tmp_path / "x.parquet", drop=["kind"], id="name")
    assert lazy.rows.chunks[0] == (14, 14, 14, 8) and lazy.ids is not None and lazy.ids[3] == "d3"
    assert np.array_equal(lazy.rows.compute(scheduler="sync"), X)


def test_missing_categories_are_missing(tmp_path: Path) -> None:
    kinds = pd.Categorical(["a", None, "b", "a"])
    table = pd.DataFrame({"x": [0.0, 1.0, 2.0, 3.0], "kind": kinds, "name": pd.Categorical(list("stuv"))})
    table.to_parquet(tmp_path / "x.parquet", row_group_size=2)
    lazy = open_parquet(tmp_path / "x.parquet", id="name", label="kind")
    assert lazy.ids == ("s", "t", "u", "v")
    assert lazy.labels is not None and pd.isna(lazy.labels[1]) and lazy.labels[[0, 2, 3]].tolist() == ["a", "b", "a"]
    assert hypcse.score(hypcse.Tree([4, 4, 5, 5, 6, 6, -1], [0, 0, 0, 0, 1, 1, 2]), labels=lazy.labels)
    with pytest.raises(ValueError, match="row 1 has no value in the column 'kind'"):
        open_parquet(tmp_path / "x.parquet", id="kind", drop=["name"])

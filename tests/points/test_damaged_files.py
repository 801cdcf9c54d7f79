"""Cut short or with wrong bytes, a file is read or refused by name, and nothing else happens."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.io import mmwrite

import hypcse

EXPECTED = (ValueError, OSError, MemoryError, ImportError)
NAMES = ("a.csv", "a.tsv", "a.txt", "a.csv.gz", "a.edges", "a.npy", "a.npz", "b.npz", "a.mtx", "a.parquet", "a.xlsx")


def write(path: Path) -> None:
    """A file of each kind with the same points."""
    X = np.random.default_rng(0).normal(size=(20, 3))
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    if path.suffix in (".csv", ".tsv", ".txt", ".edges"):
        path.write_text(frame.to_csv(index=False))
    elif path.suffix == ".gz":
        path.write_bytes(gzip.compress(frame.to_csv(index=False).encode()))
    elif path.suffix == ".npy":
        np.save(path, X)
    elif path.suffix == ".npz":
        (np.savez if path.stem == "a" else np.savez_compressed)(path, X=X, y=np.arange(20))
    elif path.suffix == ".mtx":
        mmwrite(path, sparse.coo_array(np.abs(X @ X.T)))
    elif path.suffix == ".parquet":
        pytest.importorskip("pyarrow")
        frame.to_parquet(path)
    else:
        pytest.importorskip("openpyxl")
        frame.to_excel(path, index=False)


@pytest.mark.parametrize("name", NAMES)
def test_damaged_files(tmp_path, name):
    rng = np.random.default_rng(0)
    path = tmp_path / name
    write(path)
    whole = path.read_bytes()
    told = []
    for trial in range(60 if name == "a.xlsx" else 200):
        damaged = bytearray(whole[: rng.integers(len(whole))] if trial % 3 == 0 else whole)
        for place in rng.integers(max(len(damaged), 1), size=trial % 4):
            damaged[place:place] = b"" if trial % 2 else b"]"
            damaged[place : place + 1] = bytes([rng.integers(256)])
        path.write_bytes(bytes(damaged))
        try:
            hypcse.read(path)
        except EXPECTED as error:
            told.append(str(error))
    assert len(told) > 10
    assert all(str(path) in text for text in told)


@pytest.mark.parametrize("name", [*NAMES, "a.h5ad"])
def test_random_bytes(tmp_path, name):
    rng = np.random.default_rng(1)
    path = tmp_path / name
    told = []
    for trial in range(60):
        content = rng.bytes(int(rng.integers(200)))
        if trial % 2:
            content = bytes(rng.choice(list(b'a1,;\t|".-\n\r %e'), size=40).tolist())
        path.write_bytes(content)
        for options in ({}, {"edges": True}, {"impute": "median", "dates": "number"}):
            try:
                hypcse.read(path, **options)
            except EXPECTED as error:
                told.append(str(error))
    assert all(str(path) in text for text in told)

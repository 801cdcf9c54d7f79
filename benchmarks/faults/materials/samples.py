"""Files of every format, whole, with cells of many kinds."""

from __future__ import annotations

import gzip
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from benchmarks.faults.attempt import Rng

_FIELDS = ("real", "integer", "complex", "pattern")
_FORMS = ("general", "symmetric", "skew-symmetric", "hermitian")


def write_sample(path: Path, suffix: str, rng: Rng) -> None:
    """Write a whole file of a format."""
    SAMPLES[suffix](path, rng)


def points_in_groups(rng: Rng, n_points: int = 30) -> pd.DataFrame:
    """Three groups of points, a class and a name each."""
    group = np.arange(n_points) % 3
    X = rng.normal(size=(n_points, 3)) + 6 * group[:, None]
    frame = pd.DataFrame(X.round(3), columns=["a", "b", "c"])
    return frame.assign(kind=[f"kind {k}" for k in group], name=[f"point {k}" for k in range(n_points)])


def _frame(rng: Rng) -> pd.DataFrame:
    """A table of numbers, with up to three columns of other kinds."""
    n = int(rng.integers(1, 25))
    frame = pd.DataFrame(rng.normal(size=(n, 3)), columns=["a", "b", "c"])
    for name in rng.choice(list(_COLUMNS), size=int(rng.integers(4)), replace=False):
        frame[str(name)] = _COLUMNS[str(name)](n, rng)
    return frame


_COLUMNS: dict[str, Callable[[int, Rng], Any]] = {
    "id": lambda n, rng: np.arange(n),
    "text": lambda n, rng: rng.choice(["x", "ä", "", "1,5", '"', "=1+1"], size=n),
    "truth": lambda n, rng: rng.random(n) < 0.5,
    "gaps": lambda n, rng: np.where(rng.random(n) < 0.3, np.nan, 1.0),
    "wild": lambda n, rng: rng.choice([np.inf, -np.inf, 1e308, 5e-324, 0.0], size=n),
    "date": lambda n, rng: rng.choice(np.array(["1677-09-22", "2262-04-11", "NaT"], "datetime64[ns]"), size=n),
    "far date": lambda n, rng: rng.choice(np.array(["0001-01-01", "9999-12-31", "NaT"], "datetime64[s]"), size=n),
    "duration": lambda n, rng: rng.choice(np.array([0, 2**62, -(2**62)], "timedelta64[ns]"), size=n),
    "far duration": lambda n, rng: rng.choice(np.array([0, 2**62, -(2**62)], "timedelta64[s]"), size=n),
    "large": lambda n, rng: rng.integers(2**63, 2**64 - 1, size=n, dtype=np.uint64),
    "constant": lambda n, rng: np.ones(n),
    "category": lambda n, rng: pd.Categorical(rng.choice(["u", "v"], size=n)),
}


def _write_text(path: Path, rng: Rng) -> None:
    separator = str(rng.choice([",", ";", "\t", "|", " "]))
    text = _frame(rng).to_csv(index=False, sep=separator, header=bool(rng.integers(2)))
    path.write_bytes(text.encode(str(rng.choice(["utf-8", "utf-8-sig", "utf-16", "latin-1", "cp1252"])), "replace"))


def _write_edges(path: Path, rng: Rng) -> None:
    ends = rng.integers(12, size=(int(rng.integers(1, 40)), 2))
    weights = rng.choice([1.0, 0.5, 1e-200, 1e200, 0.0, -1.0, 3.0], size=len(ends), p=[0.4, 0.3, *[0.06] * 5])
    rows = [f"{a} {b} {w}" if rng.integers(4) else f"{a} {b} 1" for (a, b), w in zip(ends, weights, strict=True)]
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")


def _array(rng: Rng) -> np.ndarray:
    shape = [(20, 3), (20, 3), (5,), (), (0, 3), (3, 0), (2, 2, 2), (1, 1)][int(rng.integers(8))]
    kind = str(
        rng.choice(["f8", "f4", "f2", "i8", "u8", "?", "c16", "M8[s]", "m8[D]", "U5", "S3", "f8,i4", ">f8", "g"])
    )
    numbers = (100 * rng.random(shape)).round()
    array = np.asarray(numbers.astype("i8") if kind[0] in "Mm" else numbers).astype(kind)
    return np.asarray(array, order="F" if rng.integers(2) else "C")


def _write_array(path: Path, rng: Rng) -> None:
    with path.open("wb") as file:
        np.save(file, _array(rng))


def _write_archive(path: Path, rng: Rng) -> None:
    parts = {"X": _array(rng)} if rng.integers(8) else {}
    if rng.integers(2):
        parts["y"] = np.arange(len(parts["X"])) if parts and parts["X"].ndim else np.arange(2)
    with path.open("wb") as file:
        (np.savez if rng.integers(2) else np.savez_compressed)(file, allow_pickle=True, **parts)


def _write_matrix_market(path: Path, rng: Rng) -> None:
    """A header of any kind, and entries that mostly fit it."""
    shape, field = str(rng.choice(["coordinate", "array"])), str(rng.choice(_FIELDS, p=[0.55, 0.2, 0.1, 0.15]))
    form = str(rng.choice(_FORMS, p=[0.4, 0.4, 0.1, 0.1]))
    m = n = int(rng.integers(1, 9))
    n += int(rng.integers(3)) if rng.random() < 0.4 else 0
    width = {"real": 1, "integer": 1, "complex": 2, "pattern": 0}[field]
    lines = [f"%%MatrixMarket matrix {shape} {field} {form}"]
    if shape == "coordinate":
        pairs = [
            (i + 1, j + 1) for i in range(m) for j in range(n) if rng.random() < 0.5 and (form == "general" or i > j)
        ]
        lines += [f"{m} {n} {len(pairs)}"]
        lines += [" ".join([str(i), str(j), *(str(int(rng.integers(1, 9))) for _ in range(width))]) for i, j in pairs]
    else:
        count = m * n if form == "general" else m * (m + 1) // 2
        lines += [f"{m} {n}", *(" ".join(str(int(rng.integers(9))) for _ in range(width)) for _ in range(count))]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _write_parquet(path: Path, rng: Rng) -> None:
    _frame(rng).to_parquet(path, index=bool(rng.integers(2)))


def _write_workbook(path: Path, rng: Rng) -> None:
    frame = _frame(rng)
    for name in frame.columns.intersection(["far date", "far duration", "duration", "large"]):
        frame[name] = frame[name].astype(str)
    with path.open("wb") as file, pd.ExcelWriter(file, engine="openpyxl") as book:
        for sheet in ("one", "two")[: int(rng.integers(1, 3))]:
            frame.to_excel(book, sheet_name=sheet, index=False)


def _write_cells(path: Path, rng: Rng) -> None:
    from anndata import AnnData

    n = int(rng.integers(2, 20))
    X: Any = rng.poisson(1.0, size=(n, 6)).astype(np.float32)
    # Of objects, not of pandas' own texts, which anndata does not write yet.
    obs = pd.DataFrame(index=pd.Index([f"cell {k}" for k in range(n)], dtype=object))
    obs["kind"] = pd.Categorical.from_codes(rng.integers(2, size=n), pd.Index(["u", "v"], dtype=object))
    var = pd.DataFrame(index=pd.Index([f"gene {k}" for k in range(6)], dtype=object))
    cells = AnnData(sparse.csr_matrix(X) if rng.integers(2) else X, obs, var)
    if rng.integers(2):
        cells.obsm["X_pca"] = rng.normal(size=(n, 3))
    if rng.integers(2):
        near = sparse.random(n, n, 0.4, random_state=int(rng.integers(2**31)))
        cells.obsp["connectivities"] = sparse.csr_matrix(near + near.T)
        cells.uns["neighbors"] = {"connectivities_key": "connectivities"}
    cells.write_h5ad(path)


def packed(content: bytes) -> bytes:
    """The content compressed, the same at any time."""
    made = io.BytesIO()
    with gzip.GzipFile(fileobj=made, mode="wb", mtime=0) as file:
        file.write(content)
    return made.getvalue()


SAMPLES: dict[str, Callable[[Path, Rng], None]] = {
    ".csv": _write_text,
    ".tsv": _write_text,
    ".txt": _write_text,
    ".xlsx": _write_workbook,
    ".parquet": _write_parquet,
    ".npy": _write_array,
    ".npz": _write_archive,
    ".mtx": _write_matrix_market,
    ".h5ad": _write_cells,
    ".edges": _write_edges,
    ".edgelist": _write_edges,
}
"""How a file of each suffix is made."""

"""From a file's content to the checked pair (X, y). No pickle: nothing in a file is executed."""

from __future__ import annotations

import os
import zipfile
import zlib
from collections.abc import Collection
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hypcse._checks import check_finite
from hypcse._progress import Callback
from hypcse.datasets.catalog import Dataset, describe
from hypcse.datasets.fetch import DatasetUnavailable, fetch, read_cached

Labeled = tuple[NDArray[np.float64], NDArray[np.int64]]


def read_npz(entry: Dataset, path: Path) -> Labeled:
    """X and y of a NumPy archive; `numpy.load` alone would also open a lone array or look for a pickle."""
    try:
        if not zipfile.is_zipfile(path):
            raise ValueError("it is not a zip file")
        with np.load(path, allow_pickle=False) as archive:
            members = dict(archive)
    except (ValueError, EOFError, RuntimeError, zipfile.BadZipFile, zlib.error) as error:
        raise ValueError(
            f"{path} cannot be read as a NumPy archive of plain arrays: {str(error).rstrip('.')}. "
            f"Write it again with numpy.savez({path.name!r}, X=X, y=y), where X and y hold numbers."
        ) from error
    _check_members(members, ("X", "y"), str(path))
    return check_labeled(entry, members["X"], members["y"], str(path))


def read_mat(entry: Dataset, content: bytes) -> Labeled:
    """X and y of a MATLAB file with the features as `fea` and the classes as `gnd`."""
    from scipy.io import loadmat

    members: dict[str, Any] = loadmat(BytesIO(content))
    _check_members(members, ("fea", "gnd"), entry.file)
    X = members["fea"]
    return check_labeled(entry, X.toarray() if hasattr(X, "toarray") else X, members["gnd"].ravel(), entry.file)


def _check_members(members: Collection[str], names: tuple[str, ...], source: str) -> None:
    missing = " and ".join(name for name in names if name not in members)
    if missing:
        listed = ", ".join(sorted(members)) or "nothing"
        raise ValueError(f"{source} lacks {missing}; it holds {listed}. Write it again with {' and '.join(names)}.")


def check_labeled(entry: Dataset, X: NDArray[Any], y: NDArray[Any], source: str) -> Labeled:
    """X as float64 and y as class codes from 0, with the shapes in the catalog."""
    if X.dtype.kind not in "biuf":
        raise ValueError(f"X of {source} has dtype {X.dtype}; numbers are needed. Write it again as float64.")
    _check_equal(entry, "X has shape", X.shape, (entry.n_points, entry.n_features), source)
    _check_equal(entry, "y has shape", y.shape, (entry.n_points,), source)
    features = np.ascontiguousarray(X, dtype=np.float64)
    check_finite(f"X of {source}", features)
    classes, codes = np.unique(y, return_inverse=True)
    _check_equal(entry, "y has a number of classes", len(classes), entry.n_classes, source)
    return features, codes.astype(np.int64)


def _check_equal(entry: Dataset, what: str, actual: object, expected: object, source: str) -> None:
    if actual != expected:
        raise ValueError(
            f"{what} {actual} in {source}, but {entry.name!r} has {expected}. "
            "This is another data set or another version of it; replace the file or remove it."
        )


_IN_SKLEARN = {"iris": "load_iris", "optical-digits": "load_digits"}


def load(name: str, *, callback: Callback | None = None) -> Labeled:
    """Load the features and classes of a data set of the paper.

    Sources are tried in this order: NAME.npz in the folder named by the environment variable HYPCSE_DATA; the user's
    cache folder (on Linux ~/.cache/hypcse); scikit-learn's copy of iris and optical-digits; the authors' repository.
    Downloads are kept in the cache. scikit-learn's iris differs from the file that the paper used, which UCI has
    corrected since, in 3 entries of rows 34 and 37 (counted from 0).

    Parameters
    ----------
    name
        One of `available`.
    callback
        Called with a `Progress` in bytes while a file is downloaded. Return True to stop: this raises `Stopped`, a
        TimeoutError, and keeps nothing.

    Returns
    -------
    X, y
        Features (n, d) as float64, and classes (n,) as int64 from 0.

    Examples
    --------
    >>> X, y = load("optical-digits")
    >>> X.shape, y.shape
    ((1797, 64), (1797,))
    """
    return load_entry(describe(name), callback)


def load_entry(entry: Dataset, callback: Callback | None = None) -> Labeled:
    """`load` for any catalog entry."""
    path = _user_file(entry)
    if path is not None:
        return read_npz(entry, path)
    content = read_cached(entry)
    if content is None and entry.name in _IN_SKLEARN:
        from sklearn import datasets

        X, y = getattr(datasets, _IN_SKLEARN[entry.name])(return_X_y=True)
        return check_labeled(entry, X, y, "scikit-learn")
    return read_mat(entry, fetch(entry, callback) if content is None else content)


def _user_file(entry: Dataset) -> Path | None:
    """NAME.npz in the folder of HYPCSE_DATA, or None if either does not exist."""
    value = os.environ.get("HYPCSE_DATA")
    if not value:
        return None
    folder = Path(value).expanduser()
    if not folder.is_dir():
        raise DatasetUnavailable(
            f"HYPCSE_DATA={value!r} is not a folder. Set it to one that holds {entry.name}.npz, or unset it."
        )
    path = folder / f"{entry.name}.npz"
    return path if path.is_file() else None

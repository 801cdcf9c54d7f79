"""From a name to features and classes."""

from __future__ import annotations

import os
import warnings
import zipfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hypcse._checks import HypcseWarning
from hypcse.datasets.catalogue import Dataset, describe
from hypcse.datasets.fetch import Progress, cache_folder, fetch, is_intact

Table = tuple[NDArray[np.float64], NDArray[np.int64]]


def load(name: str, *, progress: Progress | None = None) -> Table:
    """Features X (n, d), unscaled, and classes y (n,) from 0.

    Looked for in this order: NAME.npz in the folder named by HYPCSE_DATA; the cache folder; scikit-learn, which carries
    iris and optical-digits; the authors' repository, from where the file is fetched into the cache folder, its size and
    checksum verified. `progress` is called with the bytes fetched and the bytes in all.

    >>> X, y = load("optical-digits")
    >>> X.shape
    (1797, 64)
    """
    entry = describe(name)
    table = _from_environment(entry) or _from_cache(entry) or _from_scikit_learn(entry)
    if table is None:
        table = read_mat(entry, fetch(entry, cache_folder(), progress))
    return table


def _from_environment(entry: Dataset) -> Table | None:
    named = os.environ.get("HYPCSE_DATA")
    if not named:
        return None
    folder = Path(named)
    if not folder.is_dir():
        raise FileNotFoundError(f"HYPCSE_DATA names {named!r}, which is no folder. Correct it or unset it.")
    path = folder / f"{entry.name}.npz"
    return read_npz(entry, path) if path.exists() else None


def _from_cache(entry: Dataset) -> Table | None:
    """From an intact file in the cache; a damaged one is passed over and fetched again."""
    path = cache_folder() / entry.file
    return read_mat(entry, path) if path.is_file() and is_intact(entry, path) else None


def _from_scikit_learn(entry: Dataset) -> Table | None:
    from sklearn import datasets

    if entry.name == "optical-digits":
        X, y = datasets.load_digits(return_X_y=True)
    elif entry.name == "iris":
        warnings.warn(
            "iris comes from scikit-learn, where 3 entries in rows 34 and 37 are corrected; the paper used UCI's "
            f"uncorrected file. For that one put {entry.file} into {cache_folder()} or set HYPCSE_DATA.",
            HypcseWarning,
            stacklevel=3,
        )
        X, y = datasets.load_iris(return_X_y=True)
    else:
        return None
    return _checked(entry, X, y, "scikit-learn")


def read_npz(entry: Dataset, path: Path) -> Table:
    """From a NumPy archive with X and y; nothing in it is executed."""
    try:
        with np.load(path, allow_pickle=False) as archive:
            X, y = archive["X"], archive["y"]
    except (ValueError, KeyError, EOFError, zipfile.BadZipFile, AttributeError) as error:
        raise ValueError(f"{path} is not an .npz archive with plain arrays X and y: {error}") from None
    return _checked(entry, X, y, str(path))


def read_mat(entry: Dataset, path: Path) -> Table:
    """From the authors' MATLAB file with `fea` and `gnd`."""
    from scipy.io import loadmat

    content = loadmat(path)
    missing = {"fea", "gnd"} - set(content)
    if missing:
        raise ValueError(f"{path} has no array {sorted(missing)[0]!r}; the authors' files hold fea and gnd.")
    features = content["fea"]
    dense = features.toarray() if hasattr(features, "toarray") else features
    return _checked(entry, dense, np.ravel(content["gnd"]), str(path))


def _checked(entry: Dataset, X: NDArray[np.generic], y: NDArray[np.generic], source: str) -> Table:
    expected = (entry.n_points, entry.n_features)
    if X.shape != expected or y.shape != expected[:1]:
        raise ValueError(f"{source}: {entry.name} has X {expected} and y {expected[:1]}, got {X.shape} and {y.shape}.")
    classes, codes = np.unique(y, return_inverse=True)
    if classes.size != entry.n_classes:
        raise ValueError(f"{source}: {entry.name} has {entry.n_classes} classes, got {classes.size}.")
    return X.astype(np.float64), codes.astype(np.int64)

"""Where a data set comes from: the user's folder, the cache, scikit-learn, the authors' repository."""

from __future__ import annotations

import os
import warnings
from pathlib import Path

from hypcse._checks import HypcseWarning
from hypcse._progress import Callback
from hypcse.datasets.arrays import Labelled, check_labelled, read_mat, read_npz
from hypcse.datasets.cache import cache_folder, find_damage, read_cached
from hypcse.datasets.catalogue import Dataset, describe
from hypcse.datasets.fetch import BASE_URL, TIMEOUT, DatasetUnavailable, fetch, file_url

_IN_SKLEARN = {"iris": "load_iris", "optical-digits": "load_digits"}


def load(name: str, *, callback: Callback | None = None) -> Labelled:
    """Load the features and classes of a data set of the paper.

    Sources are tried in this order: NAME.npz in the folder named by the environment variable HYPCSE_DATA; the user's
    cache folder (on Linux ~/.cache/hypcse); scikit-learn's copy of iris and optical-digits; the authors' repository.
    Downloads are kept in the cache.

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
    return load_entry(describe(name), callback=callback)


def load_entry(
    entry: Dataset,
    *,
    base_url: str = BASE_URL,
    timeout: float = TIMEOUT,
    callback: Callback | None = None,
) -> Labelled:
    """`load` for any catalogue entry and any server."""
    path = _user_file(entry)
    if path is not None:
        return read_npz(entry, path)
    content = read_cached(entry)
    if content is None:
        # A damaged cached file shows that the original was wanted, so it is fetched again first.
        if entry.name in _IN_SKLEARN and find_damage(entry) is None:
            return _from_sklearn(entry)
        try:
            content = fetch(entry, base_url=base_url, timeout=timeout, callback=callback)
        except DatasetUnavailable as error:
            if entry.name not in _IN_SKLEARN:
                raise
            warnings.warn(f"{error} Until then scikit-learn's copy is used.", HypcseWarning, stacklevel=3)
            return _from_sklearn(entry)
    return read_mat(entry, content)


def _user_file(entry: Dataset) -> Path | None:
    """NAME.npz in the folder of HYPCSE_DATA, or None if either does not exist."""
    named = os.environ.get("HYPCSE_DATA")
    if not named:
        return None
    folder = Path(named).expanduser()
    if not folder.is_dir():
        raise DatasetUnavailable(
            f"HYPCSE_DATA={named!r} is not a folder. Set it to one that holds {entry.name}.npz, or unset it."
        )
    path = folder / f"{entry.name}.npz"
    return path if path.is_file() else None


def _from_sklearn(entry: Dataset) -> Labelled:
    from sklearn import datasets

    X, y = getattr(datasets, _IN_SKLEARN[entry.name])(return_X_y=True)
    if entry.name == "iris":
        warnings.warn(
            "This is scikit-learn's iris: 3 entries in rows 34 and 37 (counted from 0) differ from UCI's "
            "uncorrected file that the paper used. For the original, set HYPCSE_DATA to a folder that holds "
            f"iris.npz, or download {file_url(entry)} into {cache_folder()}.",
            HypcseWarning,
            stacklevel=4,
        )
    return check_labelled(entry, X, y, "scikit-learn")

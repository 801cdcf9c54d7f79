"""From a file on this machine or of the authors to the checked pair (X, y); nothing in a file is executed."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hypcse._checks import check_finite, warn
from hypcse._progress import Callback, Reporter, Stopped
from hypcse.datasets.catalog import Dataset, describe
from hypcse.kernels.compile import user_cache
from hypcse.points.formats.errors import reading
from hypcse.storage.files import write_file

# One commit, not a branch: the checksums belong to the files of that commit.
_COMMIT = "0dfcd1247959faf734cc8d6c1fac3b28f7dd9fc7"
BASE_URL = f"https://raw.githubusercontent.com/SELGroup/HypCSE/{_COMMIT}/datasets"
TIMEOUT = 20.0
"""Seconds to wait for the next bytes."""
_CHUNK = 1 << 16


class DatasetUnavailable(OSError):
    """No source has the data set; the text names the cause and the ways to get it."""


def cache_folder() -> Path:
    """The user's cache folder; a temporary folder if the user has no home, as in some containers."""
    return user_cache() or Path(tempfile.gettempdir()) / "hypcse"


def store(entry: Dataset, content: bytes) -> None:
    """Store a file; readers see the old one or the new one, never a part."""
    folder = cache_folder()
    folder.mkdir(parents=True, exist_ok=True)
    write_file(folder / entry.file, content)


def fetch(entry: Dataset, callback: Callback | None) -> bytes:
    """The file's content, checked, and stored in the cache folder."""
    url = f"{BASE_URL}/{entry.file}"
    try:
        content = _download(entry, url, callback)
    except Stopped:
        raise
    except (OSError, ValueError) as error:
        # The text names the cause; the chain of a failed connection is some 80 lines long.
        raise DatasetUnavailable(
            f"Data set {entry.name!r} is not available: {url} failed ({error!s:.200}). There are three ways to get "
            f"it: set HYPCSE_DATA to a folder that holds {entry.name}.npz (arrays X and y), put {entry.file} into "
            f"{cache_folder()}, or run again with a network connection."
        ) from None
    try:
        store(entry, content)
    except OSError as error:
        warn(f"{entry.file} cannot be stored: {error}. Set XDG_CACHE_HOME to a folder that can be written.")
    return content


def _download(entry: Dataset, url: str, callback: Callback | None) -> bytes:
    """The content, with the right checksum. OSError if the download fails, ValueError if it is another file."""
    import requests

    content, reporter = bytearray(), Reporter(callback)
    with requests.get(url, stream=True, timeout=TIMEOUT) as response:
        response.raise_for_status()
        for chunk in response.iter_content(_CHUNK):
            content += chunk
            done = min(len(content), entry.bytes)
            if reporter.tell("download", done, entry.bytes) and done < entry.bytes:
                raise Stopped(
                    f"the download of {url} was stopped by its callback at {done:,} of {entry.bytes:,} bytes."
                )
            if len(content) > entry.bytes:
                raise ValueError(f"it has more than the {entry.bytes} bytes of the file")
    digest = sha256(content).hexdigest()
    if digest != entry.sha256:
        raise ValueError(f"its sha256 is {digest}, not {entry.sha256}, in {len(content)} of {entry.bytes} bytes")
    return bytes(content)


Labeled = tuple[NDArray[np.float64], NDArray[np.int64]]


def read_npz(entry: Dataset, path: Path) -> Labeled:
    """X and y of a NumPy archive."""
    with reading(path, "a NumPy archive of plain arrays X and y"), np.load(path, allow_pickle=False) as archive:
        X, y = archive["X"], archive["y"]
    return check_labeled(entry, X, y, str(path))


def read_mat(entry: Dataset, content: bytes) -> Labeled:
    """X and y of a MATLAB file with the features as `fea` and the classes as `gnd`."""
    from scipy.io import loadmat

    members: dict[str, Any] = loadmat(BytesIO(content))
    X = members["fea"]
    return check_labeled(entry, X.toarray() if hasattr(X, "toarray") else X, members["gnd"].ravel(), entry.file)


def check_labeled(entry: Dataset, X: NDArray[Any], y: NDArray[Any], source: str) -> Labeled:
    """X as float64 and y as class codes from 0, with the shapes in the catalog."""
    classes, codes = np.unique(y, return_inverse=True)
    actual = X.shape, y.shape, classes.size
    expected = (entry.n_points, entry.n_features), (entry.n_points,), entry.n_classes
    if actual != expected:
        raise ValueError(
            f"X, y and classes of {source} have the sizes {actual}, but {entry.name!r} has {expected}. "
            "This is another data set or another version of it; replace the file or remove it."
        )
    features = np.ascontiguousarray(X, dtype=np.float64)
    check_finite(f"X of {source}", features)
    return features, codes.astype(np.int64)


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
    folder = os.environ.get("HYPCSE_DATA")
    if folder and not Path(folder).expanduser().is_dir():
        raise DatasetUnavailable(
            f"HYPCSE_DATA={folder!r} is not a folder. Set it to one that holds {entry.name}.npz, or unset it."
        )
    if folder and (path := Path(folder).expanduser() / f"{entry.name}.npz").is_file():
        return read_npz(entry, path)
    # An unreadable cache is no reason to stop: the later sources may still work.
    with suppress(OSError):
        content = (cache_folder() / entry.file).read_bytes()
        if sha256(content).hexdigest() == entry.sha256:
            return read_mat(entry, content)
    if entry.name in _IN_SKLEARN:
        from sklearn import datasets

        X, y = getattr(datasets, _IN_SKLEARN[entry.name])(return_X_y=True)
        return check_labeled(entry, X, y, "scikit-learn")
    return read_mat(entry, fetch(entry, callback))

"""From a file's content to the checked pair (X, y). No pickle: nothing in a file is executed."""

from __future__ import annotations

from collections.abc import Collection
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hypcse._checks import check_finite
from hypcse.datasets.catalogue import Dataset

Labelled = tuple[NDArray[np.float64], NDArray[np.int64]]


def read_npz(entry: Dataset, path: Path) -> Labelled:
    """X and y of a NumPy archive."""
    members = _npz_members(path)
    _check_members(members, ("X", "y"), str(path))
    return check_labelled(entry, members["X"], members["y"], str(path))


def _npz_members(path: Path) -> dict[str, NDArray[Any]]:
    import zipfile
    import zlib

    try:
        # numpy.load would also open a lone array or look for a pickle; only an archive is wanted.
        if not zipfile.is_zipfile(path):
            raise ValueError("it is not a zip file")
        with np.load(path, allow_pickle=False) as archive:
            return dict(archive)
    except (ValueError, EOFError, RuntimeError, zipfile.BadZipFile, zlib.error) as error:
        raise ValueError(
            f"{path} cannot be read as a NumPy archive of plain arrays: {str(error).rstrip('.')}. "
            f"Write it again with numpy.savez({path.name!r}, X=X, y=y), where X and y hold numbers."
        ) from error


def read_mat(entry: Dataset, content: bytes) -> Labelled:
    """X and y of a MATLAB file with the features as `fea` and the classes as `gnd`."""
    from scipy.io import loadmat

    members: dict[str, Any] = loadmat(BytesIO(content))
    _check_members(members, ("fea", "gnd"), entry.file)
    X = members["fea"]
    dense = X.toarray() if hasattr(X, "toarray") else X
    return check_labelled(entry, dense, members["gnd"].ravel(), entry.file)


def _check_members(found: Collection[str], wanted: tuple[str, ...], source: str) -> None:
    missing = [name for name in wanted if name not in found]
    if missing:
        lacked, needed = " and ".join(missing), " and ".join(wanted)
        held = ", ".join(sorted(found)) or "nothing"
        raise ValueError(f"{source} lacks {lacked}; it holds {held}. Write it again with {needed}.")


def check_labelled(entry: Dataset, X: NDArray[Any], y: NDArray[Any], source: str) -> Labelled:
    """X as float64 and y as class codes from 0, with the shapes in the catalogue."""
    if X.dtype.kind not in "biuf":
        raise ValueError(f"X of {source} has dtype {X.dtype}; numbers are needed. Write it again as float64.")
    _check_equal(entry, "X has shape", X.shape, (entry.n_points, entry.n_features), source)
    _check_equal(entry, "y has shape", y.shape, (entry.n_points,), source)
    features = np.ascontiguousarray(X, dtype=np.float64)
    check_finite(f"X of {source}", features)
    classes, codes = np.unique(y, return_inverse=True)
    _check_equal(entry, "y has a number of classes", len(classes), entry.n_classes, source)
    return features, codes.astype(np.int64)


def _check_equal(entry: Dataset, what: str, found: object, wanted: object, source: str) -> None:
    if found != wanted:
        raise ValueError(
            f"{what} {found} in {source}, but {entry.name!r} has {wanted}. "
            "This is another data set or another version of it; replace the file or remove it."
        )

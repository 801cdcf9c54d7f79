"""Bringing an authors' file into the cache folder, whole or not at all."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from hypcse.datasets.catalogue import Dataset

# One commit of the authors' repository, so that the file behind an address never changes.
BASE_URL = "https://raw.githubusercontent.com/SELGroup/HypCSE/0dfcd1247959faf734cc8d6c1fac3b28f7dd9fc7/datasets"
TIMEOUT = 30.0
CHUNK = 1 << 16

Progress = Callable[[int, int], None]
"""Called with the bytes done and the bytes in all."""


class DatasetUnavailable(OSError):
    """A data set is in none of the places where it is looked for."""


def cache_folder() -> Path:
    """Where fetched files are kept: `$XDG_CACHE_HOME/hypcse`, by default `~/.cache/hypcse`."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "hypcse"


def is_intact(entry: Dataset, path: Path) -> bool:
    """Whether a file has the size and the checksum of the catalogue."""
    return path.stat().st_size == entry.n_bytes and hashlib.sha256(path.read_bytes()).hexdigest() == entry.sha256


def fetch(
    entry: Dataset,
    folder: Path,
    progress: Progress | None = None,
    *,
    base_url: str = BASE_URL,
    timeout: float = TIMEOUT,
) -> Path:
    """Fetch the file of a data set into a folder; its path. Raises DatasetUnavailable and leaves nothing behind."""
    from http.client import HTTPException

    try:
        content = _download(f"{base_url}/{entry.file}", entry.n_bytes, progress, timeout)
    except (OSError, HTTPException) as error:
        raise DatasetUnavailable(_ways(entry, folder, f"fetching it failed ({error})")) from error
    if len(content) != entry.n_bytes:
        found = f"more than {entry.n_bytes}" if len(content) > entry.n_bytes else str(len(content))
        raise DatasetUnavailable(_ways(entry, folder, f"the answer has {found} bytes instead of {entry.n_bytes}"))
    if hashlib.sha256(content).hexdigest() != entry.sha256:
        raise DatasetUnavailable(_ways(entry, folder, "the answer has another checksum than the catalogue"))
    return _write_whole(folder / entry.file, content)


def _download(url: str, n_bytes: int, progress: Progress | None, timeout: float) -> bytes:
    """The answer's bytes, at most one more than expected: enough to tell that there are too many."""
    from urllib.request import urlopen

    content = bytearray()
    with urlopen(url, timeout=timeout) as answer:
        while len(content) <= n_bytes:
            chunk = answer.read(min(CHUNK, n_bytes + 1 - len(content)))
            if not chunk:
                break
            content += chunk
            if progress is not None:
                progress(min(len(content), n_bytes), n_bytes)
    return bytes(content)


def _write_whole(path: Path, content: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise
    return path


def _ways(entry: Dataset, folder: Path, cause: str) -> str:
    cached = folder / entry.file
    if cached.exists():
        cause = f"{cached} is damaged, and {cause}"
    return (
        f"data set {entry.name!r} is not here: {cause}. Three ways out: set HYPCSE_DATA to a folder that holds "
        f"{entry.name}.npz (arrays X and y); put the authors' {entry.file} at {cached}; or try again with a network."
    )

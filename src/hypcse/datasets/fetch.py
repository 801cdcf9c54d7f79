"""Fetching a data set's file from the authors' public repository, with size and checksum checked."""

from __future__ import annotations

import warnings

from hypcse._checks import HypcseWarning
from hypcse._progress import Callback, Reporter, Stopped
from hypcse.datasets.cache import cache_folder, find_damage, find_fault, store
from hypcse.datasets.catalogue import Dataset

# One commit, not a branch: the checksums belong to the files as they were then.
_COMMIT = "0dfcd1247959faf734cc8d6c1fac3b28f7dd9fc7"
BASE_URL = f"https://raw.githubusercontent.com/SELGroup/HypCSE/{_COMMIT}/datasets"
TIMEOUT = 20.0
_CHUNK = 1 << 16


class DatasetUnavailable(OSError):
    """No source has the data set; the text names the cause and the ways to get it."""


def fetch(
    entry: Dataset,
    *,
    base_url: str = BASE_URL,
    timeout: float = TIMEOUT,
    callback: Callback | None = None,
) -> bytes:
    """The file's content, checked, and kept in the cache folder.

    `timeout` is the longest wait in seconds for the next bytes. `callback` is called with a `Progress` in bytes;
    return True to stop, which raises `Stopped` and keeps nothing.
    """
    from http.client import HTTPException

    url = file_url(entry, base_url)
    try:
        content = _download(url, entry.bytes, timeout, callback)
    except Stopped:
        raise
    except (OSError, HTTPException) as error:
        raise _unavailable(entry, _cause(error, url, timeout)) from error
    fault = find_fault(entry, content)
    if fault is not None:
        raise _unavailable(entry, f"the answer of {url} was refused: {fault}")
    _keep(entry, content)
    return content


def file_url(entry: Dataset, base_url: str = BASE_URL) -> str:
    """Where the authors' file lies."""
    return f"{base_url.rstrip('/')}/{entry.file}"


def _download(url: str, size: int, timeout: float, callback: Callback | None) -> bytes:
    """At most `size` + 1 bytes: the one byte more is enough to know that the answer is too long."""
    from urllib.request import urlopen

    content, reporter = bytearray(), Reporter(callback)
    with urlopen(url, timeout=timeout) as answer:
        # read1 returns what has come, so that a slow answer still moves the progress.
        while piece := answer.read1(min(_CHUNK, size + 1 - len(content))):
            content += piece
            done = min(len(content), size)
            if reporter.tell("download", done, size) and done < size:
                raise Stopped(f"the download of {url} was stopped by its callback at {done:,} of {size:,} bytes.")
    return bytes(content)


def _cause(error: Exception, url: str, timeout: float) -> str:
    from urllib.error import HTTPError

    if isinstance(error, HTTPError):
        error.close()
        return f"{url} answered {error.code} {error.reason}"
    reason = getattr(error, "reason", error)
    if isinstance(reason, TimeoutError):
        return f"{url} sent nothing for {timeout:g} s"
    return f"{url} cannot be read: {reason}"


def _unavailable(entry: Dataset, cause: str) -> DatasetUnavailable:
    damage = find_damage(entry)
    cached = cache_folder() / entry.file
    also = "" if damage is None else f" The cached file {cached} is damaged: {damage}."
    return DatasetUnavailable(
        f"Data set {entry.name!r} is not available: {cause}.{also} There are three ways to get it: "
        f"set HYPCSE_DATA to a folder that holds {entry.name}.npz (arrays X and y), "
        f"put {entry.file} into {cached.parent}, or run again with a network connection."
    )


def _keep(entry: Dataset, content: bytes) -> None:
    try:
        store(entry, content)
    except OSError as error:
        warnings.warn(
            f"{entry.file} was fetched but cannot be kept in {cache_folder()}: {error}. "
            "It will be fetched again next time; set XDG_CACHE_HOME to a folder that can be written.",
            HypcseWarning,
            stacklevel=5,
        )

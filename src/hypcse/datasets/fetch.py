"""The folder of downloaded files; nothing in it is trusted without its sha256."""

from __future__ import annotations

import tempfile
from hashlib import sha256
from pathlib import Path

from hypcse._checks import warn
from hypcse._progress import Callback, Reporter, Stopped
from hypcse.datasets.catalog import Dataset
from hypcse.kernels.cache import user_cache
from hypcse.storage.whole import write_file

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


def read_cached(entry: Dataset) -> bytes | None:
    """The content of the cached file; None if it is absent, unreadable or damaged."""
    try:
        content = (cache_folder() / entry.file).read_bytes()
    except OSError:
        # An unreadable cache is no reason to stop: the later sources may still work.
        return None
    return content if sha256(content).hexdigest() == entry.sha256 else None


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
            f"Data set {entry.name!r} is not available: {_cause(error, url)}. There are three ways to get it: set "
            f"HYPCSE_DATA to a folder that holds {entry.name}.npz (arrays X and y), put {entry.file} into "
            f"{cache_folder()}, or run again with a network connection."
        ) from None
    try:
        store(entry, content)
    except OSError as error:
        warn(
            f"{entry.file} was fetched but cannot be stored in {cache_folder()}: {error}. It will be fetched again "
            "next time; set XDG_CACHE_HOME to a folder that can be written."
        )
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


def _cause(error: Exception, url: str) -> str:
    from requests.exceptions import HTTPError

    if isinstance(error, HTTPError) and error.response is not None:
        return f"{url} answered {error.response.status_code} {error.response.reason}"
    if isinstance(error, ValueError):
        return f"the answer of {url} was refused: {error}"
    # A timeout while waiting for the next bytes is raised as a broken connection.
    if "timed out" in str(error):
        return f"{url} sent nothing for {TIMEOUT:g} s"
    inner = error.args[0] if error.args else error
    return f"{url} cannot be read: {getattr(inner, 'reason', inner)}"

"""The folder that keeps fetched files; nothing in it is trusted without its sha256."""

from __future__ import annotations

import logging
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from hypcse._checks import HypcseWarning
from hypcse._progress import Callback, Reporter, Stopped
from hypcse.datasets.catalogue import Dataset
from hypcse.kernels.cache import user_cache
from hypcse.storage.whole import write_file


def cache_folder() -> Path:
    """The user's cache folder; a temporary folder if the user has no home, as in some containers."""
    return user_cache() or Path(tempfile.gettempdir()) / "hypcse"


def read_cached(entry: Dataset) -> bytes | None:
    """The cached file's content, or None when it is absent, unreadable or damaged."""
    content = _content(entry)
    return content if content is not None and find_fault(entry, content) is None else None


def find_damage(entry: Dataset) -> str | None:
    """What is wrong with the cached file, or None if it is intact or does not exist."""
    content = _content(entry)
    return None if content is None else find_fault(entry, content)


def find_fault(entry: Dataset, content: bytes) -> str | None:
    """How `content` differs from the catalogue's file, or None if it is that file."""
    digest = sha256(content).hexdigest()
    if digest == entry.sha256:
        return None
    return f"its sha256 is {digest} where {entry.file} has {entry.sha256}, in {len(content)} of {entry.bytes} bytes"


def store(entry: Dataset, content: bytes) -> None:
    """Store a file; readers see the old one or the new one, never a part."""
    folder = cache_folder()
    folder.mkdir(parents=True, exist_ok=True)
    write_file(folder / entry.file, content)


def _content(entry: Dataset) -> bytes | None:
    try:
        return (cache_folder() / entry.file).read_bytes()
    except OSError:
        # An unreadable cache is no reason to stop: the later sources may still work.
        return None


# One commit, not a branch: the checksums belong to the files of that commit.
_COMMIT = "0dfcd1247959faf734cc8d6c1fac3b28f7dd9fc7"
BASE_URL = f"https://raw.githubusercontent.com/SELGroup/HypCSE/{_COMMIT}/datasets"
TIMEOUT = 20.0
_CHUNK = 1 << 16
_MARGIN = 16


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
    url = file_url(entry, base_url)
    try:
        content = _download(entry, url, timeout, callback)
    except Stopped:
        raise
    except (OSError, ValueError) as error:
        # The text names the cause; the chain of a failed connection is some 80 lines long.
        raise _unavailable(entry, _cause(error, url, timeout)) from None
    _keep(entry, content)
    return content


def file_url(entry: Dataset, base_url: str = BASE_URL) -> str:
    """Where the authors' file lies."""
    return f"{base_url.rstrip('/')}/{entry.file}"


def _download(entry: Dataset, url: str, timeout: float, callback: Callback | None) -> bytes:
    """The content, with the right checksum. OSError if the download fails, ValueError if it is another file."""
    import pooch

    with TemporaryDirectory() as folder, _silenced(pooch.get_logger()):
        shown = _Shown(url, entry.bytes, Reporter(callback))
        downloader = pooch.HTTPDownloader(progressbar=shown, chunk_size=_CHUNK, timeout=timeout)
        found = pooch.retrieve(url, f"sha256:{entry.sha256}", entry.file, folder, downloader=downloader)
        return Path(found).read_bytes()


class _Shown:
    """Passed to pooch as a progress bar: calls the callback, and stops an answer that is far longer than the file.

    total : the length that the server promises, or 0.
    """

    def __init__(self, url: str, size: int, reporter: Reporter) -> None:
        self.url, self.size, self.reporter, self.done, self.total = url, size, reporter, 0, 0

    def update(self, n_bytes: int) -> None:
        """Count bytes received, or fewer: pooch counts every chunk as a full one."""
        self.done += n_bytes
        if self.total > self.size or self.done > _MARGIN * self.size + 2**20:
            raise ValueError(f"it has more than the {self.size} bytes of the file")
        done = min(self.done, self.size)
        if self.reporter.tell("download", done, self.size) and done < self.size:
            raise Stopped(f"the download of {self.url} was stopped by its callback at {done:,} of {self.size:,} bytes.")

    def reset(self) -> None:
        """Called before pooch reports everything once more; that report is ignored."""
        self.done, self.reporter = 0, Reporter(None)

    def close(self) -> None:
        """At the end."""


@contextmanager
def _silenced(logger: logging.Logger) -> Iterator[None]:
    """Keep pooch's log of every download off the terminal."""
    before = logger.level
    logger.setLevel(logging.WARNING)
    try:
        yield
    finally:
        logger.setLevel(before)


def _cause(error: Exception, url: str, timeout: float) -> str:
    from requests.exceptions import HTTPError, InvalidURL

    if isinstance(error, HTTPError) and error.response is not None:
        return f"{url} answered {error.response.status_code} {error.response.reason}"
    if isinstance(error, ValueError) and not isinstance(error, InvalidURL):
        return f"the answer of {url} was refused: {str(error).split(' Deleted download')[0].rstrip('.')}"
    # A timeout while waiting for the next bytes is raised as a broken connection.
    if "timed out" in str(error):
        return f"{url} sent nothing for {timeout:g} s"
    inner = error.args[0] if error.args else error
    return f"{url} cannot be read: {getattr(inner, 'reason', inner)}"


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

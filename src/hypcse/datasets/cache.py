"""The folder that keeps fetched files; nothing in it is trusted without its size and sha256."""

from __future__ import annotations

import os
import tempfile
from hashlib import sha256
from pathlib import Path

from hypcse.datasets.catalogue import Dataset


def cache_folder() -> Path:
    """$XDG_CACHE_HOME/hypcse, or ~/.cache/hypcse when that variable is unset or relative."""
    base = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (base if base.is_absolute() else _home() / ".cache") / "hypcse"


def _home() -> Path:
    try:
        return Path.home()
    except RuntimeError:
        # A container's nameless user has no home. Any folder will do, because content is checked on reading.
        return Path(tempfile.gettempdir())


def find_fault(entry: Dataset, content: bytes) -> str | None:
    """What makes `content` another file than the catalogue's, or None when it is that file."""
    if len(content) != entry.bytes:
        # Readers stop one byte past the known size, so the true size of a longer file is unknown.
        found = f"more than {entry.bytes}" if len(content) > entry.bytes else f"only {len(content)}"
        return f"it has {found} bytes where {entry.file} has {entry.bytes}"
    digest = sha256(content).hexdigest()
    if digest != entry.sha256:
        return f"its sha256 is {digest} where {entry.file} has {entry.sha256}"
    return None


def read_cached(entry: Dataset) -> bytes | None:
    """The cached file's content, or None when it is absent, unreadable or damaged."""
    content = _content(entry)
    return content if content is not None and find_fault(entry, content) is None else None


def find_damage(entry: Dataset) -> str | None:
    """What is wrong with the cached file, or None when there is none or it is sound."""
    content = _content(entry)
    return None if content is None else find_fault(entry, content)


def _content(entry: Dataset) -> bytes | None:
    try:
        with open(cache_folder() / entry.file, "rb") as file:
            return file.read(entry.bytes + 1)
    except OSError:
        # A cache that cannot be read is no reason to stop: the later sources may still answer.
        return None


def store(entry: Dataset, content: bytes) -> None:
    """Write the file whole or not at all: readers see the old file or the new one, never a part."""
    folder = cache_folder()
    folder.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=folder, prefix=f".{entry.file}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.replace(temporary, folder / entry.file)
    finally:
        Path(temporary).unlink(missing_ok=True)

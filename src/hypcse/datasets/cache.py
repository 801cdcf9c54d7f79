"""The folder that keeps fetched files; nothing in it is trusted without its sha256."""

from __future__ import annotations

import tempfile
from hashlib import sha256
from pathlib import Path

from hypcse._cache import user_cache
from hypcse.datasets.catalogue import Dataset
from hypcse.writing import write_file


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

"""Checks the text heaps of an HDF5 file before the library reads them: a damaged one makes it loop forever."""

from __future__ import annotations

import mmap
from pathlib import Path

_SIGNATURE = b"\x89HDF\r\n\x1a\n"
_MARK = b"GCOL\x01\0\0\0"
"""Start of a heap: its signature, version and three unused bytes. Its size follows."""
_HEAD = 16
"""Bytes of the header of a heap, and of an object in it: number, references, unused, size."""


def check_heaps(path: Path) -> None:
    """Raise unless a walk through the objects of every heap comes to its end. O(bytes).

    The library steps from object to object by their sizes. The size of object 0, the rest of the heap, includes its
    header; if damage makes it 0, the library never moves on.
    """
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        if content.find(_SIGNATURE) < 0:
            raise ValueError("it has no signature of HDF5")
        start = content.find(_MARK)
        while start >= 0:
            _walk(content, start)
            start = content.find(_MARK, start + len(_MARK))


def _walk(content: mmap.mmap, start: int) -> None:
    size = int.from_bytes(content[start + len(_MARK) : start + _HEAD], "little")
    place, end = start + _HEAD, min(start + size, len(content))
    while place + _HEAD <= end:
        held = int.from_bytes(content[place + 8 : place + _HEAD], "little")
        is_object = any(content[place : place + 2])
        step = _HEAD + -(-held // 8) * 8 if is_object else held
        if not 0 < step <= size:
            raise ValueError(f"the heap at byte {start} holds an object of {held} bytes at byte {place}")
        place += step

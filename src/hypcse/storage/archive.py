"""Arrays and facts as two files, safetensors and JSON, under digests; reading them runs no code."""

from __future__ import annotations

import hashlib
import json
import os
import reprlib
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load as read_arrays
from safetensors.numpy import save as write_arrays

from hypcse import __version__

ARRAYS, FACTS = "arrays.safetensors", "facts.json"
FILES = (ARRAYS, FACTS)
SCHEMA = 1
MAX_FACTS = 2**30
"""Maximum size of facts.json in bytes: room for millions of names."""
MAX_SHOWN = 300
"""Characters of a path that a message shows."""
_KEYS = {"format", "schema", "version", "arrays", "content", "sha256"}
_WAY_OUT = "Restore the folder from a copy, or write it again."
_show = reprlib.repr

Content = dict[str, Any]
"""Nested dictionaries of arrays and JSON values; no key holds a slash."""


class ModelFileError(ValueError):
    """The folder is not a saved model or checkpoint, is damaged, or is too new; the text names the file."""


def pack(kind: str, content: Content) -> dict[str, bytes]:
    """The two files of a content, by name. `kind` says what it is, and is checked when it is read.

    >>> sorted(pack("example", {"a": np.arange(3), "b": "text"}))
    ['arrays.safetensors', 'facts.json']
    """
    arrays: dict[str, NDArray[Any]] = {}
    facts = _without_arrays(content, "", arrays)
    packed = write_arrays(arrays)
    form = {
        "format": kind,
        "schema": SCHEMA,
        "version": __version__,
        "arrays": {"bytes": len(packed), "sha256": hashlib.sha256(packed).hexdigest()},
        "content": facts,
    }
    text = _encoded({**form, "sha256": _digest(form)}, indent=1)
    if len(text) > MAX_FACTS:
        raise ValueError(f"{FACTS} would have {len(text)} bytes; the limit is {MAX_FACTS}. Shorten the names.")
    return {ARRAYS: packed, FACTS: text}


class Archive(NamedTuple):
    """What a folder holds, and the version of hypcse that wrote it."""

    content: Content
    version: str


def read_archive(folder: Path, kind: str) -> Archive:
    """The content of a folder with the two files; arrays are read-only."""
    check_folder(folder)
    facts, arrays = folder / FACTS, folder / ARRAYS
    form = _parsed(facts, kind)
    try:
        size, digest = form["arrays"]["bytes"], form["arrays"]["sha256"]
        packed = _bytes(arrays, form["arrays"]["bytes"])
    except (KeyError, TypeError):
        fail(facts, "'arrays' does not give the size and digest of the other file")
    if len(packed) != size or hashlib.sha256(packed).hexdigest() != digest:
        fail(arrays, f"the content does not match {FACTS}: it was changed, or belongs to another folder")
    try:
        found = read_arrays(packed)
    except (SafetensorError, KeyError, ValueError, TypeError, OverflowError) as error:
        fail(arrays, f"it is not a safetensors file ({error})")
    return Archive(_joined(form["content"], found, arrays), str(form["version"])[:20])


def check_folder(folder: Path) -> None:
    """Raise unless the folder exists and its files can be listed."""
    shown = f"{folder}"[:MAX_SHOWN] if f"{folder}".isprintable() else repr(f"{folder}")[:MAX_SHOWN]
    try:
        if folder.is_dir():
            os.scandir(folder).close()
            return
        problem = f"{shown} is a file, not a folder" if folder.exists() else f"there is no folder {shown}"
    except OSError as error:
        raise ModelFileError(
            f"the folder {shown} cannot be read ({error.strerror}). Check its name and its permissions."
        ) from error
    raise ModelFileError(f"{problem}. Check the name.")


def fail(path: Path, problem: str) -> NoReturn:
    """Raise the one error for everything that can be wrong with a file."""
    raise ModelFileError(f"{path}: {problem.rstrip('.')}. {_WAY_OUT}") from None


def _without_arrays(content: Content, prefix: str, arrays: dict[str, NDArray[Any]]) -> Content:
    """The content without its arrays; these are put into `arrays` under their paths."""
    facts = {}
    for key, value in content.items():
        if isinstance(value, np.ndarray):
            # safetensors writes the raw memory, whatever the order of the axes.
            arrays[prefix + key] = np.asarray(value, order="C")
        else:
            facts[key] = _without_arrays(value, f"{prefix}{key}/", arrays) if isinstance(value, dict) else value
    return facts


def _joined(content: Content, arrays: dict[str, NDArray[Any]], path: Path) -> Content:
    """The content with its arrays put back."""
    for name, array in arrays.items():
        *parents, last = name.split("/")
        place: Any = content
        for parent in parents:
            place = place.get(parent) if isinstance(place, dict) else None
        if not isinstance(place, dict) or last in place:
            fail(path, f"the array {_show(name)} has no place in {FACTS}")
        place[last] = array
    return content


def _bytes(path: Path, size: int, exact: bool = True) -> bytes:
    """The bytes of a file of exactly, or at most, that size; nothing larger is read."""
    try:
        if not path.is_file():
            fail(path, "the file is missing")
        found = path.stat().st_size
        if found > size or (exact and found != size):
            fail(path, f"the file has {found} bytes instead of {'' if exact else 'at most '}{size}")
        return path.read_bytes()
    except OSError as error:
        fail(path, f"the file cannot be read ({error.strerror})")


def _parsed(path: Path, kind: str) -> Content:
    """The object in facts.json, if it is of that kind, of a known schema, and unchanged."""
    form = _decoded(path)
    if not isinstance(form, dict) or form.get("format") != kind:
        found = form.get("format") if isinstance(form, dict) else form
        fail(path, f"'format' is {_show(found)} instead of {kind!r}: this is something else")
    schema = form.get("schema")
    if type(schema) is int and schema > SCHEMA:
        raise ModelFileError(
            f"{path}: 'schema' is {schema}, written by hypcse {_show(form.get('version'))}, but this is hypcse "
            f"{__version__}, which reads schemas up to {SCHEMA}. Update hypcse."
        )
    if type(schema) is not int or schema < 1:
        fail(path, f"'schema' is {_show(schema)} instead of a number from 1 to {SCHEMA}")
    if set(form) != _KEYS or not isinstance(form["content"], dict):
        fail(path, f"the keys are {_show(sorted(form))} instead of {sorted(_KEYS)}, 'content' an object")
    digest = form.pop("sha256")
    try:
        same = digest == _digest(form)
    except (ValueError, RecursionError) as error:
        fail(path, f"it holds an invalid value ({error})")
    if not same:
        fail(path, "the content does not match its digest 'sha256': the file was changed")
    return form


def _decoded(path: Path) -> Any:
    content = _bytes(path, MAX_FACTS, exact=False)
    try:
        return json.loads(content.decode("utf-8", "surrogatepass"))
    except UnicodeDecodeError as error:
        fail(path, f"it is not UTF-8 from byte {error.start} on")
    except json.JSONDecodeError as error:
        fail(path, f"it is not JSON: {error.msg} at line {error.lineno}, column {error.colno}")
    except RecursionError:
        fail(path, "it is nested too deep")
    except ValueError as error:
        fail(path, f"it holds an invalid value ({error})")


def _encoded(form: Content, indent: int | None) -> bytes:
    """JSON text. Lone surrogates, which file names may hold, are kept."""
    text = json.dumps(form, sort_keys=True, allow_nan=False, ensure_ascii=False, indent=indent)
    return text.encode("utf-8", "surrogatepass")


def _digest(form: Content) -> str:
    return hashlib.sha256(_encoded(form, indent=None)).hexdigest()

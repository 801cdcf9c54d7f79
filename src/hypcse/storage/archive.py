"""Arrays and facts as two files, safetensors and JSON, under digests; reading them runs no code."""

from __future__ import annotations

import hashlib
import json
from functools import reduce
from operator import getitem
from pathlib import Path
from reprlib import repr as short
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

Content = dict[str, Any]
"""Nested dictionaries of arrays and JSON values; no key holds a slash."""


class ModelFileError(ValueError):
    """The folder is not a saved model or checkpoint, is damaged, or is too new; the text names the file."""


def pack(kind: str, content: Content) -> dict[str, bytes]:
    """The two files of a content, by name; reading checks the `kind`."""
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
    return {ARRAYS: packed, FACTS: _encode({**form, "sha256": _digest(form)}, indent=1)}


class Archive(NamedTuple):
    """What a folder holds, and the version of hypcse that wrote it."""

    content: Content
    version: str


def read_archive(folder: Path, kind: str) -> Archive:
    """The content of a folder with the two files; arrays are read-only."""
    check_folder(folder)
    form, path = _read_facts(folder / FACTS, kind), folder / ARRAYS
    packed = _read_bytes(path)
    if form["arrays"] != {"bytes": len(packed), "sha256": hashlib.sha256(packed).hexdigest()}:
        fail(path, f"the content does not match {FACTS}: it was changed, or belongs to another folder")
    try:
        for name, array in read_arrays(packed).items():
            *parents, last = name.split("/")
            reduce(getitem, parents, form["content"])[last] = array
    except (SafetensorError, LookupError, ValueError, TypeError, OverflowError) as error:
        fail(path, f"it is not a safetensors file that belongs to {FACTS} ({error})")
    return Archive(form["content"], str(form["version"])[:20])


def check_folder(folder: Path) -> None:
    if not folder.is_dir():
        problem = f"{folder} is a file, not a folder" if folder.exists() else f"there is no folder {folder}"
        raise ModelFileError(f"{problem}. Check its name and its permissions.")


def fail(path: Path, problem: str) -> NoReturn:
    """Raise the one error for everything that can be wrong with a file."""
    raise ModelFileError(f"{path}: {problem.rstrip('.')}. Restore the folder from a copy, or write it again.") from None


def _without_arrays(content: Content, prefix: str, arrays: dict[str, NDArray[Any]]) -> Content:
    """The content without its arrays, which go into `arrays` under their paths."""
    facts = {}
    for key, value in content.items():
        if isinstance(value, np.ndarray):
            # safetensors writes the raw memory, whatever the order of the axes.
            arrays[prefix + key] = np.asarray(value, order="C")
        else:
            facts[key] = _without_arrays(value, f"{prefix}{key}/", arrays) if isinstance(value, dict) else value
    return facts


def _read_bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        fail(path, "the file is missing" if isinstance(error, FileNotFoundError) else str(error.strerror))


def _read_facts(path: Path, kind: str) -> Content:
    """The object in facts.json, if it is of that kind, of a known schema, and unchanged."""
    try:
        form = json.loads(_read_bytes(path).decode("utf-8", "surrogatepass"))
        form = form if isinstance(form, dict) else {"format": form}
        same = form.pop("sha256", None) == _digest(form)
    except (ValueError, RecursionError) as error:
        fail(path, f"it is not valid JSON ({error})")
    if form.get("format") != kind:
        fail(path, f"'format' is {short(form.get('format'))} instead of {kind!r}: this is something else")
    schema = form.get("schema")
    if type(schema) is int and schema > SCHEMA:
        raise ModelFileError(
            f"{path}: 'schema' is {schema}, written by hypcse {short(form.get('version'))}, but this is hypcse "
            f"{__version__}, which reads schemas up to {SCHEMA}. Update hypcse."
        )
    if not same:
        fail(path, "the content does not match its digest 'sha256': the file was changed")
    return form


def _encode(form: Content, indent: int | None = None) -> bytes:
    """JSON text, in which lone surrogates stay as they are."""
    text = json.dumps(form, sort_keys=True, allow_nan=False, ensure_ascii=False, indent=indent)
    return text.encode("utf-8", "surrogatepass")


def _digest(form: Content) -> str:
    return hashlib.sha256(_encode(form)).hexdigest()

"""The text of a page: one file of HTML with its arrays, its looks and its program inside."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import posixpath
import re
from collections.abc import Callable
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hypcse.show.colors import DARK, LIGHT

PROGRAM = "page/main.js"
GENERATOR = "hypcse page"
_PLACE = re.compile(r"\{\{(\w+)\}\}")
_IMPORT = re.compile(r'^import \{[^}]*\} from "([^"]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export ", re.MULTILINE)
# Types and descriptions of what follows, which the page does without: a block that has its lines to itself.
_DESCRIPTION = re.compile(r"^[ \t]*/\*\*(?:(?!\*/).)*\*/[ \t]*\n", re.MULTILINE | re.DOTALL)
# Characters that could end or begin something in HTML or in JavaScript, and their JSON escapes.
_ESCAPES = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}


def render(contents: dict[str, Any]) -> str:
    """The text of the page. Its policy lets nothing run but this style and this script, by their hashes."""
    style = read_asset("style.css")
    looks = f"const CLASS_COLORS = {json.dumps({'light': LIGHT, 'dark': DARK})};"
    script = f'(() => {{\n"use strict";\n{looks}\n{join_modules(PROGRAM, read_asset)}\n}})();\n'
    policy = (
        f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )
    parts = {
        "policy": policy,
        "generator": GENERATOR,
        "title": html.escape(contents["title"]),
        "style": style,
        "script": script,
        "data": to_json(contents),
    }
    # One pass: what is put in is not looked at again, whatever it holds.
    text = _PLACE.sub(lambda place: parts[place[1]], read_asset("page.html"))
    # Half of a surrogate pair is legal in a name but not in UTF-8: it becomes a question mark.
    return text.encode("utf-8", "replace").decode("utf-8")


def to_json(contents: dict[str, Any]) -> str:
    """JSON text that is safe inside a script element."""
    text = json.dumps(contents, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.translate(_ESCAPES)


def read_asset(name: str) -> str:
    """The text of a file of the page."""
    return files("hypcse.show.page").joinpath("assets", *name.split("/")).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")


def join_modules(entry: str, read: Callable[[str], str]) -> str:
    """All modules that `entry` needs as one script, each after those that it imports; they share one scope.

    >>> texts = {"main.js": 'import { two } from "./two.js";\\nalert(two);\\n', "two.js": "export const two = 2;\\n"}
    >>> print(join_modules("main.js", texts.__getitem__))
    const two = 2;
    alert(two);
    """
    ordered: dict[str, str] = {}

    def add(name: str) -> None:
        if name not in ordered:
            text = read(name)
            for source in _IMPORT.findall(text):
                add(posixpath.normpath(posixpath.join(posixpath.dirname(name), source)))
            ordered[name] = _DESCRIPTION.sub("", _EXPORT.sub("", _IMPORT.sub("", text))).strip("\n")

    add(entry)
    return "\n".join(ordered.values())


def pack(values: NDArray[Any]) -> dict[str, str]:
    """An array as its kind ("f4", "i4", "u2", ...) and its bytes, little end first, in base64."""
    plain = np.ascontiguousarray(values, values.dtype.newbyteorder("<"))
    return {
        "kind": f"{values.dtype.kind}{values.dtype.itemsize}",
        "data": base64.b64encode(plain.tobytes()).decode("ascii"),
    }


def pack_single(values: NDArray[Any]) -> dict[str, str]:
    """Numbers in single precision, row by row."""
    return pack(values.astype(np.float32).ravel())


def pack_codes(codes: NDArray[np.int64]) -> dict[str, str]:
    """Numbers from 0 in one, two or four bytes, whichever holds them all, row by row."""
    return pack(codes.astype(np.min_scalar_type(int(codes.max(initial=0)))).ravel())

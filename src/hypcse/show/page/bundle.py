"""The text of a page: one file of HTML with the tree, its looks and its program inside."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from importlib.resources import files

from hypcse.show.colours import DARK, LIGHT
from hypcse.show.page.contents import Shown
from hypcse.show.page.payload import to_json

# The parts of the program in the order in which they are joined; each uses only those before it when it loads.
SCRIPTS = (
    "tree/payload.js",
    "tree/tree.js",
    "tree/cut.js",
    "tree/facts.js",
    "tree/newick.js",
    "draw/moebius.js",
    "draw/palette.js",
    "draw/colours.js",
    "draw/scene.js",
    "draw/disk_names.js",
    "draw/disk.js",
    "draw/axis.js",
    "draw/dendrogram.js",
    "draw/names.js",
    "draw/webgl.js",
    "draw/canvas.js",
    "draw/svg.js",
    "page/elements.js",
    "page/app.js",
    "page/stage.js",
    "page/panel.js",
    "page/legend.js",
    "page/levels.js",
    "page/search.js",
    "page/exports.js",
    "page/pointer.js",
    "page/keyboard.js",
    "page/controls.js",
    "page/main.js",
)
GENERATOR = "hypcse page"
_PLACE = re.compile(r"\{\{(\w+)\}\}")


def render(shown: Shown) -> str:
    """The text of the page. Its policy lets nothing run but this style and this script, by their hashes."""
    style = _asset("style.css")
    colours = json.dumps({"light": LIGHT, "dark": DARK})
    head = f'(() => {{\n"use strict";\nconst CLASS_COLOURS = {colours};\n'
    script = head + "".join(map(_asset, SCRIPTS)) + "})();\n"
    parts = {
        "policy": _policy(style, script),
        "generator": GENERATOR,
        "title": html.escape(shown.title),
        "style": style,
        "script": script,
        "data": to_json(shown),
    }
    # One pass: what is put in is not looked at again, whatever it holds.
    text = _PLACE.sub(lambda place: parts[place[1]], _asset("page.html"))
    # Half of a surrogate pair is legal in a name but not in UTF-8: it becomes a question mark.
    return text.encode("utf-8", "replace").decode("utf-8")


def _asset(name: str) -> str:
    return files("hypcse.show.page").joinpath("assets", *name.split("/")).read_text(encoding="utf-8")


def _policy(style: str, script: str) -> str:
    """Content security policy: nothing from anywhere, and inside only these two texts."""
    return "; ".join(
        [
            "default-src 'none'",
            f"script-src '{_digest(script)}'",
            f"style-src '{_digest(style)}'",
            "img-src data: blob:",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")

"""The text of a page: one file of HTML with the tree, its looks and its program inside."""

from __future__ import annotations

import base64
import hashlib
import html
import re
from importlib.resources import files

from hypcse.show.colours import DARK, LIGHT
from hypcse.show.page.contents import Shown
from hypcse.show.page.modules import join_modules
from hypcse.show.page.payload import to_json

PROGRAM = "page/main.js"
GENERATOR = "hypcse page"
_PLACE = re.compile(r"\{\{(\w+)\}\}")


def render(shown: Shown) -> str:
    """The text of the page. Its policy lets nothing run but this style and this script, by their hashes."""
    style = _asset("style.css")
    script = join_modules(PROGRAM, _asset, {"CLASS_COLOURS": {"light": LIGHT, "dark": DARK}})
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

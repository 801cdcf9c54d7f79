"""The Python code of a page of the docs, run as it stands."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[1] / "docs"


def run_page(name: str, **known: Any) -> dict[str, Any]:
    """Run the blocks marked `python` of a page in order, in one namespace, and return it; `py` is not run.

    A block of text right after one of code is what that prints.
    """
    page = (DOCS / name).read_text(encoding="utf-8")
    namespace: dict[str, Any] = {"__name__": "page", **known}
    for code, told in re.findall(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", page, re.MULTILINE | re.DOTALL):
        said: list[str] = []

        def note(*words: Any, said: list[str] = said) -> None:
            said.append(" ".join(map(str, words)) + "\n")

        namespace["print"] = note
        exec(compile(code, name, "exec"), namespace)
        assert not told or "".join(said) == told, f"{name} prints otherwise:\n{''.join(said)}"
    return namespace

"""Make the pictures of pages in docs: python examples/pictures/page.py [folder]. It needs Chromium."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from canvas import FOLDER
from PIL import Image
from playwright.sync_api import sync_playwright
from sklearn.datasets import load_wine

import hypcse

CHROMIUM = os.environ.get("HYPCSE_CHROMIUM", "/usr/bin/chromium")
DOCS = Path(__file__).parents[2] / "docs"
# The pictures: where they go, the page, the key to press and the text to click.
PICTURES = (
    ("page-disk.png", "wines", "", ""),
    ("page-dendrogram.png", "wines", "v", "1: proline 1,080"),
    ("../guides/images/topics.png", "topics", "p", ""),
    ("../guides/images/cells.png", "cells", "", "FCGR3A"),
)


def wines(path: Path) -> None:
    """Wines of three kinds."""
    table = load_wine(as_frame=True)
    model = hypcse.EntropyClustering().fit(table.data)
    hypcse.view(model, path, table.data, labels=table.target_names[table.target], title="Wines")


def of_guide(name: str) -> Callable[[Path], None]:
    """The page that the code of a guide writes."""

    def write(path: Path) -> None:
        text = (DOCS / "guides" / name).read_text(encoding="utf-8")
        code = "".join(re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL))
        here = os.getcwd()
        os.chdir(path.parent)
        exec(code, {"__name__": name})
        os.chdir(here)

    return write


PAGES: dict[str, Callable[[Path], None]] = {
    "wines": wines,
    "topics": of_guide("texts.md"),
    "cells": of_guide("cells.md"),
}


def take(browsers: Any, folder: Path, pictures: Sequence[tuple[str, str, str, str]]) -> None:
    """Open each page, press and click, and keep what is seen."""
    browser = browsers.chromium.launch(executable_path=CHROMIUM)
    for name, page, key, text in pictures:
        tab = browser.new_page(viewport={"width": 1240, "height": 720})
        tab.goto((folder / f"{page}.html").resolve().as_uri())
        if key:
            tab.keyboard.press(key)
        if text:
            tab.locator("#legend button", has_text=text).first.click()
        tab.wait_for_timeout(1500)
        picture = Image.open(io.BytesIO(tab.screenshot())).convert("RGB")
        picture.quantize(256, dither=Image.Dither.NONE).save(FOLDER / name, optimize=True)
        print(name, f"{(FOLDER / name).stat().st_size / 1000:.0f} kB")
    browser.close()


if __name__ == "__main__":
    if Path(CHROMIUM).exists():
        with TemporaryDirectory() as folder, sync_playwright() as browsers:
            for name, write in PAGES.items():
                write(Path(folder) / f"{name}.html")
            take(browsers, Path(folder), PICTURES)
    else:
        print(f"no pictures of pages: there is no {CHROMIUM}; HYPCSE_CHROMIUM names another")

"""Make the pictures of the page in docs/start: python examples/pictures/page.py [folder]. It needs Chromium."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryDirectory

from canvas import FOLDER
from playwright.sync_api import sync_playwright
from sklearn.datasets import load_wine

import hypcse

CHROMIUM = os.environ.get("HYPCSE_CHROMIUM", "/usr/bin/chromium")


def page() -> None:
    """A page of wines: the disk, and the dendrogram with a heat map."""
    wines = load_wine(as_frame=True)
    model = hypcse.EntropyClustering().fit(wines.data)
    kinds = wines.target_names[wines.target]
    with TemporaryDirectory() as folder, sync_playwright() as browsers:
        path = Path(folder) / "tree.html"
        hypcse.view(model, path, wines.data, labels=kinds, title="Wines")
        browser = browsers.chromium.launch(executable_path=CHROMIUM)
        tab = browser.new_page(viewport={"width": 1100, "height": 700})
        tab.goto(path.resolve().as_uri())
        for name, key in {"page-disk": None, "page-dendrogram": "v"}.items():
            if key:
                tab.keyboard.press(key)
                tab.get_by_label("Heat map of columns").check()
            tab.wait_for_timeout(1500)
            tab.screenshot(path=FOLDER / f"{name}.png")
            print(f"{name}.png", f"{(FOLDER / f'{name}.png').stat().st_size / 1000:.0f} kB")
        browser.close()


if __name__ == "__main__":
    if Path(CHROMIUM).exists():
        page()
    else:
        print(f"no pictures of the page: there is no {CHROMIUM}; HYPCSE_CHROMIUM names another")

"""A real browser for the page: Debian's Chromium, driven by Playwright, drawing WebGL in software."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

SOFTWARE_WEBGL = ("--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist")


@pytest.fixture(scope="session")
def launch() -> Iterator[Callable[..., Any]]:
    """Start Chromium with some arguments; skip, and say why, where it cannot be started."""
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: the page is not tested")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        pytest.skip("chromium is not installed (apt-get install chromium): the page is not tested in a browser")
    with api.sync_playwright() as playwright:
        started = []

        def start(*arguments: str) -> Any:
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", *arguments])
            started.append(browser)
            return browser

        yield start
        for browser in started:
            browser.close()


@pytest.fixture(scope="session")
def browser(launch: Callable[..., Any]) -> Any:
    """Chromium with WebGL2."""
    return launch(*SOFTWARE_WEBGL)


@pytest.fixture
def show(browser: Any, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Open a page from disk and wait for its first frame; at the end nothing may have gone wrong in it."""
    contexts, trouble = [], []

    def open_page(path: Path, within: Any = None, **options: Any) -> Any:
        context = (within or browser).new_context(
            **{"viewport": {"width": 1000, "height": 700}, "reduced_motion": "reduce", **options}
        )
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: trouble.append(f"console {message.type}: {message.text}"))
        page.on("pageerror", lambda error: trouble.append(f"error: {error}"))
        page.on("request", lambda request: _note_request(request, trouble))
        page.goto(path.as_uri())
        # The policy of the page forbids what Playwright's own waiting evaluates.
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert trouble == []


def _note_request(request: Any, trouble: list[str]) -> None:
    """The page itself comes from disk and its exports from memory; there is nothing else to ask for."""
    if not request.url.startswith(("file:", "blob:")):
        trouble.append(f"request: {request.url}")

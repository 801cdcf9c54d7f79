"""Hostile names in trees, labels, columns, titles and files: they come back as given, and are never markup."""

from __future__ import annotations

import csv
import io
import json
import shutil
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.faults.attempt import Part, Rng, Trial, expect
from benchmarks.faults.materials.mutations import odd_text

N_LEAVES = 8
EVERY = 12
"""Of so many tries one is opened in a browser, where there is one."""


class Elements(HTMLParser):
    """Tags of a page with their attributes, the texts of its scripts, and its title."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.title = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag."""
        self.tags.append((tag, dict(attrs)))
        if tag == "script":
            self.scripts.append("")

    def handle_data(self, data: str) -> None:
        """Note the text of a script or of the title."""
        last = self.tags[-1][0] if self.tags else ""
        if last == "script":
            self.scripts[-1] += data
        self.title += data if last == "title" and not self.title else ""


def try_page(trial: Trial) -> None:
    """Write a page of a tree, a Newick text, a table of labels or a report with odd names."""
    rng = trial.rng
    names = [f"{odd_text(rng)}{k if rng.random() < 0.9 else ''}" for k in range(N_LEAVES)]
    texts = {what: odd_text(rng) for what in ("title", "label", "column")}
    trial.say(f"names {names!r:.300}, {texts!r:.300}")
    if len(set(names)) < N_LEAVES:
        names = [f"{name}{k}" for k, name in enumerate(names)]
    if trial.number % 4 == 3:
        _try_report(trial.folder, texts, names)
        return
    path = _written(trial.folder, names, texts, rng)
    _check_text(path.read_text(encoding="utf-8"), names, texts)
    _check_newick(names)
    if trial.number % EVERY == 0 and (shown := _browser()) is not None:
        _check_in_browser(shown, path)


def _written(folder: Path, names: list[str], texts: dict[str, str], rng: Rng) -> Path:
    """The page, in a file of an odd name."""
    import hypcse

    tree = hypcse.Tree.from_newick("(((0:1,1:1):1,(2:1,3:1):1):1,((4:1,5:1):1,(6:1,7:1):1):1);")
    labels = np.array([texts["label"], "b"] * (N_LEAVES // 2), object)
    plain = odd_text(rng).encode("utf-8", "replace").decode()
    file = "".join(sign for sign in plain if sign not in "/\x00").strip(".")[:40] or "page"
    path = folder / f"{file}.html"
    return hypcse.view(
        tree,
        path,
        names=names,
        labels=labels,
        features=rng.normal(size=(N_LEAVES, 2)),
        feature_names=[texts["column"], "b"],
        title=texts["title"],
    )


def _check_text(text: str, names: list[str], texts: dict[str, str]) -> None:
    """The page has our two scripts, the policy that allows them alone, and every name as it was given."""
    found = Elements(text)
    expect(len(found.scripts) == 2, "wrong answer", f"{len(found.scripts)} scripts instead of 2")
    expect("window.broken" not in found.scripts[1], "wrong answer", "a name became part of the script")
    handlers = [key for _, attributes in found.tags for key in attributes if key.startswith("on")]
    expect(not handlers, "wrong answer", f"attributes {handlers}")
    held = json.loads(found.scripts[0])
    wanted = [_storable(name) for name in names]
    expect(held["names"] == wanted, "wrong answer", f"names came back as {held['names']!r:.300}")
    flat = json.dumps(held)
    for what in ("label", "column"):
        expect(json.dumps(_storable(texts[what]))[1:-1] in flat, "wrong answer", f"the {what} did not come back")


def _check_newick(names: list[str]) -> None:
    """Names pass through Newick, JSON and CSV unchanged, or are refused."""
    import hypcse

    tree = hypcse.Tree.from_newick("((0,1),(2,3),(4,5),(6,7));").with_names(names)
    for write, read in ((tree.to_json, hypcse.Tree.from_json), (tree.to_newick, hypcse.Tree.from_newick)):
        again = read(write())
        expect(tuple(again.names or ()) == tuple(names), "wrong answer", f"{write.__name__}: {again.names!r:.300}")
    made = io.StringIO(newline="")
    csv.writer(made).writerows([[name] for name in names])


def _try_report(folder: Path, texts: dict[str, str], names: list[str]) -> None:
    """A report of experiments with odd texts: no element is theirs."""
    from hypcse.experiments.report import to_html
    from hypcse.experiments.report.blocks import Block, Entry, Grid, Heading, Text

    odd_row, row = (Entry(names[0]), Entry(names[1])), (Entry("e"), Entry("f"))
    plain: list[Block] = [Heading("a", 1), Text("b"), Grid(("c", "d"), (row,))]
    odd: list[Block] = [Heading(texts["title"], 1), Text(texts["label"]), Grid((texts["column"], "d"), (odd_row,))]
    found, wanted = Elements(to_html(texts["title"], odd)), Elements(to_html("a", plain))
    tags = [tag for tag, _ in found.tags if tag != "code"]
    expect(tags == [tag for tag, _ in wanted.tags], "wrong answer", f"a report has the elements {tags}")
    expect(found.tags.count(("table", {})) == 1, "wrong answer", "the body of a report comes more than once")


def _storable(text: str) -> str:
    """Half of a surrogate pair is not UTF-8, and becomes a question mark in a file: documented."""
    return text.encode("utf-8", "replace").decode()


@cache
def _browser() -> Any:
    """Chromium, or None where it is not installed."""
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return None
    if program is None:
        return None
    return sync_playwright().start().chromium.launch(executable_path=program, args=["--no-sandbox"])


def _check_in_browser(browser: Any, path: Path) -> None:
    """The page runs without an error, a request or a dialog, and nothing of a name has run."""
    trouble: list[str] = []
    page = browser.new_page()
    page.on("console", lambda message: _note_message(message, trouble))
    page.on("pageerror", lambda error: trouble.append(f"error: {error}"))
    page.on("dialog", lambda dialog: trouble.append(f"dialog: {dialog.message}"))
    page.on("request", lambda request: _note_request(request, trouble))
    page.goto(path.as_uri())
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    expect(page.evaluate("window.broken === undefined"), "wrong answer", "a name was run as a script")
    expect(page.evaluate("window.hypcse !== undefined"), "wrong answer", "the page's own script did not run")
    page.close()
    expect(not trouble, "wrong answer", f"in the browser: {trouble!r:.400}")


def _note_message(message: Any, trouble: list[str]) -> None:
    """What the driver of the graphics card says is not the page's."""
    if message.type == "error":
        trouble.append(f"console: {message.text}")


def _note_request(request: Any, trouble: list[str]) -> None:
    if not request.url.startswith(("file:", "blob:")):
        trouble.append(f"request: {request.url}")


PART = Part("page", "hostile names in pages and reports", try_page, seconds=60, memory=0)

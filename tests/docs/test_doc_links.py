"""Every link of the README and of the docs leads to a file and a heading that are there."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from doc_pages import DOCS, PAGES, ROOT, anchors, links, name_of

MADE_BY_THE_SITE = {"contributing.md", "changelog.md"}


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page: Path):
    dead = [target for target in links(page.read_text("utf-8")) if not leads_somewhere(page, target)]
    assert not dead


def leads_somewhere(page: Path, target: str) -> bool:
    if target.startswith(("https://", "mailto:")):
        return True
    path, _, anchor = target.partition("#")
    there = (page.parent / path).resolve() if path else page
    if there.parent == DOCS and there.name in MADE_BY_THE_SITE:
        return not anchor
    if not there.is_file() or ROOT not in there.parents:
        return False
    return not anchor or anchor in anchors(there.read_text("utf-8"))


def test_every_page_is_in_the_menu_once():
    menu = yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))["nav"]
    listed = sorted(entries(menu))
    there = {page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")} | MADE_BY_THE_SITE
    assert listed == sorted(there)


def entries(menu: object) -> list[str]:
    if isinstance(menu, str):
        return [menu]
    parts = menu.values() if isinstance(menu, dict) else menu
    return [entry for part in parts for entry in entries(part)]


def test_every_picture_is_on_a_page_and_small():
    targets = [(page, target) for page in PAGES for target in links(page.read_text("utf-8"))]
    shown = {(page.parent / target).resolve() for page, target in targets}
    pictures = {path.resolve() for path in (DOCS / "images").iterdir()}
    assert pictures <= shown
    assert all(path.stat().st_size < 300_000 for path in pictures)

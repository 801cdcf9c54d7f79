"""The page that `view` returns: in a notebook it is a closed frame, on disk a file, and text says how large it is."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

import hypcse
from hypcse import Tree
from hypcse.show.page import Page

TREE = Tree.from_newick("((a:1,b:1):2,(c:2,d:2):1);")
HOSTILE = ["</script><script>alert(1)</script>", "\"></iframe><b onclick='x'>", "&quot;", "\ud800"]


class Tags(HTMLParser):
    """The elements of a text with their attributes, as a browser reads them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))


def test_a_notebook_shows_the_page_in_a_closed_frame():
    page = hypcse.view(TREE)
    ((tag, attributes),) = Tags(page._repr_html_()).found
    assert tag == "iframe"
    assert attributes["sandbox"] == "allow-scripts allow-downloads"
    assert attributes["srcdoc"] == page.html
    assert int(attributes["height"]) > 0
    assert "src" not in attributes


@pytest.mark.parametrize("name", HOSTILE)
def test_no_name_leaves_the_frame(name):
    page = hypcse.view(TREE, names=[name, "b", "c", "d"], labels=[name, "b", "c", "d"], title=name)
    ((tag, attributes),) = Tags(page._repr_html_()).found
    assert (tag, attributes["srcdoc"]) == ("iframe", page.html)
    tags = [tag for tag, _ in Tags(attributes["srcdoc"]).found]
    assert tags == [tag for tag, _ in Tags(hypcse.view(TREE).html).found]
    page._repr_html_().encode("utf-8")


def test_text_says_leaves_and_size():
    page = hypcse.view(TREE)
    size = re.fullmatch(r"Page\(4 leaves, (\d+) kB\)", repr(page))
    assert int(size[1]) == round(len(page.html.encode()) / 1000)


def test_a_page_too_large_for_a_notebook_says_so(monkeypatch):
    page = hypcse.view(TREE)
    monkeypatch.setattr("hypcse.show.page.page.MAX_INLINE", len(page.html) - 1)
    assert "iframe" not in page._repr_html_()
    assert ".save(" in page._repr_html_() and "4 leaves" in page._repr_html_()


def test_saving_is_what_view_does_with_a_path(tmp_path):
    page = hypcse.view(TREE, title="same")
    assert hypcse.view(TREE, tmp_path / "one.html", title="same").html == page.html
    by_page = page.save(str(tmp_path / "two.html"))
    assert (tmp_path / "one.html").read_bytes() == by_page.read_bytes() == page.html.encode()
    assert page.save(by_page) == by_page, "a page that is there is replaced"
    with pytest.raises(IsADirectoryError, match="Name it"):
        page.save(tmp_path)
    with pytest.raises(FileNotFoundError, match="Create it first"):
        page.save(tmp_path / "none" / "tree.html")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one.html", "two.html"]


def test_opening_writes_a_file_and_asks_the_browser(monkeypatch, tmp_path):
    asked = []
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("webbrowser.open", lambda address: asked.append(address) or True)
    page = hypcse.view(TREE)
    path = page.open()
    assert asked == [path.as_uri()]
    assert path.read_text(encoding="utf-8") == page.html and tmp_path in path.parents


def test_without_a_browser_the_file_is_named(monkeypatch, tmp_path):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("webbrowser.open", lambda address: False)
    with pytest.raises(RuntimeError, match=r"tree\.html: open it in one"):
        hypcse.view(TREE).open()


def test_a_frame_draws_its_tree(browser, tmp_path):
    """In a browser the frame runs its script, of an origin of its own, and draws."""
    path = tmp_path / "notebook.html"
    path.write_text(hypcse.view(TREE)._repr_html_(), encoding="utf-8")
    context = browser.new_context(viewport={"width": 1000, "height": 800}, reduced_motion="reduce")
    trouble: list[str] = []
    page = context.new_page()
    page.on("pageerror", lambda error: trouble.append(str(error)))
    page.goto(path.as_uri())
    frame = page.frames[1]
    assert frame.locator("#summary").inner_text().startswith("4 leaves")
    assert frame.evaluate("self.origin") == "null"
    assert trouble == []
    context.close()


def test_pages_are_made_by_view_alone():
    assert isinstance(hypcse.view(TREE), Page)
    assert hypcse.view(TREE).n_leaves == 4

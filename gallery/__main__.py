"""Make the pages, the pictures and the notebooks of the gallery: python -m gallery [name ...]."""

from __future__ import annotations

import sys

from gallery.notebooks import execute, make_notebook
from gallery.pages import index_text, page_text
from gallery.running import run_script, shrink
from gallery.script import ROOT, Script, read_all

FOLDER = ROOT / "docs" / "gallery"


def build(script: Script) -> None:
    """Write the page of an example, its picture and, where it has one, its notebook."""
    images, notebooks = FOLDER / "images", FOLDER / "notebooks"
    for folder in (images, notebooks):
        folder.mkdir(parents=True, exist_ok=True)
    printed = run_script(script, images)
    picture = images / f"{script.name}.png"
    picture.write_bytes(shrink(picture.read_bytes()))
    (FOLDER / f"{script.name}.md").write_text(page_text(script, printed), encoding="utf-8")
    print(f"{script.name}: picture {picture.stat().st_size / 1000:.0f} kB", flush=True)
    if script.has_notebook:
        import nbformat

        path = notebooks / f"{script.name}.ipynb"
        nbformat.write(execute(make_notebook(script)), path)
        print(f"{script.name}: notebook {path.stat().st_size / 1000:.0f} kB", flush=True)


def main(names: list[str]) -> None:
    """Make what was asked for, or all, and the index."""
    scripts = read_all()
    known = [script.name for script in scripts]
    for name in names:
        if name not in known:
            raise SystemExit(f"there is no example {name!r}; there are {', '.join(known)}.")
    for script in scripts:
        if not names or script.name in names:
            build(script)
    (FOLDER / "index.md").write_text(index_text(scripts), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])

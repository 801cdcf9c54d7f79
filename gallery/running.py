"""Run an example cell by cell, and keep what each prints."""

from __future__ import annotations

import ast
import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Any

from gallery.script import NOTEBOOK, Script


def run_script(script: Script, folder: Path) -> dict[int, str]:
    """What each cell of an example prints, by the number of the cell; its picture goes to the folder."""
    import matplotlib as mpl
    from matplotlib import pyplot

    printed: dict[int, str] = {}
    names: dict[str, Any] = {"__name__": "__main__", "__file__": str(script.path)}
    with mpl.rc_context(), _arguments(str(script.path), str(folder)):
        pyplot.switch_backend("Agg")
        try:
            for number, cell in enumerate(script.cells):
                if cell.heading != NOTEBOOK:
                    # An error then names the line of the script.
                    tree = ast.increment_lineno(ast.parse(cell.code, str(script.path)), cell.line)
                    with redirect_stdout(io.StringIO()) as output:
                        exec(compile(tree, str(script.path), "exec"), names)
                    if output.getvalue().strip():
                        printed[number] = output.getvalue().rstrip()
        finally:
            pyplot.close("all")
    return printed


def shrink(picture: bytes) -> bytes:
    """A PNG with a palette of 256 colors, which is about half as large, if it is smaller."""
    from PIL import Image

    with Image.open(io.BytesIO(picture)) as image:
        small = image.convert("RGB").quantize(256, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    with io.BytesIO() as file:
        small.save(file, format="PNG", optimize=True)
        return min(file.getvalue(), picture, key=len)


@contextmanager
def _arguments(*words: str) -> Iterator[None]:
    """The words of a command line, for as long as the script runs."""
    before = sys.argv
    sys.argv = list(words)
    try:
        yield
    finally:
        sys.argv = before

"""Notebooks made from examples: the prose and the cells of the script, and cells that show the model, tree and page."""

from __future__ import annotations

import ast
import os
from base64 import b64decode, b64encode
from typing import TYPE_CHECKING

from gallery.running import shrink
from gallery.script import NOTEBOOK, SAVE, Script

if TYPE_CHECKING:
    from nbformat import NotebookNode

SECONDS = 300
"""After which a cell counts as hanging."""
PICTURES_INLINE = {**os.environ, "MPLBACKEND": "module://matplotlib_inline.backend_inline"}


def make_notebook(script: Script) -> NotebookNode:
    """The notebook of an example, not yet run."""
    from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

    cells = [new_markdown_cell(f"# {script.title}\n\n{script.question}\n\n{script.text}")]
    for cell in script.cells:
        if cell.heading == NOTEBOOK:
            cells.append(new_code_cell(cell.uncommented))
        elif cell.heading != SAVE:
            prose = "\n\n".join(part for part in (f"## {cell.heading}" if cell.heading else "", cell.prose) if part)
            cells += [new_markdown_cell(prose)] if prose else []
            cells.append(new_code_cell(_quiet(cell.code)))
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return new_notebook(cells=cells, metadata={"kernelspec": kernel, "language_info": {"name": "python"}})


def _quiet(code: str) -> str:
    """Code whose last value a notebook does not show: in a script it would show nothing either."""
    last = ast.parse(code).body[-1]
    has_value = isinstance(last, ast.Expr) and not ast.unparse(last).startswith("print(")
    return f"{code};" if has_value else code


def execute(notebook: NotebookNode) -> NotebookNode:
    """Run a notebook in a kernel of its own, and keep the output of each cell, with pictures made small."""
    from nbclient import NotebookClient

    client = NotebookClient(notebook, timeout=SECONDS, kernel_name="python3", record_timing=False)
    client.coalesce_streams = True
    client.execute(env=PICTURES_INLINE)
    notebook.metadata["language_info"] = {"name": "python"}
    for output in (output for cell in notebook.cells for output in cell.get("outputs", [])):
        if "image/png" in output.get("data", {}):
            output.data["image/png"] = b64encode(shrink(b64decode(output.data["image/png"]))).decode("ascii")
    return notebook

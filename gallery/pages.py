"""Pages of the gallery as Markdown: one per example, and the index."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from gallery.script import Script

OUTPUT = re.compile(r"\n```text\n.*?\n```\n", re.DOTALL)
"""What an example printed, in a page: a block of text, as nothing else in it is."""


def page_text(script: Script, printed: Mapping[int, str]) -> str:
    """The page of an example with what its cells printed; with nothing printed, `without_output` of that page."""
    picture = f"![{script.title}](images/{script.name}.png)"
    parts = [f"# {script.title}", script.question, picture, script.text]
    for number, cell in enumerate(script.cells):
        if not cell.is_shown:
            continue
        parts += [f"## {cell.heading}"] if cell.heading else []
        parts += [cell.prose] if cell.prose else []
        parts += [f"```python\n{cell.code}\n```"]
        parts += [f"```text\n{printed[number]}\n```"] if number in printed else []
    notebook = f" The same with output: [a notebook](notebooks/{script.name}.ipynb)." if script.has_notebook else ""
    source = f"The script is `examples/gallery/{script.path.name}`."
    parts += [f"{source}{notebook} Next: [other examples](index.md)."]
    return "\n\n".join(parts) + "\n"


def without_output(page: str) -> str:
    """A page without what its example printed."""
    return OUTPUT.sub("", page)


def outputs_of(page: str) -> list[str]:
    """What an example printed, block by block."""
    return [block.removeprefix("\n```text\n").removesuffix("\n```\n") for block in OUTPUT.findall(page)]


def index_text(scripts: Sequence[Script]) -> str:
    """The index: a card for each example, with its picture, its title and its question."""
    cards = (
        f"-   [![{script.title}](images/{script.name}.png)]({script.name}.md)\n\n"
        f"    **[{script.title}]({script.name}.md)**\n\n"
        f"    {script.question}\n"
        for script in scripts
    )
    notebooks = (f"- [{script.title}](notebooks/{script.name}.ipynb)" for script in scripts if script.has_notebook)
    return INDEX.format(cards="\n".join(cards), notebooks="\n".join(notebooks))


INDEX = """# Gallery

Find an example close to what you want to do, and start from its code. Each is a script of at most 60 lines. It needs no
download and runs in a few seconds. All random numbers use seed 0.

To save the picture, name a folder: `python examples/gallery/digits.py .` writes `digits.png` into the current one.

<div class="grid cards" markdown>

{cards}
</div>

These are also notebooks with their output, in which the model, the tree and the page show themselves:

{notebooks}

More scripts in `examples` bring the loss into a training loop of your own: as a regulariser, in an autoencoder, with
free embeddings. `make gallery` makes these pages from the scripts in `examples/gallery`.
"""

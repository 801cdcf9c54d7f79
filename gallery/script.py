"""An example as a value: its title, its prose and its cells, read from a script.

A script has a docstring, whose first line is the title, and cells that begin with `# %%`. Words after that mark are a
heading, and comment lines directly below it are prose. Two kinds of cells are special: `# %% [save]` writes the picture
and is shown nowhere, and `# %% [notebook]` holds, as comments, code that only the notebook runs.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
SCRIPTS = ROOT / "examples" / "gallery"
MARK = "# %%"
SAVE, NOTEBOOK = "[save]", "[notebook]"


@dataclass(frozen=True)
class Cell:
    """A part of a script: heading, prose and code, each possibly empty, and the line its code begins at."""

    heading: str
    prose: str
    code: str
    line: int

    @property
    def is_shown(self) -> bool:
        """Whether pages show it."""
        return self.heading not in (SAVE, NOTEBOOK)

    @property
    def uncommented(self) -> str:
        """The code that a notebook's own cell holds as comments."""
        return "\n".join(line.removeprefix("# ").removeprefix("#") for line in self.prose.splitlines())


@dataclass(frozen=True)
class Script:
    """An example: its file, its title, the question it opens with, the rest of its docstring, and its cells."""

    path: Path
    title: str
    question: str
    text: str
    cells: tuple[Cell, ...]

    @property
    def name(self) -> str:
        return self.path.stem

    @property
    def has_notebook(self) -> bool:
        return any(cell.heading == NOTEBOOK for cell in self.cells)


def read_script(path: Path) -> Script:
    """The example that a file holds."""
    source = path.read_text(encoding="utf-8")
    docstring = ast.get_docstring(ast.parse(source))
    if docstring is None or docstring.count("\n\n") < 2:
        raise ValueError(
            f"{path.name} needs a docstring of a title, a question and an answer, with blank lines between."
        )
    title, question, text = docstring.split("\n\n", 2)
    lines = source.splitlines()
    starts = [number for number, line in enumerate(lines) if line.startswith(MARK)]
    cells = (_read_cell(lines, start, end) for start, end in zip(starts, [*starts[1:], len(lines)], strict=True))
    return Script(path, title.rstrip("."), question.replace("\n", " "), text, tuple(cells))


def _read_cell(lines: list[str], start: int, end: int) -> Cell:
    code_start = start + 1
    while code_start < end and lines[code_start].startswith("#"):
        code_start += 1
    heading = lines[start].removeprefix(MARK).strip()
    prose = [line if heading == NOTEBOOK else re.sub("^# ?", "", line) for line in lines[start + 1 : code_start]]
    while code_start < end and not lines[code_start].strip():
        code_start += 1
    return Cell(heading, "\n".join(prose), "\n".join(lines[code_start:end]).rstrip(), code_start)


def read_all() -> list[Script]:
    """Every example, in the order of the index."""
    scripts = {path.stem: read_script(path) for path in sorted(SCRIPTS.glob("*.py"))}
    return [scripts.pop(name) for name in ORDER if name in scripts] + list(scripts.values())


ORDER = (
    "digits",
    "customers",
    "topics",
    "cells",
    "communities",
    "improved_tree",
    "anything_there",
    "chosen_levels",
    "few_labels",
    "new_points",
    "methods",
    "many_points",
    "disk",
)
"""From what most people come for to what few need."""

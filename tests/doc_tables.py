"""Tables of the documentation, read back so that tests can hold them to the code."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]


def table_rows(page: str) -> list[list[str]]:
    """Cells of the one table of a page in docs/, row by row, without its head; a bar inside a cell is not allowed."""
    lines = [line for line in (ROOT / "docs" / page).read_text().splitlines() if line.startswith("|")]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    assert {len(row) for row in rows} == {len(rows[0])}, "the rows differ in their number of cells"
    return rows[2:]


def code_spans(cell: str) -> list[str]:
    """What stands between backticks."""
    return re.findall(r"`([^`]+)`", cell)

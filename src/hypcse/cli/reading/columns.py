"""Which columns of a table mean what, and how their cells become numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypcse._checks import check_choice

Cells = Sequence[str] | NDArray[np.float64]
IMPUTE = ("median",)
# Text that stands for a missing number, in any case.
_MISSING = ("", "na", "n/a", "nan", "null", "none", "?")
# A column of more different texts is no category but a name.
MAX_CATEGORIES = 100


@dataclass(frozen=True)
class Columns:
    """What is asked of a table; columns are given by name or by position from 1.

    label, id   : columns of the classes and of the names, which are no features.
    header      : whether row 1 names the columns; None where that is to be seen: it does when no cell is a number.
    use         : the feature columns; all others by default.
    categorical : columns of text, each to become one column of 0 and 1 for each text.
    impute      : "median" fills missing numbers by the column's median; None refuses them.
    edges       : whether rows are edges: two ends, and a weight or none.
    """

    label: str | None = None
    id: str | None = None
    header: bool | None = None
    use: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()
    impute: str | None = None
    edges: bool = False

    def __post_init__(self) -> None:
        if self.impute is not None:
            check_choice("impute", self.impute, IMPUTE)

    @property
    def is_default(self) -> bool:
        """Whether nothing was asked for."""
        return self == Columns()


class Feature(NamedTuple):
    """One or more columns of numbers made of one column of a table, with their titles, and what is to be said."""

    values: list[NDArray[np.float64]]
    titles: list[str]
    note: str | None = None


def is_number(cell: str) -> bool:
    """Whether a cell reads as a number."""
    try:
        float(cell)
    except ValueError:
        return False
    # Python takes 1_2 for 12, but in a table it is a name.
    return "_" not in cell


def is_missing(cell: str) -> bool:
    """Whether a cell stands for a number that is not known."""
    return cell.strip().lower() in _MISSING


def numeric_feature(place: str, title: str, cells: Cells, asked: Columns, way_out: str) -> Feature:
    """A column of numbers; missing ones are filled or refused."""
    values = cells if isinstance(cells, np.ndarray) else _parsed(place, title, cells, asked, way_out)
    lost = np.isnan(values)
    if not lost.any():
        return Feature([values], [title])
    if asked.impute is None:
        row = int(np.argmax(lost)) + 1
        raise ValueError(
            f"{place}, data row {row} is empty or not a number. Fill it, drop the column, or pass --impute median."
        )
    if lost.all():
        raise ValueError(f"{place} holds no number at all; nothing can be filled in. Leave it out with --use.")
    middle = float(np.median(values[~lost]))
    note = f"{place}: {int(lost.sum())} missing numbers filled with the median, {middle:.6g}."
    return Feature([np.where(lost, middle, values)], [title], note)


def categorical_feature(place: str, title: str, cells: Cells) -> Feature:
    """A column of 0 and 1 for each text of a column, in the order of the texts; a missing one is all 0."""
    texts = np.array(
        [f"{cell:.12g}" for cell in cells] if isinstance(cells, np.ndarray) else [c.strip() for c in cells]
    )
    kinds = sorted({text for text in texts.tolist() if not is_missing(text)})
    if len(kinds) > MAX_CATEGORIES:
        raise ValueError(
            f"{place} has {len(kinds)} different texts; a category has at most {MAX_CATEGORIES}. Is it an id column?"
        )
    note = f"{place}: {len(kinds)} categories, each a column of 0 and 1: {', '.join(map(repr, kinds[:5]))}" + (
        ", ..." if len(kinds) > 5 else "."
    )
    return Feature([(texts == kind).astype(np.float64) for kind in kinds], [f"{title}={kind}" for kind in kinds], note)


def _parsed(place: str, title: str, cells: Sequence[str], asked: Columns, way_out: str) -> NDArray[np.float64]:
    """Numbers, with NaN for missing ones; any other text is an error."""
    row = next((row for row, cell in enumerate(cells, 1) if not (is_number(cell) or is_missing(cell))), None)
    if row is not None:
        raise ValueError(f"{place}, data row {row} holds {cells[row - 1]!r}, which is no number. {way_out}")
    if asked.impute is None:
        row = next((row for row, cell in enumerate(cells, 1) if is_missing(cell)), None)
        if row is not None:
            what = "is empty" if not cells[row - 1].strip() else f"holds {cells[row - 1]!r}"
            raise ValueError(f"{place}, data row {row} {what}, which is no number. Fill it, or pass --impute median.")
    return np.array([np.nan if is_missing(cell) else float(cell) for cell in cells])

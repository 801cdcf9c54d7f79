"""Everything that is wrong with the columns of a table, in one message."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from hypcse.points.columns import as_option, list_names, name_column
from hypcse.points.tables.features import MAX_CATEGORIES, Problem, texts_of
from hypcse.points.tables.table import Table

_MOST = 10
"""How many columns a message lists."""
_TEXTS = {
    "empty": "{title} is empty. Pass --drop {name}.",
    "categories": "{title} has {n} different texts; a category has at most {most}. Is it an id column? "
    "Pass --id-column {name} or --drop {name}.",
    "dates": "{held}, which is a date. Pass --dates number for days since 1970-01-01, or --drop {name}.",
    "days": "{held}, which may have the day or the month first. Write dates as 2024-12-31, or pass --drop {name}.",
    "merged": "{held}, which as a float of 64 bits is the same number as another value. Pass --id-column {name} if it "
    "names the rows; else subtract a constant from the column, or pass --drop {name}.",
    "infinite": "{held}, which is not finite. Correct it, or pass --drop {name}.",
    "odd": "{held}, which is not a number{others}. Correct it or leave it empty, or pass --drop {name}.",
    "unique": "{held}, which is not a number; every text in it occurs once. Pass --id-column {name} if it names the "
    "rows, else --drop {name}.",
    "few": "{held}, which is not a number; it has {n} different texts. Pass --categorical {name} to use them, "
    "--label-column {name} if they are the classes, or --drop {name}.",
    "many": "{held}, which is not a number; it has {n} different texts, too many for categories ({most}). "
    "Pass --drop {name}.",
}
"""The message for each sort of `Problem`."""
_NAMES = ("unique", "few", "many")
"""Sorts of texts that may name the ends of edges."""


def check_columns(table: Table, problems: Mapping[int, Problem], lost: Mapping[int, NDArray[np.bool_]]) -> None:
    """Raise if there are problems or, in the columns of `lost`, missing numbers that may not be filled."""
    told = [_tell(table, column, problem) for column, problem in problems.items()]
    if len(told) > _MOST:
        told = [*told[:_MOST], f"{len(told) - _MOST} more columns of this kind"]
    if lost:
        told.append(_missing(table, lost))
    if not told:
        return
    if not table.has_header and any(problem.sort != "empty" for problem in problems.values()):
        told[-1] += " Pass --header if row 1 names the columns."
    if _may_be_edges(table, problems):
        # Two columns of texts do not show whether row 1 is an edge.
        header = "; add --header if row 1 names the columns" if len(table.header) == 2 else ""
        told[-1] += f" If rows are edges, pass --edges{header}."
    if len(told) == 1:
        raise ValueError(f"{table.place}: {told[0]}")
    raise ValueError(f"{table.place}: not all columns can be used as numbers.\n" + "\n".join(f"- {t}" for t in told))


def check_named(table: Table, features: Sequence[int]) -> None:
    """Raise for columns without a name: such a column usually holds row names, which are not a feature."""
    nameless = [column for column in features if not table.header[column]]
    if table.has_header and nameless:
        first = nameless[0] + 1
        which = list_names([str(column + 1) for column in nameless], _MOST)
        has = f"column {which} has" if len(nameless) == 1 else f"columns {which} have"
        raise ValueError(
            f"{table.place}: {has} no name in the header. If column {first} holds the names of the rows, pass "
            f"--id-column {first}; if it is a feature, give it a name; else pass --drop {first}."
        )


def _tell(table: Table, column: int, problem: Problem) -> str:
    """What is wrong with a column, and the way out."""
    title = name_column(table.header, column)
    return _TEXTS[problem.sort].format(
        title=title,
        name=as_option(table.header, column),
        held=f"{title}, data row {table.rows[problem.row]} holds {problem.cell!r:.60}",
        n=problem.n,
        most=MAX_CATEGORIES,
        others="" if problem.n == 1 else f" ({problem.n} cells are not)",
    )


def _may_be_edges(table: Table, problems: Mapping[int, Problem]) -> bool:
    """Whether the first two of two or three columns are texts, and some texts are in both."""
    if len(table.header) not in (2, 3) or any(getattr(problems.get(k), "sort", "") not in _NAMES for k in (0, 1)):
        return False
    first, second = ({text for text in texts_of(table.frame[k]) if text} for k in (0, 1))
    return not first.isdisjoint(second)


def _missing(table: Table, lost: Mapping[int, NDArray[np.bool_]]) -> str:
    """Columns with missing numbers."""
    counts = [
        f"{name_column(table.header, column)} {empty.sum()} (first in data row {table.rows[np.argmax(empty)]})"
        for column, empty in lost.items()
    ]
    return f"missing numbers: {list_names(counts, _MOST)}. Fill them, drop the columns, or pass --impute median."

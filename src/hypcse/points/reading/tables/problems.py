"""All that is wrong with the columns of a table, in one message."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from hypcse.points.reading.columns import as_option, listed, shown
from hypcse.points.reading.features import MAX_CATEGORIES, Problem
from hypcse.points.reading.tables import Table

_MOST = 10
"""Columns that a message tells of."""


def check_columns(table: Table, problems: Mapping[int, Problem], lost: Mapping[int, NDArray[np.bool_]]) -> None:
    """Raise where there are problems or, in the columns of `lost`, numbers missing that nothing may fill."""
    told = [_told(table, column, problem) for column, problem in problems.items()]
    if len(told) > _MOST:
        told = [*told[:_MOST], f"{len(told) - _MOST} more columns of this kind"]
    if lost:
        told.append(_missing(table, lost))
    if not told:
        return
    if not table.has_header and any(problem.sort != "empty" for problem in problems.values()):
        told[-1] += " Pass --header if row 1 names the columns."
    if len(told) == 1:
        raise ValueError(f"{table.place}: {told[0]}")
    raise ValueError(f"{table.place}: not all columns can be used as numbers.\n" + "\n".join(f"- {t}" for t in told))


def check_named(table: Table, features: Sequence[int]) -> None:
    """A column without a name most often holds the names of the rows, and these are not a feature."""
    nameless = [column for column in features if not table.header[column]]
    if table.has_header and nameless:
        first = nameless[0] + 1
        which = listed([str(column + 1) for column in nameless], _MOST)
        has = f"column {which} has" if len(nameless) == 1 else f"columns {which} have"
        raise ValueError(
            f"{table.place}: {has} no name in the header. If column {first} holds the names of the rows, pass "
            f"--id-column {first}; if it is a feature, give it a name; else pass --drop {first}."
        )


def _told(table: Table, column: int, problem: Problem) -> str:
    """What is wrong with a column, and the way out."""
    title, name = shown(table.header, column), as_option(table.header, column)
    if problem.sort == "empty":
        return f"{title} is empty. Pass --drop {name}."
    if problem.sort == "categories":
        return (
            f"{title} has {problem.n} different texts; a category has at most {MAX_CATEGORIES}. "
            f"Is it an id column? Pass --id-column {name} or --drop {name}."
        )
    head = f"{title}, data row {table.rows[problem.row]} holds {problem.cell!r:.60}"
    if problem.sort == "dates":
        return f"{head}, which is a date. Pass --dates number for days since 1970-01-01, or --drop {name}."
    if problem.sort == "days":
        return f"{head}, which may have the day or the month first. Write dates as 2024-12-31, or pass --drop {name}."
    if problem.sort == "infinite":
        return f"{head}, which is not finite. Correct it, or pass --drop {name}."
    return f"{head}, which is not a number{_cure(problem, name)}"


def _cure(problem: Problem, name: str) -> str:
    if problem.sort == "odd":
        others = "" if problem.n == 1 else f" ({problem.n} cells are not)"
        return f"{others}. Correct it or leave it empty, or pass --drop {name}."
    if problem.sort == "unique":
        return f"; every text in it occurs once. Pass --id-column {name} if it names the rows, else --drop {name}."
    if problem.sort == "few":
        return (
            f"; it has {problem.n} different texts. Pass --categorical {name} to use them, --label-column {name} if "
            f"they are the classes, or --drop {name}."
        )
    return f"; it has {problem.n} different texts, too many for categories ({MAX_CATEGORIES}). Pass --drop {name}."


def _missing(table: Table, lost: Mapping[int, NDArray[np.bool_]]) -> str:
    """Columns with missing numbers."""
    counts = [
        f"{shown(table.header, column)} {int(empty.sum())} (first in data row {table.rows[int(np.argmax(empty))]})"
        for column, empty in lost.items()
    ]
    return f"missing numbers: {listed(counts, _MOST)}. Fill them, drop the columns, or pass --impute median."

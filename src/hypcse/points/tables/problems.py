"""Everything that is wrong with the columns of a table, in one message."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from hypcse.points.columns import Ambiguous, list_names, name_column
from hypcse.points.tables.features import MAX_CATEGORIES, Feature, Problem, texts_of
from hypcse.points.tables.table import Table

_MOST = 10
"""How many columns a message lists."""
_TEXTS = {
    "empty": "{title} is empty. Pass {drop}.",
    "categories": "{title} has {n} different texts; a category has at most {most}. Is it an id column? "
    "Pass {id} or {drop}.",
    "dates": "{held}, which is a date. Pass {dates} for days since 1970-01-01, or {drop}.",
    "days": "{held}, which may have the day or the month first. Write dates as 2024-12-31, or pass {drop}.",
    "infinite": "{held}, which is not finite. Correct it, or pass {drop}.",
    "odd": "{held}, which is not a number{others}. Correct it or leave it empty, or pass {drop}.",
    "unique": "{held}, which is not a number; every text in it occurs once. Pass {id} if it names the rows, else "
    "{drop}.",
    "few": "{held}, which is not a number; it has {n} different texts. Pass {categorical} to use them, {label} if "
    "they are the classes, or {drop}.",
    "many": "{held}, which is not a number; it has {n} different texts, too many for categories ({most}). Pass {drop}.",
}
"""The message for each sort of `Problem`."""


def check_columns(table: Table, problems: Mapping[int, Problem], features: Mapping[int, Feature]) -> None:
    """Raise if there are problems, or missing numbers in features where these may not be filled."""
    option = table.columns.option
    if may_be_edges(table, problems) and not table.columns.strict:
        raise Ambiguous(
            f"{table.place}: the first two columns hold the same texts, so rows may be edges. Pass "
            f"{option('edges', True)} for a graph, or {table.option('categorical', 0)} for a table.",
            ("--edges",),
        )
    texts = [_describe(table, column, problem) for column, problem in problems.items()]
    if len(texts) > _MOST:
        texts = [*texts[:_MOST], f"{len(texts) - _MOST} more columns of this kind"]
    empty_cells = {column: np.isnan(feature.values[:, 0]) for column, feature in features.items()}
    missing = {column: empty for column, empty in empty_cells.items() if empty.any()}
    if missing:
        counts = [
            f"{name_column(table.header, column)} {empty.sum()} (first in data row {table.rows[np.argmax(empty)]})"
            for column, empty in missing.items()
        ]
        listed = list_names(counts, _MOST)
        texts.append(f"missing numbers: {listed}. Fill them, drop the columns, or pass {option('impute', 'median')}.")
    if not texts:
        return
    if not table.has_header and any(problem.sort != "empty" for problem in problems.values()):
        texts[-1] += f" Pass {option('header', True)} if row 1 names the columns."
    if may_be_edges(table, problems):
        # Two columns of texts do not show whether row 1 is an edge.
        header = f"; add {option('header', True)} if row 1 names the columns" if len(table.header) == 2 else ""
        texts[-1] += f" If rows are edges, pass {option('edges', True)}{header}."
    if len(texts) == 1:
        raise ValueError(f"{table.place}: {texts[0]}")
    raise ValueError("\n- ".join([f"{table.place}: not all columns can be used as numbers.", *texts]))


def check_named(table: Table, features: Sequence[int]) -> None:
    """Raise for columns without a name: such a column usually holds row names, which are not a feature."""
    nameless = [column + 1 for column in features if not table.header[column]]
    if table.has_header and nameless:
        first = nameless[0]
        has = f"column{' {} has' if len(nameless) == 1 else 's {} have'}".format(
            list_names(list(map(str, nameless)), _MOST)
        )
        raise ValueError(
            f"{table.place}: {has} no name in the header. If column {first} holds the names of the rows, pass "
            f"{table.option('id', first - 1)}; if it is a feature, give it a name; else pass "
            f"{table.option('drop', first - 1)}."
        )


def _describe(table: Table, column: int, problem: Problem) -> str:
    """What is wrong with a column, and the way out."""
    title = name_column(table.header, column)
    return _TEXTS[problem.sort].format(
        title=title,
        **{name: table.option(name, column) for name in ("id", "label", "categorical", "drop")},
        dates=table.columns.option("dates", "number"),
        held=f"{title}, data row {table.rows[problem.row]} holds {problem.cell[:60]!r}",
        n=problem.n,
        most=MAX_CATEGORIES,
        others="" if problem.n == 1 else f" ({problem.n} cells are not)",
    )


def may_be_edges(table: Table, problems: Mapping[int, Problem]) -> bool:
    """Whether the first two of two or three columns are texts, some texts are in both, and most pairs differ.

    Answers to two questions have few different pairs.
    """
    ends = [problems[k].sort for k in problems]
    if len(table.header) not in (2, 3) or list(problems) != [0, 1] or not {"unique", "few", "many"}.issuperset(ends):
        return False
    first, second = (texts_of(table.frame[k]) for k in (0, 1))
    shared = set(first) & set(second) - {None}
    return bool(shared) and len(set(zip(first, second, strict=True))) > len(first) / 2

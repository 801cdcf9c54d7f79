"""What becomes of each column of a table, and the message for columns that cannot be used as they are."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from hypcse.points.columns import list_names, name_column
from hypcse.points.tables.features import (
    MAX_CATEGORIES,
    MIN_ROWS,
    Feature,
    Problem,
    category_feature,
    number_feature,
    readable_numbers,
    texts_of,
)
from hypcse.points.tables.table import Table

_ID = re.compile(r"(?i:(?:^|[\W_])(?:id|key|code|no|nr|num|number|index)$)|[a-z](?:Id|ID|No|Number)$")
"""How columns are called that hold ids, if their numbers differ."""
CODE = re.compile(r"(?i)(?:^|[\W_])(?:zip|zip[ _]?code|post[ _]?code|postal[ _]?code|plz|fips)$")
"""How columns are called whose numbers are no quantities."""
_NAME = re.compile(r"(?i)(?:name|title)$")
_LONG = 60
"""A column of longer texts names rows only if no other does."""
MAX_TEXTS = 30
"""A text column with more different texts is used as categories only if asked for."""
MAX_MISSING = 0.5
"""A column of which a larger share is missing is used only if asked for."""

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


@dataclass
class Uses:
    """What became of the columns of a table, by position.

    `odd` holds a cell that is no number, of features with such cells; `left_out` why a column is not used.
    """

    features: dict[int, Feature] = field(default_factory=dict)
    problems: dict[int, Problem] = field(default_factory=dict)
    odd: dict[int, str] = field(default_factory=dict)
    left_out: dict[int, str] = field(default_factory=dict)
    names: int | None = None

    @property
    def gaps(self) -> dict[int, int]:
        """How many numbers of a feature are missing, where some are."""
        gaps = {column: int(np.isnan(feature.values[:, 0]).sum()) for column, feature in self.features.items()}
        return {column: n for column, n in gaps.items() if n}

    def of_sort(self, sort: str) -> list[int]:
        return [column for column, feature in self.features.items() if feature.sort == sort]


def decide_uses(table: Table) -> Uses:
    """Read every feature column, and decide what becomes of it.

    A ValueError for problems: with `strict` for all, else for columns that were asked for, and for likely edges.
    """
    roles, columns = table.roles, table.columns
    uses = Uses(left_out=dict.fromkeys(roles.dropped, "as asked"), names=roles.name)
    dates = columns.dates or ("refuse" if columns.strict else "number")
    decimals = table.decimal if columns.strict or columns.decimal else {".": ".,", ",": ",."}[table.decimal]
    for column in roles.features:
        cells, is_certain = table.frame[column], column in roles.certain
        is_code = CODE.search(table.header[column]) is not None and not (is_certain or columns.strict)
        is_text = is_code or column in roles.categorical
        feature = category_feature(cells) if is_text else number_feature(cells, decimals, dates)
        reason = None if is_certain else _reason_without_name(table, column, feature)
        if reason is not None:
            uses.left_out[column] = reason
        elif isinstance(feature, Problem):
            uses.problems[column] = feature
        else:
            uses.features[column] = feature
    if columns.strict:
        _check_named(table, [column for column in (*uses.features, *uses.problems) if column not in roles.certain])
    elif _may_be_edges(table, uses.problems):
        raise ValueError(
            f"{table.place}: the first two columns hold the same texts, so rows may be edges. Pass "
            f"{columns.option('edges', True)} for a graph, or {table.option('categorical', 0)} for a table."
        )
    else:
        _settle(table, uses)
        _leave_out_empty(table, uses)
        uses.features = {column: uses.features[column] for column in roles.features if column in uses.features}
    _check_columns(table, uses)
    ids = [k for k, one in uses.features.items() if k not in roles.certain and _is_id(table, k, one)]
    for column in ids if len(ids) < len(uses.features) else ():
        del uses.features[column]
        names_rows = uses.names is None and table.names is None
        uses.names = column if names_rows else uses.names
        also = "; it names the rows" if names_rows else ""
        uses.left_out[column] = f"looks like an id{also}; {table.option('keep', column)} uses it"
    if not uses.features:
        reasons = "; ".join(f"{name_column(table.header, k)}: {reason}" for k, reason in uses.left_out.items())
        raise ValueError(
            f"{table.place} has no feature columns left; at least one column of numbers, dates or categories is needed"
            f"{f' ({reasons})' if reasons else ''}."
        )
    return uses


def _settle(table: Table, uses: Uses) -> None:
    """Decide about columns that cannot be used as they are, unless they were asked for."""
    texts: dict[int, Problem] = {}
    for column, problem in list(uses.problems.items()):
        cells, is_certain = table.frame[column], column in table.roles.certain
        most = MAX_CATEGORIES if is_certain else min(MAX_TEXTS, len(cells) / 2)
        if problem.sort in ("odd", "infinite"):
            uses.features[column] = readable_numbers(cells, table.decimal)
            uses.odd[column] = problem.cell
        elif problem.sort in ("few", "unique") and problem.n <= most and (is_certain or problem.sort == "few"):
            uses.features[column] = category_feature(cells)  # type: ignore[assignment]
        elif problem.sort == "empty" and is_certain:
            # As a model needs it, of new rows that lack it.
            sort = "categories" if column in table.roles.categorical else "numbers"
            values = np.full((len(cells), 1), 0.0 if sort == "categories" else np.nan)
            uses.features[column] = Feature(values, sort, ("?",))
        elif is_certain or problem.sort == "dates":
            continue
        elif problem.sort == "empty":
            uses.left_out[column] = "empty"
        elif problem.sort == "days":
            either = f"{problem.cell!r} may have the day or the month first"
            uses.left_out[column] = f"{either}; write dates as 2024-12-31 to use it"
        else:
            texts[column] = problem
        del uses.problems[column]
    _name_rows(table, uses, texts)


def _name_rows(table: Table, uses: Uses, texts: dict[int, Problem]) -> None:
    """Of columns of many texts one names the rows: one called a name, else of short texts, else of most texts."""
    cells = {column: [text for text in texts_of(table.frame[column]) if text is not None] for column in texts}
    n_rows = len(table.frame)
    shares = {column: 1 - len(known) / n_rows for column, known in cells.items()}
    named = [k for k, share in shares.items() if share <= MAX_MISSING and texts[k].n >= n_rows / 2]
    if named and uses.names is None and table.names is None:
        short = {k: np.median([*map(len, cells[k])]) <= _LONG for k in named}
        uses.names = max(named, key=lambda k: (_NAME.search(table.header[k]) is not None, short[k], texts[k].n))
        uses.left_out[uses.names] = "it names the rows"
    for column, problem in texts.items():
        if column == uses.names:
            continue
        option = "categorical" if problem.sort == "few" else "keep" if CODE.search(table.header[column]) else None
        use = "" if option is None else f"; {table.option(option, column)} uses it"
        differ = "every text occurs once" if problem.sort == "unique" else f"{problem.n} different texts"
        missing = f"{shares[column]:.0%} of it is missing, " if shares[column] > MAX_MISSING else ""
        uses.left_out[column] = f"{missing}{differ}{use}"


def _leave_out_empty(table: Table, uses: Uses) -> None:
    """Leave out columns that are mostly empty or constant, unless they were asked for or nothing else is left."""
    several = len(table.frame) > 1
    loose = {column: one for column, one in uses.features.items() if column not in table.roles.certain}
    shares = {column: float(np.mean(one.is_missing)) for column, one in loose.items()}
    constant = {k for k, one in loose.items() if several and np.nanmin(one.values) == np.nanmax(one.values)}
    varied = [k for k in uses.features if k not in constant and shares.get(k, 0) <= MAX_MISSING]
    for column in loose:
        keep = f"; {table.option('keep', column)} uses it"
        if shares[column] > MAX_MISSING and not table.columns.impute:
            uses.left_out[column] = f"{shares[column]:.0%} of it is missing{keep}"
        elif column in constant and varied:
            uses.left_out[column] = f"constant{keep}"
        else:
            continue
        del uses.features[column]
        uses.odd.pop(column, None)


def _is_id(table: Table, column: int, feature: Feature) -> bool:
    """Whether it looks like an id: whole numbers that increase, or differ and have no gap or a name that says so."""
    cells, values = feature.values[:, 0], np.unique(feature.values)
    if feature.sort != "numbers" or len(cells) < MIN_ROWS or not (cells == np.floor(cells)).all():
        return False
    is_called = _ID.search(table.header[column]) is not None or values[-1] - values[0] == values.size - 1
    return bool((np.diff(cells) > 0).all()) or (is_called and values.size == cells.size and not table.columns.strict)


def _reason_without_name(table: Table, column: int, feature: Feature | Problem) -> str | None:
    """Why a column without a name in the header is left out; None if it is not."""
    if not table.has_header or table.header[column]:
        return None
    if isinstance(feature, Problem):
        return "no name and empty" if feature.sort == "empty" else None
    offset = feature.values[:, 0] - np.arange(len(feature.values))
    counts_rows = column == 0 and offset[0] in (0, 1) and (offset == offset[0]).all()
    return "no name and counts the rows" if counts_rows else None


def _check_columns(table: Table, uses: Uses) -> None:
    """Raise if there are problems, or missing numbers in features where these may not be filled."""
    option, problems = table.columns.option, uses.problems
    texts = [_describe(table, column, problem) for column, problem in problems.items()]
    if len(texts) > _MOST:
        texts = [*texts[:_MOST], f"{len(texts) - _MOST} more columns of this kind"]
    if table.columns.strict and not table.columns.impute and uses.gaps:
        first = {column: table.rows[np.isnan(uses.features[column].values[:, 0]).argmax()] for column in uses.gaps}
        counts = [
            f"{name_column(table.header, column)} {n} (first in data row {first[column]})"
            for column, n in uses.gaps.items()
        ]
        listed = list_names(counts, _MOST)
        texts.append(f"missing numbers: {listed}. Fill them, drop the columns, or pass {option('impute', 'median')}.")
    if not texts:
        return
    if not table.has_header and any(problem.sort != "empty" for problem in problems.values()):
        texts[-1] += f" Pass {option('header', True)} if row 1 names the columns."
    if _may_be_edges(table, problems):
        # Two columns of texts do not show whether row 1 is an edge.
        header = f"; add {option('header', True)} if row 1 names the columns" if len(table.header) == 2 else ""
        texts[-1] += f" If rows are edges, pass {option('edges', True)}{header}."
    if len(texts) == 1:
        raise ValueError(f"{table.place}: {texts[0]}")
    raise ValueError("\n- ".join([f"{table.place}: not all columns can be used as numbers.", *texts]))


def _check_named(table: Table, features: Sequence[int]) -> None:
    """Raise for a column without a name: such a column usually holds row names, which are not a feature."""
    nameless = next((column for column in features if table.has_header and not table.header[column]), None)
    if nameless is not None:
        options = f"{table.option('id', nameless)} or {table.option('drop', nameless)}"
        raise ValueError(f"{table.place}: column {nameless + 1} has no name in the header. Name it, or pass {options}.")


def _describe(table: Table, column: int, problem: Problem) -> str:
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


def _may_be_edges(table: Table, problems: Mapping[int, Problem]) -> bool:
    """Whether the first two of two or three columns are texts, some texts are in both, and most pairs differ."""
    sorts = {problem.sort for problem in problems.values()}
    if len(table.header) not in (2, 3) or list(problems) != [0, 1] or not sorts <= {"unique", "few", "many"}:
        return False
    first, second = (texts_of(table.frame[k]) for k in (0, 1))
    shared = set(first) & set(second) - {None}
    return bool(shared) and len(set(zip(first, second, strict=True))) > len(first) / 2

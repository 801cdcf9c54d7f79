"""From a table to points."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hypcse._checks import say_count
from hypcse.points.columns import Columns, Roles, as_option, list_names, name_column
from hypcse.points.points import Points
from hypcse.points.tables.cells import is_missing, text_of
from hypcse.points.tables.features import (
    Feature,
    Problem,
    category_feature,
    fill_missing,
    is_choice,
    looks_like_id,
    number_feature,
    texts_of,
)
from hypcse.points.tables.problems import check_columns, check_named
from hypcse.points.tables.table import Table

_MOST_NAMES = 12
"""How many columns a note names."""
_SORTS = {
    "truth": "true or yes is 1, false or no is 0; these count like text columns",
    "dates": "dates are days since 1970-01-01",
}


@dataclass
class _Found:
    """Features by column, in order, and what happened to the other columns."""

    features: dict[int, Feature] = field(default_factory=dict)
    problems: dict[int, Problem] = field(default_factory=dict)
    left_out: dict[int, str] = field(default_factory=dict)
    filled: dict[int, int] = field(default_factory=dict)
    id_column: int | None = None


def points_of_table(table: Table, asked: Columns) -> Points:
    """Use the columns asked for as classes and names, and the others as features."""
    roles = Roles.of(table.place, table.header, asked)
    found = _read_features(table, roles, asked)
    if not (found.features or found.problems):
        raise ValueError(f"{table.place} has no feature columns left; at least one numeric column is needed.")
    check_named(table, [column for column in (*found.features, *found.problems) if column not in roles.certain])
    lost = {column: np.isnan(feature.values[:, 0]) for column, feature in found.features.items()}
    lost = {column: empty for column, empty in lost.items() if empty.any()}
    check_columns(table, found.problems, {} if asked.impute else lost)
    _leave_out_ids(table, roles, found)
    values = np.column_stack([feature.values for feature in found.features.values()])
    _fill(values, found, lost)
    labels = None if roles.label is None else _labels(table, roles.label)
    notes = (*_notes(table, found), *table.notes, *_label_notes(labels))
    titles = list(_titles(table, found))
    kinds = tuple(kind for _, kind in titles)
    return Points(
        values,
        names=_names(table, found.id_column if roles.name is None else roles.name),
        labels=labels,
        feature_names=tuple(title for title, _ in titles) if table.has_header or any(kinds) else None,
        kinds=kinds,
        notes=notes,
    )


def _read_features(table: Table, roles: Roles, asked: Columns) -> _Found:
    """Read every feature column."""
    found = _Found(left_out=dict.fromkeys(roles.dropped, "as asked"))
    for column in roles.features:
        cells = table.frame[column]
        if column in roles.categorical:
            read = category_feature(cells)
        else:
            read = number_feature(cells, table.decimal, asked.dates)
        reason = None if column in roles.certain else _nameless(table, column, read)
        if reason is not None:
            found.left_out[column] = reason
        elif isinstance(read, Problem):
            found.problems[column] = read
        else:
            found.features[column] = read
    return found


def _nameless(table: Table, column: int, read: Feature | Problem) -> str | None:
    """Why a column without a name in the header is left out; None if it is kept."""
    if not table.has_header or table.header[column]:
        return None
    if isinstance(read, Problem):
        return "no name and empty" if read.sort == "empty" else None
    counting = read.values[:, 0] - np.arange(len(read.values))
    return (
        "no name and counts the rows"
        if column == 0 and (counting == counting[0]).all() and counting[0] in (0, 1)
        else None
    )


def _leave_out_ids(table: Table, roles: Roles, found: _Found) -> None:
    """Leave out columns that look like an id, unless there are no others."""
    ids = [
        column
        for column, feature in found.features.items()
        if column not in roles.certain and feature.sort == "numbers" and looks_like_id(feature.values)
    ]
    if len(ids) == len(found.features):
        return
    for column in ids:
        del found.features[column]
        names_rows = found.id_column is None and roles.name is None and table.names is None
        if names_rows:
            found.id_column = column
        found.left_out[column] = (
            f"looks like an id: increasing whole numbers{'; it names the rows' if names_rows else ''}. "
            f"--keep {as_option(table.header, column)} uses it"
        )


def _fill(values: NDArray[np.float64], found: _Found, lost: Mapping[int, NDArray[np.bool_]]) -> None:
    """Fill missing numbers, in place."""
    start = 0
    places = {}
    for column, feature in found.features.items():
        places[column] = start
        start += feature.values.shape[1]
    found.filled = {column: int(empty.sum()) for column, empty in lost.items() if column in places}
    if found.filled:
        columns = [places[column] for column in found.filled]
        values[:, columns] = fill_missing(values[:, columns])


def _titles(table: Table, found: _Found) -> Iterator[tuple[str, str | None]]:
    """For each numeric column, its title and the text column that it comes from."""
    for column, feature in found.features.items():
        title = table.header[column] or f"column {column + 1}"
        if feature.sort == "categories":
            yield from ((f"{title}={text}", title) for text in feature.texts)
        else:
            yield title, title if is_choice(feature) else None


def _labels(table: Table, column: int) -> NDArray[np.generic]:
    """The classes as text; if some are missing, objects with None for these."""
    texts = texts_of(table.frame[column])
    if not any(text is not None for text in texts):
        raise ValueError(f"{table.place}: {name_column(table.header, column)} has no class in it. Omit --label-column.")
    return np.array(texts, object if None in texts else str)


def _names(table: Table, column: int | None) -> tuple[str, ...] | None:
    if column is None:
        return table.names
    return tuple("" if is_missing(cell, frozenset()) else text_of(cell) for cell in table.frame[column].astype(object))


def _notes(table: Table, found: _Found) -> Iterator[str]:
    """How each column was used, and which columns were not."""

    def names(columns: Sequence[int]) -> str:
        return list_names([table.header[column] or str(column + 1) for column in columns], _MOST_NAMES)

    texts = [column for column, feature in found.features.items() if feature.sort == "categories"]
    numbers = [column for column in found.features if column not in texts]
    used = []
    if numbers:
        used.append(f"{say_count(len(numbers), 'column')} of numbers: {names(numbers)}")
    if texts:
        sizes = [f"{table.header[k] or k + 1} ({len(found.features[k].texts)})" for k in texts]
        used.append(f"{say_count(len(texts), 'column')} of categories: {list_names(sizes, _MOST_NAMES)}")
    yield "; ".join([say_count(len(table.frame), "row"), *used])
    for sort, words in _SORTS.items():
        of_sort = [column for column, feature in found.features.items() if feature.sort == sort]
        if of_sort:
            yield f"{words}: {names(of_sort)}"
    if found.left_out:
        reasons = [f"{name_column(table.header, column)} ({reason})" for column, reason in found.left_out.items()]
        yield f"left out: {list_names(reasons, _MOST_NAMES)}"
    if found.filled:
        counts = [f"{table.header[k] or k + 1} ({n})" for k, n in found.filled.items()]
        yield f"missing numbers filled with the median: {list_names(counts, _MOST_NAMES)}"
    empty = {k: int((~found.features[k].values.any(axis=1)).sum()) for k in texts}
    lost = [f"{table.header[k] or k + 1} ({n})" for k, n in empty.items() if n]
    if lost:
        whose = "its" if len(lost) == 1 else "their"
        yield f"missing texts: {list_names(lost, _MOST_NAMES)}; they count as none of {whose} texts"


def _label_notes(labels: NDArray[np.generic] | None) -> Iterator[str]:
    if labels is not None and labels.dtype == object:
        yield f"no class is known for {say_count(sum(label is None for label in labels), 'row')}"

"""From a table to points, and what people should know about it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import numpy as np

from hypcse._checks import first_duplicate, number_repeated, say_count
from hypcse.points.columns import list_names, name_column
from hypcse.points.points import Points
from hypcse.points.tables.cells import is_missing, text_of
from hypcse.points.tables.decisions import CODE, Uses, decide_uses
from hypcse.points.tables.features import classes_of
from hypcse.points.tables.table import Table

_MOST_NAMES = 12
"""How many columns a note names."""
_CLASS = re.compile(r"(?i)(?:^|[\W_])(?:class|label|target|species|diagnosis|outcome)(?:$|[\W_])")
"""How columns are called that may hold known classes."""


def points_of_table(table: Table) -> Points:
    """Use the columns asked for as classes and names, and the others as features."""
    roles = table.roles
    uses = decide_uses(table)
    notes = [*_describe_uses(table, uses), *table.notes]
    labels = None if roles.label is None else classes_of(table.frame[roles.label])
    n_unknown = 0 if labels is None else sum(label is None for label in labels)
    if labels is not None and n_unknown == len(labels):
        title = name_column(table.header, roles.label or 0)
        raise ValueError(f"{table.place}: {title} has no class in it. Omit {table.columns.option('label')}.")
    names = table.names
    if uses.names is not None:
        cells = table.frame[uses.names].astype(object)
        names = tuple("" if is_missing(cell, frozenset()) else text_of(cell) for cell in cells)
        twice = first_duplicate(name for name in names if name)
        if not table.columns.strict:
            notes += [say_repeated(twice)] if twice is not None else []
            names = number_repeated(name or f"row {k}" for k, name in enumerate(names, 1))
    if n_unknown:
        notes.append(f"no class is known for {say_count(n_unknown, 'row')}")
    titles: list[tuple[str, str | None]] = []
    units: dict[str, str] = {}
    for column, feature in uses.features.items():
        title = table.header[column] or f"column {column + 1}"
        if feature.sort == "categories":
            titles += ((f"{title}={text}", title) for text in feature.texts)
        else:
            titles.append((title, title if feature.is_choice else None))
            units |= (
                {title: "date"} if feature.sort == "dates" else {title: feature.unit} if feature.unit != "#" else {}
            )
    kinds = tuple(kind for _, kind in titles)
    features = np.column_stack([feature.values for feature in uses.features.values()])
    gaps = np.isnan(features)
    for place in np.flatnonzero(gaps.any(axis=0)):
        known = features[~gaps[:, place], place]
        features[gaps[:, place], place] = np.median(known) if known.size else 0.0
    return Points(
        features,
        names=names,
        labels=labels,
        feature_names=tuple(title for title, _ in titles) if table.has_header or any(kinds) else None,
        kinds=kinds,
        units=units,
        gaps=gaps if gaps.any() else None,
        notes=tuple(notes),
        frame=table.frame.set_axis([title or f"column {k}" for k, title in enumerate(table.header, 1)], axis=1),
    )


def say_repeated(name: str) -> str:
    """The note about names that repeat."""
    return f"names of rows that repeat have a number: {name} (2)"


def _describe_uses(table: Table, uses: Uses) -> Iterator[str]:
    """How each column was used, and which columns were not."""

    def name(columns: Iterable[int]) -> str:
        return list_names([table.header[column] or str(column + 1) for column in columns], _MOST_NAMES)

    def count(numbers: dict[int, int]) -> str:
        return list_names([f"{name([column])} ({n})" for column, n in numbers.items()], _MOST_NAMES)

    def or_drop(columns: list[int]) -> str:
        loose = [column for column in columns if column not in table.roles.certain]
        return f"; or {table.option('drop', loose[-1])}" if loose else ""

    texts = {column: len(uses.features[column].texts) for column in uses.of_sort("categories")}
    numbers = [column for column in uses.features if column not in texts]
    used = [say_count(len(table.frame), "row")]
    used += [f"{say_count(len(numbers), 'column')} of numbers: {name(numbers)}"] if numbers else []
    used += [f"{say_count(len(texts), 'column')} of categories: {count(texts)}"] if texts else []
    yield "; ".join(used)
    if truth := uses.of_sort("truth"):
        yield f"true or yes is 1, false or no is 0; these count like text columns: {name(truth)}"
    if dates := uses.of_sort("dates"):
        yield f"dates are days since 1970-01-01: {name(dates)}{or_drop(dates)}"
    changed = [f"{name([k])} ({one.changed})" for k, one in uses.features.items() if one.changed]
    if changed:
        yield f"read in its own way: {list_names(changed, _MOST_NAMES)}"
    chosen = [column for column in uses.features if _CLASS.search(table.header[column])]
    plain = [column for column in texts if not CODE.search(table.header[column])]
    chosen = chosen or [column for column in plain if column not in table.roles.categorical]
    if chosen and table.roles.label is None and not set(chosen) <= table.roles.certain:
        option = table.option("label", chosen[-1])
        yield f"if a column holds known classes, to score by and not to cluster by: {option}"
    if not (table.has_header or table.columns.strict) and (chosen or uses.odd or uses.left_out):
        yield f"row 1 is data; {table.columns.option('header', True)} if it names the columns"
    if uses.odd:
        cells = [f"{name([column])} ({cell!r:.30})" for column, cell in uses.odd.items()]
        yield f"cells that are no numbers count as missing: {list_names(cells, _MOST_NAMES)}"
    if table.roles.dropped:
        yield f"left out as asked: {name(table.roles.dropped)}"
    reasons = {column: reason for column, reason in uses.left_out.items() if column not in table.roles.dropped}
    for column in list(reasons)[:_MOST_NAMES]:
        yield f"left out: {name_column(table.header, column)} ({reasons[column]})"
    if len(reasons) > _MOST_NAMES:
        yield f"left out: {len(reasons) - _MOST_NAMES} more columns, which are constant, mostly empty or texts"
    if gaps := uses.gaps:
        yield f"missing numbers filled with the median: {count(gaps)}{or_drop([*gaps])}"
    empty = {column: int(uses.features[column].is_missing.sum()) for column in texts}
    empty = {column: n for column, n in empty.items() if n}
    if empty:
        yield f"missing texts: {count(empty)}; they count as none of {'its' if len(empty) == 1 else 'their'} texts"

"""From a table, of points or of edges, to `Points`, and what people should know about it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from hypcse._checks import first_duplicate, number_repeated, say_count
from hypcse.graph import Graph
from hypcse.points.columns import Columns, list_names, name_column
from hypcse.points.points import Points
from hypcse.points.tables.cells import is_missing, number, text_of, written_texts
from hypcse.points.tables.decisions import CODE, Uses, decide_uses
from hypcse.points.tables.features import classes_of
from hypcse.points.tables.table import Table, decimal_mark

_MOST_NAMES = 12
"""How many columns a note names."""
_CLASS = re.compile(r"(?i)(?:^|[\W_])(?:class|label|target|species|diagnosis|outcome)(?:$|[\W_])")
"""How columns are called that may hold known classes."""
_OPTIONS = ("header", "edges", "decimal", "sheet")
"""Options that tables of edges have too."""
_END_NAMES = {("source", "target"), ("from", "to"), ("src", "dst")}
"""Names of two columns of ends, in lower case, that are not themselves vertices."""


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
        names = tuple(written_texts(table.frame[uses.names].astype(object)))
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
            units[title] = "date" if feature.sort == "dates" else feature.unit
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
        units={title: unit for title, unit in units.items() if unit != "#"},
        gaps=gaps if gaps.any() else None,
        notes=tuple(notes),
        frame=table.frame.set_axis([title or f"column {k}" for k, title in enumerate(table.header, 1)], axis=1),
    )


def say_repeated(name: str) -> str:
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


def points_of_edges(
    frame: Any,
    columns: Columns,
    place: str = "the data frame",
    *,
    named: bool = True,
    notes: tuple[str, ...] = (),
    prefer_comma: bool = False,
) -> Points:
    """A graph from a data frame of edges, vertices in the order of the rows; unless `named`, row 1 may be a header."""
    wrong = [option for name, option in columns.options().items() if name not in _OPTIONS]
    if wrong:
        raise ValueError(f"{place} holds edges; there are no columns to choose. Omit {', '.join(wrong)}.")
    if frame.shape[1] not in (2, 3):
        raise ValueError(f"{place} has {frame.shape[1]} cells per row; an edge has source, target and optional weight.")
    frame = frame.set_axis(range(frame.shape[1]), axis=1)
    cells = frame.iloc[:, :2].to_numpy(object).ravel()
    ends = np.array([text.strip() for text in written_texts(cells)], object)
    if not named and (_is_header(frame, ends) if columns.header is None else columns.header):
        titles = ", ".join(text_of(cell).strip() for cell in frame.iloc[0])
        notes += (f"row 1 names the columns: {titles:.60}; {columns.option('header', False)} if it is an edge",)
        frame, ends = frame.iloc[1:], ends[2:]
    if not len(frame):
        raise ValueError(f"{place} has a header but no edges.")
    empty = np.flatnonzero(ends == "")
    if empty.size:
        raise ValueError(f"{place}: edge {empty[0] // 2 + 1} has an empty end. Give both source and target.")
    codes, names = pd.factorize(ends)
    weights: Any = None
    if frame.shape[1] == 3:
        mark, more = decimal_mark(frame, (2,), columns, prefer_comma=prefer_comma)
        notes += more
        weights = [None if is_missing(cell) else number(cell, mark) for cell in frame[2]]
        if None in weights:
            row = weights.index(None)
            raise ValueError(f"{place}: the weight of edge {row + 1} is {frame[2].iloc[row]!r}, which is not a number.")
    try:
        graph = Graph.from_edges(codes[::2], codes[1::2], weights, len(names))
    except ValueError as error:
        raise ValueError(f"{place}: {error}") from None
    return Points(graph=graph, names=tuple(names), notes=(f"{len(names)} vertices; {graph.n_edges} edges", *notes))


def _is_header(frame: Any, ends: NDArray[Any]) -> bool:
    """Whether row 1 names the columns: no cell is a number or a vertex below it."""
    first, others = ends[:2], ends[2:]
    if any(map(_is_number, first)) or np.isin(others, first).any():
        return False
    if frame.shape[1] == 3:
        return not (is_missing(frame[2].iloc[0]) or _is_number(frame[2].iloc[0]))
    known = (first[0].lower(), first[1].lower()) in _END_NAMES
    return known or (others.size > 0 and all(map(_is_number, others)))


def _is_number(cell: Any) -> bool:
    """Whether a cell is a number in any notation, infinite and undefined ones among them."""
    text = str(cell).strip().lower()
    return text.lstrip("+-") in ("inf", "infinity", "nan") or any(number(cell, mark) is not None for mark in (".", ","))

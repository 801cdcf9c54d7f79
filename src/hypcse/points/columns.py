"""The options for the columns of a table, and the role that each column gets."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from hypcse._checks import check_choice
from hypcse._choices import Dates, Decimal, Impute

_MAX_NAMES = 20
"""How many column names a message lists."""
_ONE, _SEVERAL = ("label", "id"), ("use", "drop", "categorical", "keep")
"""Options that take one column, and several."""


@dataclass(frozen=True)
class Columns:
    """The options for reading a table, as `read` takes them; messages spell them as the command or as Python does."""

    label: str | None = None
    id: str | None = None
    use: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    header: bool | None = None
    impute: Impute | None = None
    decimal: Decimal | None = None
    dates: Dates | None = None
    sheet: str | None = None
    edges: bool = False
    # No option of columns: it goes with files that have none.
    strict: bool = field(default=False, compare=False)
    in_python: bool = field(default=False, compare=False)

    def __post_init__(self) -> None:
        """Turn positions into text, and check words."""
        for name in (*_ONE, "sheet"):
            value = getattr(self, name)
            object.__setattr__(self, name, None if value is None else str(value))
        for name in _SEVERAL:
            value = getattr(self, name)
            names = (value,) if isinstance(value, str | int) else value
            object.__setattr__(self, name, tuple(map(str, names)))
        for name, choices in (("impute", Impute), ("decimal", Decimal), ("dates", Dates)):
            if getattr(self, name) is not None:
                check_choice(name, getattr(self, name), choices)

    def option(self, name: str, value: str | int | bool | None = None) -> str:
        """An option as people pass it, or its name alone; a whole number is the position of a column.

        >>> of_command, of_python = Columns(), Columns(in_python=True)
        >>> [of_command.option("label"), of_command.option("drop", "a b"), of_command.option("header", False)]
        ['--label-column', "--drop 'a b'", '--no-header']
        >>> [of_python.option("label"), of_python.option("drop", "a b"), of_python.option("header", False)]
        ['label_column', 'drop=["a b"]', 'header=False']
        """
        several = name in _SEVERAL
        if self.in_python:
            title = f"{name}_column" if name in _ONE else name
            written = value if isinstance(value, int) else json.dumps(value, ensure_ascii=False)
            return title if value is None else f"{title}=[{written}]" if several else f"{title}={written}"
        title = f"--{name}-column" if name in _ONE else f"--{name}"
        if value is None or value is True:
            return title
        if value is False:
            return f"--no-{name}"
        name = str(value)
        # Where several names may follow, one that holds a comma or a quote is quoted.
        if several and ("," in name or '"' in name):
            name = '"' + name.replace('"', '""') + '"'
        return f"{title} {shlex.quote(name)}"

    def options(self) -> dict[str, str]:
        """The fields that differ from their defaults, each with the name of its option."""
        return {name: self.option(name) for name in self.changes()}

    def changes(self) -> dict[str, Any]:
        """The fields that differ from their defaults."""
        values = [(one, getattr(self, one.name)) for one in fields(self) if one.compare]
        return {one.name: value for one, value in values if value != one.default}

    def words(self) -> list[str]:
        """The fields that differ from their defaults, as words of the command."""
        words: list[str] = []
        for name, value in self.changes().items():
            for one in value if isinstance(value, tuple) else (value,):
                words += shlex.split(self.option(name, one))
        return [*words, "--strict"] if self.strict else words

    def as_fitted(self, names: Sequence[str], kinds: Sequence[str | None]) -> Columns:
        """The options that read the columns a model was fitted on, given its `feature_names` and `kinds`."""
        if self.use:
            return self
        pairs = list(zip(names, kinds, strict=True))
        texts = tuple(dict.fromkeys(kind for name, kind in pairs if kind not in (None, name)))
        numbers = tuple(name for name, kind in pairs if kind in (None, name))
        return replace(self, use=(*numbers, *texts), categorical=texts, impute="median")


@dataclass(frozen=True)
class Roles:
    """Positions of the columns, from 0; the `certain` features were asked for, and are used whatever they look like."""

    label: int | None
    name: int | None
    features: tuple[int, ...]
    categorical: frozenset[int]
    certain: frozenset[int]
    dropped: tuple[int, ...]

    @classmethod
    def of(cls, place: str, header: Sequence[str], columns: Columns) -> Roles:
        """The roles of the columns of a table with these names ("" for a column without one)."""

        def positions(names: Iterable[str]) -> tuple[int, ...]:
            return tuple(dict.fromkeys(_find(place, header, name) for name in names))

        label, name = (positions([] if one is None else [one]) for one in (columns.label, columns.id))
        use, drop, categorical, keep = map(positions, (columns.use, columns.drop, columns.categorical, columns.keep))
        # Options of features may name the same column, the others not.
        options = {"label": label, "id": name, "use": use, "drop": drop, "categorical": categorical, "keep": keep}
        for column in range(len(header)):
            both = [option for option, named in options.items() if column in named]
            if len(both) > 1 and not {"use", "categorical", "keep"}.issuperset(both):
                title, words = name_column(header, column), " and ".join(map(columns.option, both))
                raise ValueError(f"{words} both name {title} of {place}. Name it in one of them.")
        out = {*label, *name, *drop}
        certain = dict.fromkeys((*use, *categorical, *keep))
        features = dict.fromkeys((*(use or (column for column in range(len(header)) if column not in out)), *certain))
        first = (label[0] if label else None, name[0] if name else None)
        return cls(*first, tuple(features), frozenset(categorical), frozenset(certain), drop)

    @property
    def texts(self) -> frozenset[int]:
        """Columns to read as text, exactly as written."""
        return self.categorical | {column for column in (self.label, self.name) if column is not None}

    @property
    def numeric(self) -> tuple[int, ...]:
        """The features that should hold numbers."""
        return tuple(column for column in self.features if column not in self.categorical)


def _find(place: str, header: Sequence[str], column: str) -> int:
    """Position of the column of this name or, if none has it, of the one at this position from 1."""
    if column and column in header:
        return header.index(column)
    # What has no name is called by its position.
    position = column.removeprefix("column ")
    if position.isdecimal() and 1 <= int(position) <= len(header):
        return int(position) - 1
    names = [name for name in header if name]
    known = f"its columns are {list_names(names, _MAX_NAMES)}" if names else "it has no header"
    raise ValueError(f"{place} has no column {column!r}; {known}. Positions are between 1 and {len(header)}.")


def check_no_columns(path: Path, columns: Columns) -> None:
    """Raise if column options are given for a file without columns."""
    if columns != Columns():
        raise ValueError(f"{path} has no named columns; column options are for tables. Omit them.")


def name_column(header: Sequence[str], column: int) -> str:
    return f"column {header[column]!r}" if header[column] else f"column {column + 1}"


def list_names(names: Sequence[str], most: int) -> str:
    """A list of names; only the first ones if there are many."""
    return ", ".join(names[:most]) + (", ..." if len(names) > most else "")

"""The options for the columns of a table, and the role that each column gets."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from itertools import chain
from pathlib import Path

from hypcse._checks import check_choice
from hypcse._choices import Dates, Decimal, Impute

MAX_NAMES = 20
"""How many column names a message lists."""
# Options that may name the same column: all say that it is a feature.
_FEATURE_OPTIONS = {"--use", "--categorical", "--keep"}


@dataclass(frozen=True)
class Columns:
    """The options for reading a table; columns are given by name or by position from 1.

    Parameters
    ----------
    label, id : columns of the classes and of the names, which are not features.
    use : the feature columns; all others by default.
    drop : columns to leave out.
    categorical : text columns; each becomes one column of 0 and 1 per distinct text.
    keep : columns to use even though they look like an id.
    header : whether row 1 names the columns; None detects it: row 1 is a header if none of its cells is a number.
    impute : "median" fills missing numbers with the median of the column; None refuses them.
    decimal : "." or ","; None detects it.
    dates : "refuse", or "number" for days since 1970-01-01.
    sheet : sheet of a workbook, by name or by position from 1; the first by default.
    edges : whether rows are edges: source, target, optional weight.
    """

    label: str | None = None
    id: str | None = None
    use: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    header: bool | None = None
    impute: Impute | None = None
    decimal: Decimal | None = None
    dates: Dates = "refuse"
    sheet: str | None = None
    edges: bool = False

    def __post_init__(self) -> None:
        if self.impute is not None:
            check_choice("impute", self.impute, Impute)
        if self.decimal is not None:
            check_choice("decimal", self.decimal, Decimal)
        check_choice("dates", self.dates, Dates)

    def options(self) -> dict[str, str]:
        """The fields that differ from their defaults, each with its option as the command spells it."""
        given = [field.name for field in fields(self) if getattr(self, field.name) != field.default]
        return {name: _OPTIONS.get(name, f"--{name}") for name in given}

    def words(self) -> list[str]:
        """The fields that differ from their defaults, as words of the command.

        >>> Columns(label="kind", drop=("a", "b, c"), header=False).words()
        ['--label-column', 'kind', '--drop', 'a', '--drop', '"b, c"', '--no-header']
        """
        found: list[str] = []
        for name, option in self.options().items():
            value = getattr(self, name)
            if isinstance(value, bool):
                found.append(option if value else f"--no-{name}")
                continue
            for one in value if isinstance(value, tuple) else (value,):
                found += [option, _quote_comma(one) if isinstance(value, tuple) else one]
        return found


def _quote_comma(name: str) -> str:
    """A name as the options that take several have it: in quotes if it holds a comma or a quote."""
    return '"' + name.replace('"', '""') + '"' if "," in name or '"' in name else name


_OPTIONS = {"label": "--label-column", "id": "--id-column"}


@dataclass(frozen=True)
class Roles:
    """Positions of the columns, from 0.

    label, name : columns of classes and of names, or None.
    features    : feature columns, in the order of the result.
    categorical : the features that hold text.
    certain     : the features that were asked for; they are used whatever they look like.
    dropped     : left out because `drop` says so.
    """

    label: int | None
    name: int | None
    features: tuple[int, ...]
    categorical: frozenset[int]
    certain: frozenset[int]
    dropped: tuple[int, ...]

    @classmethod
    def of(cls, place: str, header: Sequence[str], asked: Columns) -> Roles:
        """The roles of the columns of a table with these names ("" for a column without one)."""

        def found(columns: Iterable[str]) -> tuple[int, ...]:
            return tuple(dict.fromkeys(find(place, header, column) for column in columns))

        label, name = (found([] if column is None else [column]) for column in (asked.label, asked.id))
        use, drop, categorical, keep = map(found, (asked.use, asked.drop, asked.categorical, asked.keep))
        named = {"--label-column": label, "--id-column": name, "--use": use, "--drop": drop}
        _check_agree(place, header, {**named, "--categorical": categorical, "--keep": keep})
        out = {*label, *name, *drop}
        wanted = use or tuple(column for column in range(len(header)) if column not in out)
        certain = dict.fromkeys(chain(use, categorical, keep))
        return cls(
            label[0] if label else None,
            name[0] if name else None,
            tuple(dict.fromkeys(chain(wanted, certain))),
            frozenset(categorical),
            frozenset(certain),
            drop,
        )

    @property
    def texts(self) -> frozenset[int]:
        """Columns to read as text, exactly as written."""
        return self.categorical | {column for column in (self.label, self.name) if column is not None}


def find(place: str, header: Sequence[str], column: str) -> int:
    """Position of the column of this name or, if none has it, of the one at this position from 1."""
    if column and column in header:
        return header.index(column)
    if column.isdecimal() and 1 <= int(column) <= len(header):
        return int(column) - 1
    names = [name for name in header if name]
    known = f"its columns are {list_names(names, MAX_NAMES)}" if names else "it has no header"
    raise ValueError(
        f"{place} has no column {column!r}; {known}. Give a name, or a position between 1 and {len(header)}."
    )


def check_no_columns(path: Path, asked: Columns) -> None:
    """Raise if column options are given for a file without columns."""
    if asked != Columns():
        raise ValueError(f"{path} has no named columns; column options are for tables. Omit them.")


def name_column(header: Sequence[str], column: int) -> str:
    """A column in a message."""
    return f"column {header[column]!r}" if header[column] else f"column {column + 1}"


def as_option(header: Sequence[str], column: int) -> str:
    """A column as the command takes it."""
    return shlex.quote(header[column]) if header[column] else str(column + 1)


def list_names(names: Sequence[str], most: int) -> str:
    """A list of names; only the first ones if there are many."""
    return ", ".join(names[:most]) + (", ..." if len(names) > most else "")


def _check_agree(place: str, header: Sequence[str], named: dict[str, tuple[int, ...]]) -> None:
    """Raise for a column that two options claim for different roles."""
    options: dict[int, list[str]] = {}
    for option, columns in named.items():
        for column in columns:
            options.setdefault(column, []).append(option)
    for column, both in options.items():
        if len(both) > 1 and not _FEATURE_OPTIONS.issuperset(both):
            raise ValueError(
                f"{' and '.join(both)} both name {name_column(header, column)} of {place}. Name it in one of them."
            )

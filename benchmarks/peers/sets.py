"""The sets of points: the million of the benchmarks, smaller, and with more columns."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PointSet:
    """So many points with so many columns, of 200 Gaussians around 10 centers (`benchmarks.million.grouped`)."""

    n_points: int
    n_columns: int

    @property
    def name(self) -> str:
        """Points and columns: 10k x 16.

        >>> [PointSet(10_000, 16).name, PointSet(1_000_000, 16).name, PointSet(1_234, 2).name]
        ['10k x 16', '1M x 16', '1234 x 2']
        """
        for unit, letter in ((1_000_000, "M"), (1_000, "k")):
            if self.n_points % unit == 0:
                return f"{self.n_points // unit}{letter} x {self.n_columns}"
        return f"{self.n_points} x {self.n_columns}"

    @property
    def title(self) -> str:
        """In words."""
        return f"{self.n_points:,} points, {self.n_columns} columns"


SETS = (
    PointSet(10_000, 16),
    PointSet(100_000, 16),
    PointSet(10_000, 384),
    PointSet(100_000, 384),
    PointSet(1_000_000, 16),
)


def set_named(name: str) -> PointSet:
    """One of the declared sets, or any other: `5k x 8`, `1234 x 2`.

    >>> set_named("5k x 8")
    PointSet(n_points=5000, n_columns=8)
    """
    points, _, columns = (part.strip() for part in name.lower().partition("x"))
    unit = {"k": 1_000, "m": 1_000_000}.get(points[-1:], 1)
    number = points[:-1] if unit > 1 else points
    if not (number.isdigit() and columns.isdigit() and int(number) and int(columns)):
        choices = ", ".join(repr(one.name) for one in SETS)
        raise ValueError(f"{name!r} is not a set of points. Write points x columns, such as {choices}.")
    return PointSet(int(number) * unit, int(columns))

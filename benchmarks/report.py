"""The tables that the command prints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import log10

from rich.markup import escape
from rich.table import Table

from benchmarks.case import Case
from benchmarks.runner import Measurement


def tenfold_growth(time_ratio: float, size_ratio: float) -> float:
    """What a power law that grows by `time_ratio` for `size_ratio` grows by for ten.

    >>> tenfold_growth(4.0, 2.0) == 10 ** 2
    True
    """
    return 10 ** (log10(time_ratio) / log10(size_ratio))


def results_table(measurements: Sequence[Measurement], cases: Mapping[str, Case]) -> Table:
    """A row a (case, size), with the growth since the size before that succeeded."""
    table = _table("case", "size", "seconds", "peer", "ratio", "peak MB", "growth", "claimed")
    before: dict[str, Measurement] = {}
    for found in sorted(measurements, key=lambda found: (list(cases).index(found.case), found.size)):
        case, failed = cases[found.case], found.error is not None
        table.add_row(
            found.case,
            f"{found.size:,}",
            "failed" if failed and found.seconds is None else _figure(found.seconds),
            "failed" if failed and found.seconds is not None else _figure(found.peer_seconds),
            _figure(found.ratio),
            _figure(found.peak_mb),
            growth_text(before.get(found.case), found, case.max_growth),
            case.growth,
        )
        if found.seconds is not None:
            before[found.case] = found
    return table


def growth_text(before: Measurement | None, found: Measurement, max_growth: float | None) -> str:
    """The time ratio and the size ratio, with "over" where a tenfold size takes beyond `max_growth`."""
    if before is None or not before.seconds or not found.seconds:
        return "-"
    time_ratio, size_ratio = found.seconds / before.seconds, found.size / before.size
    over = max_growth is not None and tenfold_growth(time_ratio, size_ratio) > max_growth
    return f"x{time_ratio:.3g} for x{size_ratio:.3g}" + (" over" if over else "")


def case_table(cases: Iterable[Case]) -> Table:
    """What each case measures and claims."""
    table = _table("case", "sizes", "growth", "peer", "description")
    for case in cases:
        sizes = ", ".join(f"{size:,}" for size in case.sizes)
        table.add_row(case.name, sizes, case.growth, case.peer or "-", escape(case.description))
    return table


def _figure(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def _table(*columns: str) -> Table:
    table = Table()
    for column in columns:
        text = column in ("case", "claimed", "description", "growth", "peer", "sizes")
        table.add_column(column, justify="left" if text else "right", no_wrap=column in ("case", "growth"))
    return table

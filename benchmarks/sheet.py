"""A table of figures, for the terminal and as Markdown."""

from __future__ import annotations

from dataclasses import dataclass

from rich.markup import escape
from rich.table import Table


@dataclass(frozen=True)
class Sheet:
    """A table as text, with the remarks that its reader needs."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    remarks: tuple[str, ...] = ()

    def to_rich(self) -> Table:
        """For the terminal."""
        table = Table(title=escape(self.title), title_justify="left")
        for place, column in enumerate(self.columns):
            table.add_column(escape(column), justify="right" if place else "left", no_wrap=place == 0)
        for row in self.rows:
            table.add_row(*(escape(cell) for cell in row))
        return table

    def to_markdown(self) -> str:
        """For a file.

        >>> print(Sheet("A", ("b", "c"), (("1", "2"),), ("d",)).to_markdown())
        ## A
        <BLANKLINE>
        | b | c |
        | --- | ---: |
        | 1 | 2 |
        <BLANKLINE>
        - d
        """
        ruler = ["---", *["---:"] * (len(self.columns) - 1)]
        lines = [f"| {' | '.join(cells)} |" for cells in (self.columns, ruler, *self.rows)]
        remarks = ["", *(f"- {remark}" for remark in self.remarks)] if self.remarks else []
        return "\n".join([f"## {self.title}", "", *lines, *remarks])


def seconds_text(seconds: float | None) -> str:
    """Seconds to two digits, or to whole ones."""
    if seconds is None:
        return "-"
    return f"{seconds:.0f}" if seconds >= 10 else f"{seconds:.2g}"

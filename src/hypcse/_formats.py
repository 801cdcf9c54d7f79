"""Files that points are read from. It imports nothing heavy, so that the help of the command can list them."""

from __future__ import annotations

from typing import NamedTuple


class Format(NamedTuple):
    """How files of one suffix are read.

    reader : module, in `hypcse.points.reading.formats`, and function: a path and `Columns` in, `Points` out.
    packed : whether the file may be compressed, with .gz behind its suffix.
    sheets : whether a file holds several tables, of which `sheet` chooses one.
    """

    reader: tuple[str, str]
    packed: bool = False
    sheets: bool = False


FORMATS: dict[str, Format] = {
    ".csv": Format(("text", "read_text"), packed=True),
    ".tsv": Format(("text", "read_text"), packed=True),
    ".txt": Format(("text", "read_text"), packed=True),
    ".xlsx": Format(("frames", "read_workbook"), sheets=True),
    ".parquet": Format(("frames", "read_parquet")),
    ".npy": Format(("arrays", "read_array")),
    ".npz": Format(("arrays", "read_archive")),
    ".mtx": Format(("arrays", "read_matrix_market")),
    ".h5ad": Format(("arrays", "read_cells")),
    ".edges": Format(("text", "read_edges"), packed=True),
    ".edgelist": Format(("text", "read_edges"), packed=True),
}
"""The format of each suffix. A new one needs a reader and a line here."""


def list_suffixes() -> str:
    """The suffixes, for help and messages.

    >>> list_suffixes()[:12]
    '.csv, .tsv, '
    """
    return ", ".join(FORMATS)

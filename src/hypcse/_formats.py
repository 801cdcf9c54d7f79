"""The file formats that points are read from. Imports nothing heavy, so that `--help` can list them."""

from __future__ import annotations

from typing import NamedTuple


class Format(NamedTuple):
    """How files of one suffix are read.

    reader : module, in `hypcse.points.reading.formats`, and function: a path and `Columns` in, `Points` out.
    packed : whether the file may be compressed, with .gz behind its suffix.
    sheets : whether a file holds several tables; `sheet` chooses one.
    kind   : what such a file is called in error messages.
    """

    reader: tuple[str, str]
    packed: bool = False
    sheets: bool = False
    kind: str = "a table of text"


FORMATS: dict[str, Format] = {
    ".csv": Format(("text", "read_text"), packed=True),
    ".tsv": Format(("text", "read_text"), packed=True),
    ".txt": Format(("text", "read_text"), packed=True),
    ".xlsx": Format(("frames", "read_workbook"), sheets=True, kind="an Excel workbook"),
    ".parquet": Format(("frames", "read_parquet"), kind="a Parquet file"),
    ".npy": Format(("arrays", "read_array"), kind="a plain NumPy file"),
    ".npz": Format(("arrays", "read_archive"), kind="a plain NumPy file"),
    ".mtx": Format(("matrix_market", "read_matrix_market"), kind="a Matrix Market file"),
    ".h5ad": Format(("arrays", "read_cells"), kind="an .h5ad file"),
    ".edges": Format(("text", "read_edges"), packed=True, kind="a list of edges"),
    ".edgelist": Format(("text", "read_edges"), packed=True, kind="a list of edges"),
}
"""The format of each suffix. A new one needs a reader and a line here."""


def list_suffixes() -> str:
    """The suffixes, for help and messages.

    >>> list_suffixes()[:12]
    '.csv, .tsv, '
    """
    return ", ".join(FORMATS)

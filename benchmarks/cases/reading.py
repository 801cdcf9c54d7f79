"""Reading tables from files."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import hypcse
from benchmarks.case import Rng, Workload, case

N_COLUMNS = 16
_BLOCK = 10_000


@case(sizes=(100_000, 1_000_000), growth="n", peer="pandas.read_csv")
def read_csv(n_rows: int, rng: Rng) -> Workload:
    """A table of 16 numbers per row read from CSV; a million rows in at most 10 s and 1 GB."""
    folder = TemporaryDirectory()
    path = Path(folder.name) / "table.csv"
    rows = [",".join(map(repr, row)) for row in rng.normal(size=(min(n_rows, _BLOCK), N_COLUMNS)).tolist()]
    with path.open("w", encoding="utf-8") as file:
        file.write(",".join(f"c{k}" for k in range(N_COLUMNS)) + "\n")
        for start in range(0, n_rows, _BLOCK):
            file.write("\n".join(rows[: n_rows - start]) + "\n")

    def run() -> hypcse.Points:
        # The folder lives as long as this function does.
        return hypcse.read(Path(folder.name) / path.name)

    def peer() -> object:
        # Imported here, not above: the process that starts the others must stay small.
        from pandas import read_csv as read

        return read(path)

    return Workload(run, peer, "pandas alone: what finding the layout and checking columns adds", _facts)


def _facts(points: hypcse.Points) -> dict[str, float]:
    return {"rows": float(points.n_points), "columns": float(points.table.shape[1])}

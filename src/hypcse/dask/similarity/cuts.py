"""How the work on a similarity graph is cut: kept in its folder, so that a call that goes on cuts it alike."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypcse.writing import write_file

PLAN = "plan.json"


class Cuts(NamedTuple):
    """Where files of the work begin and end.

    chunks : rows of each block that is dealt to shards.
    bounds : (n_parts + 1,) the rows at which parts begin.
    """

    chunks: tuple[int, ...]
    bounds: NDArray[np.int64]


def keep_cuts(work: Path, new: Cuts, n_parts: int | None) -> Cuts:
    """The cuts that a folder keeps, or new ones, which it keeps from now on.

    Blocks are those of the first call. So are parts, unless another number of them is asked for: neighbours are then
    searched again, because their files are cut by part.
    """
    path = work / PLAN
    if not path.is_file():
        _write(path, new)
        return new
    told = json.loads(path.read_text(encoding="utf-8"))
    kept = Cuts(tuple(told["chunks"]), np.array(told["bounds"], np.int64))
    if n_parts is None or np.array_equal(kept.bounds, new.bounds):
        return kept
    for file in work.glob("near-*"):
        file.unlink()
    again = kept._replace(bounds=new.bounds)
    _write(path, again)
    return again


def _write(path: Path, cuts: Cuts) -> None:
    write_file(path, json.dumps({"chunks": list(cuts.chunks), "bounds": cuts.bounds.tolist()}))

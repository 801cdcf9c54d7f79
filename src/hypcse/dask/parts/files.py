"""The folder of a graph: its parts, its arrays over vertices, and the metadata that mark it as whole."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypcse._arrays import freeze
from hypcse.writing import write_file

METADATA, UNFINISHED = "graph.json", "graph.unfinished"
VERTEX_ARRAYS = ("self_weights", "edge_degrees")


class Parts(NamedTuple):
    """What is known of a graph when the files of its parts are written; see `DistributedGraph`."""

    bounds: NDArray[np.int64]
    part_entries: NDArray[np.int64]
    self_weights: NDArray[np.float64]
    edge_degrees: NDArray[np.float64]


class About(NamedTuple):
    """How a similarity graph was made; None where it is not known.

    bandwidth   : of its weights.
    recall      : share of the true neighbours that were found, as measured on a sample.
    fingerprint : of the table and of the arguments.
    """

    bandwidth: float | None = None
    recall: float | None = None
    fingerprint: str | None = None


def part_name(part: int) -> str:
    """The name of the file of a part."""
    return f"part-{part:05d}.parquet"


def holds_graph(folder: Path) -> bool:
    """Whether a folder holds a graph that was written to its end."""
    return (folder / METADATA).is_file()


def mark_unfinished(folder: Path) -> None:
    """Mark a folder as not whole, before parts of a graph are written there in place of those that it may hold."""
    (folder / UNFINISHED).touch()
    (folder / METADATA).unlink(missing_ok=True)


def write_metadata(folder: Path, parts: Parts, about: About | None = None) -> None:
    """Write what belongs to the files of the parts; the metadata last, so that they mark a whole folder."""
    for name in VERTEX_ARRAYS:
        np.save(folder / f"{name}.npy", getattr(parts, name), allow_pickle=False)
    told = {
        "format": "hypcse graph",
        "version": 1,
        "n_vertices": parts.self_weights.size,
        "n_edges": int(parts.part_entries.sum()) // 2,
        "bounds": parts.bounds.tolist(),
        "part_entries": parts.part_entries.tolist(),
        **(about or About())._asdict(),
    }
    write_file(folder / METADATA, json.dumps(told))
    (folder / UNFINISHED).unlink(missing_ok=True)


def read_metadata(folder: Path) -> tuple[Parts, About]:
    """What `write_metadata` wrote."""
    told = json.loads((folder / METADATA).read_text(encoding="utf-8"))
    if told.get("format") != "hypcse graph" or told.get("version") != 1:
        raise ValueError(f"{folder / METADATA} does not describe a graph that this version can read.")
    arrays = [freeze(np.load(folder / f"{name}.npy", allow_pickle=False)) for name in VERTEX_ARRAYS]
    for part in range(len(told["part_entries"])):
        if not (folder / part_name(part)).is_file():
            raise FileNotFoundError(f"{folder} is not whole: {part_name(part)} is missing. Make the graph again.")
    parts = Parts(np.array(told["bounds"], np.int64), np.array(told["part_entries"], np.int64), *arrays)
    return parts, About(*(told.get(name) for name in About._fields))

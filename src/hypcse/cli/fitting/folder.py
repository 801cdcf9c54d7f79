"""The folder that `hypcse fit` writes."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hypcse import __version__
from hypcse.cli.fitting.findings import Findings
from hypcse.cli.score import finite
from hypcse.points import Points
from hypcse.saving.archive import FILES as FILES_OF_A_MODEL
from hypcse.saving.models import INNER, pack_model
from hypcse.show.page.bundle import render
from hypcse.show.page.contents import Look, gather
from hypcse.tree.flat import count_clusters

PAGE = "tree.html"
MODEL_FILES = tuple(f"{INNER}/{name}" for name in FILES_OF_A_MODEL)
FILES = ("embedding.npy", "labels.csv", "linkage.npy", *MODEL_FILES, "scores.json", PAGE, "tree.nwk")


def folder_files(
    model: Any, points: Points, found: Findings, row: dict[str, float], job: dict[str, Any], title: str
) -> dict[str, bytes]:
    """Contents of the folder by file name."""
    tree, labels = model.tree_, model.labels_
    report = {
        "scores": {name: finite(value) for name, value in row.items()},
        "clusters": count_clusters(labels),
        **found.report(),
        "points": tree.n_leaves,
        "features": 0 if points.features is None else points.features.shape[1],
        "edges": model.graph_.n_edges,
        "notes": list(points.notes),
        "seconds": job.pop("seconds"),
        "job": job,
        "version": __version__,
    }
    page = render(gather(model, points, Look(scale=model.scale, title=title, stability=found.stability)))
    files = {
        "tree.nwk": (tree.to_newick() + "\n").encode(),
        "labels.csv": label_table(labels, model.levels_, points).encode(),
        "scores.json": (json.dumps(report, indent=2, allow_nan=False) + "\n").encode(),
        PAGE: page.encode("utf-8", "replace"),
    }
    if tree.n_leaves > 1:
        files["linkage.npy"] = npy_bytes(tree.to_linkage())
    if hasattr(model, "embedding_"):
        files["embedding.npy"] = npy_bytes(model.embedding_)
    return files | {f"{INNER}/{name}": content for name, content in pack_model(model).items()}


def npy_bytes(array: NDArray[np.float64]) -> bytes:
    """The file of an array."""
    with io.BytesIO() as buffer:
        np.save(buffer, array, allow_pickle=False)
        return buffer.getvalue()


def label_table(labels: NDArray[np.int64], partitions: list[NDArray[np.int64]], points: Points) -> str:
    """One row per point: its name, its flat label, and its label at every level from coarse to fine."""
    names = points.names or tuple(map(str, range(labels.size)))
    header = ["name", "label", *(f"level_{k}" for k in range(1, len(partitions) + 1))]
    text = io.StringIO(newline="")
    table = csv.writer(text, lineterminator="\n")
    table.writerow(header)
    table.writerows(zip(names, labels.tolist(), *(level.tolist() for level in partitions), strict=True))
    return text.getvalue()

"""Points in a file of their own, for tasks that other processes run, and the trees that these find."""

from __future__ import annotations

import hashlib
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from hypcse._checks import is_missing
from hypcse.graph import Graph
from hypcse.graph.features import learn_reduction, reduce_columns
from hypcse.points import Points
from hypcse.tree import Tree
from hypcse.writing import write_file

GRAPH = ("indptr", "indices", "weights", "self_weights")
"""Parts of a graph."""


def keep_points(points: Points, folder: Path) -> Path:
    """Write features, names, labels and what is known of the columns to a file named by what is in it.

    Changed points are other tasks. Texts that are not there are empty.
    """
    features = reduce_columns(points.features, learn_reduction(points.features))
    facts = np.array([points.metric, str(points.one_scale), str(points.made_of_features)])
    parts = {"X": np.ascontiguousarray(features), "facts": facts}
    if points.labels is not None:
        parts["y"] = np.array(["" if is_missing(label) else str(label) for label in points.labels.tolist()])
    if points.names is not None:
        parts["names"] = np.array(points.names)
    if points.kinds is not None and len(points.kinds) == features.shape[1]:
        parts["kinds"] = np.array([kind or "" for kind in points.kinds])
    if points.graph is not None:
        parts |= {f"graph_{name}": getattr(points.graph, name) for name in GRAPH}
    digest = hashlib.sha256()
    for name, part in parts.items():
        digest.update(name.encode() + str(part.shape).encode())
        digest.update(part.tobytes() if part.dtype.kind != "U" else "\n".join(part).encode("utf-8", "replace"))
    file = folder / f"points-{digest.hexdigest()[:12]}.npz"
    content = BytesIO()
    np.savez(content, allow_pickle=False, **parts)
    write_file(file, content.getvalue())
    return file


def read_points(file: str | Path) -> Points:
    """The points that `keep_points` wrote."""
    with np.load(file, allow_pickle=False) as archive:
        labels, kinds, names = archive.get("y"), archive.get("kinds"), archive.get("names")
        metric, one_scale, made_of_features = archive["facts"].tolist()
        rows = [archive[f"graph_{name}"] for name in GRAPH if f"graph_{name}" in archive]
        return Points(
            archive["X"],
            Graph(*rows) if rows else None,
            names=None if names is None else tuple(names.tolist()),
            labels=None if labels is None else np.array([label or None for label in labels.tolist()], dtype=object),
            kinds=None if kinds is None else tuple(kind or None for kind in kinds.tolist()),
            metric=metric,
            one_scale=one_scale == "True",
            made_of_features=made_of_features == "True",
        )


def keep_tree(tree: Tree, file: Path) -> dict[str, str]:
    """Write a tree as Newick, and return the file's name and what is in it, as records note it."""
    text = tree.to_newick() + "\n"
    write_file(file, text)
    return {"file": file.name, "sha256": hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()}


def is_kept(record: dict[str, Any], folder: Path) -> bool:
    """Whether the tree that a record notes, if any, still lies in the folder as it was."""
    noted = record.get("tree")
    if noted is None:
        return True
    file = folder / Path(noted["file"]).name
    return file.is_file() and hashlib.sha256(file.read_bytes()).hexdigest() == noted["sha256"]

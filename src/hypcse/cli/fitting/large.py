"""The folder that `hypcse fit --cluster` writes: the page shows the top of a large tree."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypcse import Tree, __version__, view
from hypcse._checks import say_count
from hypcse.cli.fitting.findings import Findings
from hypcse.cli.fitting.folder import PAGE, label_table, npy_bytes
from hypcse.cli.score import finite
from hypcse.points import Points
from hypcse.tree.flat import by_size, cluster_sizes, count_clusters
from hypcse.tree.outline import outline

MAX_SHOWN = 5_000
"""Leaves of the largest tree that the page shows whole."""
MAX_CLUSTERS = 2_000
"""Leaves of the page of a larger one: clusters."""


class Large(NamedTuple):
    """What is known of the points: rows in blocks, or edges in a file; names of columns and rows, and classes."""

    rows: Any
    columns: tuple[str, ...] | None = None
    ids: tuple[str, ...] | None = None
    labels: NDArray[Any] | None = None
    edges: Path | None = None


def large_files(
    found: Any,
    labels: NDArray[np.int64],
    data: Large,
    row: dict[str, float],
    job: dict[str, Any],
    title: str,
) -> dict[str, bytes]:
    """Contents of the folder by file name; there is no model, because the graph is not in memory."""
    tree: Tree = found.tree if data.ids is None else found.tree.with_names(data.ids)
    findings = Findings(found.levels, found.main, found.structure, None)
    shown = labels if found.main is None else found.levels[found.main]
    report = {
        "scores": {name: finite(value) for name, value in row.items()},
        "clusters": count_clusters(labels),
        **findings.report(),
        "points": tree.n_leaves,
        "features": 0 if data.rows is None else data.rows.shape[1],
        "edges": found.graph.n_edges,
        "recall": found.graph.recall,
        "notes": [],
        "seconds": job.pop("seconds"),
        "job": job,
        "version": __version__,
    }
    files = {
        "tree.nwk": (tree.to_newick() + "\n").encode(),
        "labels.csv": label_table(labels, found.levels, Points(names=data.ids)).encode(),
        "scores.json": (json.dumps(report, indent=2, allow_nan=False) + "\n").encode(),
        PAGE: page_of(tree, found.levels, shown, found.structure, title).encode("utf-8", "replace"),
    }
    return files | ({"linkage.npy": npy_bytes(tree.to_linkage())} if tree.n_leaves > 1 else {})


def page_of(tree: Tree, levels: list[NDArray[np.int64]], labels: NDArray[np.int64], structure: Any, title: str) -> str:
    """The page of the tree, or of its top, down to at most 2,000 clusters; its heading says which."""
    if tree.n_leaves <= MAX_SHOWN:
        return view(tree, levels=levels, automatic=labels, structure=structure, title=title).html
    clusters = top_clusters(tree, levels)
    first = np.unique(clusters, return_index=True)[1]
    sizes = cluster_sizes(clusters)
    names = [f"cluster {k}: {say_count(int(size), 'point')}" for k, size in enumerate(sizes)]
    shown = [level[first] for level in levels if level.max() <= clusters.max()]
    shown = [level for level in shown if level.max() + 1 < sizes.size]
    automatic = labels[first] if labels.max() <= clusters.max() else None
    told = f"{title}: top of the tree, {sizes.size:,} clusters of {tree.n_leaves:,} points"
    top = outline(tree, clusters).tree
    inner = {k: say_count(n, "point") for k, n in enumerate(count_points(top, sizes)) if k >= top.n_leaves}
    return view(
        top, names=names, node_names=inner, levels=shown, automatic=automatic, structure=structure, title=told
    ).html


def count_points(top: Tree, sizes: NDArray[np.int64]) -> list[int]:
    """Points below each node of a tree whose leaves stand for so many points.

    >>> count_points(Tree.from_newick("((a,b),c);"), np.array([5, 1, 2]))
    [5, 1, 2, 6, 8]
    """
    totals = [*sizes.tolist(), *[0] * (top.n_nodes - top.n_leaves)]
    for node, parent in enumerate(top.parent[:-1].tolist()):
        totals[parent] += totals[node]
    return totals


def top_clusters(tree: Tree, levels: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    """The finest level of at most 2,000 clusters, or so many clusters by height where it has less than half of that."""
    fit = [level for level in levels if level.max() < MAX_CLUSTERS]
    if fit and fit[-1].max() + 1 >= MAX_CLUSTERS // 2:
        return fit[-1]
    return by_size(tree.cut(n_clusters=min(MAX_CLUSTERS, tree.n_leaves)))

"""What workers do in a refinement. Each task writes its files whole, so it can be run again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hypcse._choices import Effort
from hypcse.dask.parts.edges import Edges, join_edges, read_edges, write_edges
from hypcse.dask.refining.subtrees import graph_with_degrees, local_parents
from hypcse.discrete.refining.refine import refinement
from hypcse.tree import Tree

SHARED = ("label", "position", "parent", "height", "degrees", "first", "size", "roots", "group")
"""Arrays that all workers read: by vertex, by node, by position, and by subtree."""

Searched = tuple[int, NDArray[np.int64]]


def scatter_inside(path: Path, place: Path, shared: Path, n_groups: int) -> None:
    """Write the edges inside subtrees, each once, between positions, with one row group per group of subtrees."""
    edges, label = read_edges(path), np.load(shared / "label.npy", mmap_mode="r")
    group, position = np.load(shared / "group.npy"), np.load(shared / "position.npy", mmap_mode="r")
    subtree = label[edges.source]
    inside = (edges.source < edges.target) & (subtree == label[edges.target]) & (group[subtree] >= 0)
    kept, where = edges.take(inside), group[subtree[inside]]
    named = Edges(position[kept.source], position[kept.target], kept.weight)
    order = np.lexsort((named.source, where))
    write_edges(place, named.take(order), np.searchsorted(where[order], np.arange(n_groups + 1)))


def refine_group(chunks: list[Path], number: int, shared: Path, effort: Effort) -> tuple[list[Searched], float]:
    """Refine the subtrees of a group: the parents of those that became better, and what that is worth, times V."""
    edges = join_edges(read_edges(chunk, number) for chunk in chunks)
    arrays = {name: np.load(shared / f"{name}.npy", mmap_mode="r") for name in SHARED}
    subtree = np.searchsorted(arrays["first"], edges.source, side="right") - 1
    order = np.argsort(subtree, kind="stable")
    edges, subtree = edges.take(order), subtree[order]
    found, gained = [], 0.0
    for which in np.flatnonzero(arrays["group"] == number).tolist():
        begin, end = np.searchsorted(subtree, [which, which + 1])
        first, size, root = (int(arrays[name][which]) for name in ("first", "size", "roots"))
        inside = edges.take(slice(begin, end))
        degrees = np.array(arrays["degrees"][first : first + size])
        graph = graph_with_degrees(inside.source - first, inside.target - first, inside.weight, degrees)
        inner = slice(root - size + 2, root + 1)
        height = np.concatenate([np.zeros(size), arrays["height"][inner]])
        tree = Tree(local_parents(arrays["parent"], first, size, root), height)
        refined = refinement(tree, graph, effort=effort)
        if refined.gain > 0:
            found.append((which, refined.tree.parent))
            gained += refined.gain * graph.volume
    return found, gained

"""Formats of a tree: SciPy's linkage matrix and JSON, both ways, and networkx."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from reprlib import repr as short
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from hypcse._arrays import plain
from hypcse._checks import check_finite
from hypcse.kernels.arrays import Ids, Reals
from hypcse.kernels.trees.sweep import lift_heights

if TYPE_CHECKING:
    import networkx

FORMAT = "hypcse-tree"
VERSION = 1
_KEYS = ("parent", "height", "names")
_WAY_OUT = "Pass text written by Tree.to_json."


def linkage_to_parents(Z: ArrayLike) -> tuple[Ids, Reals]:
    """Parents and heights of a linkage matrix, see `Tree.from_linkage`: merge k makes node n + k."""
    matrix = plain("the linkage matrix", Z, np.float64)
    if matrix.ndim != 2 or matrix.shape[1] not in (3, 4) or matrix.shape[0] < 1:
        raise ValueError(
            f"a linkage matrix has shape (n - 1, 4) with n of at least 2, got {matrix.shape}. "
            "Pass what scipy.cluster.hierarchy.linkage returns."
        )
    infinite = matrix[:, 2] == np.inf
    if infinite.any():
        # scikit-network joins the components of a graph there.
        highest = float(matrix[np.isfinite(matrix[:, 2]), 2].max(initial=0.0))
        matrix = matrix.copy()
        matrix[infinite, 2] = min(2 * highest, np.finfo(np.float64).max) if highest > 0 else 1.0
    check_finite("the linkage matrix", matrix)
    n_leaves, children = len(matrix) + 1, matrix[:, :2].astype(np.int64)
    own = np.arange(n_leaves, 2 * n_leaves - 1)[:, None]
    wrong = ((children != matrix[:, :2]) | (children < 0) | (children >= own)).any(axis=1)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ValueError(
            f"row {row} of the linkage matrix joins {matrix[row, :2].tolist()}, but only ids 0 .. {n_leaves + row - 1} "
            "exist by then."
        )
    joins = np.bincount(children.ravel(), minlength=2 * n_leaves - 2)
    if (joins != 1).any():
        node = int(np.argmax(joins != 1))
        raise ValueError(f"the linkage matrix joins node {node} {joins[node]} times; each is joined once.")
    if (matrix[:, 2] < 0).any():
        row = int(np.argmax(matrix[:, 2] < 0))
        raise ValueError(f"row {row} of the linkage matrix has height {matrix[row, 2]}; heights start at 0.")
    parent = np.full(2 * n_leaves - 1, -1, np.int64)
    parent[children] = own
    return parent, lift_heights(parent, np.concatenate([np.zeros(n_leaves), matrix[:, 2]]))


def parents_to_linkage(parent: Ids, height: Reals, size: Ids, n_leaves: int) -> Reals:
    """The linkage matrix, by height; a node of several children becomes a chain of joins, smallest ids first."""
    internal = np.arange(n_leaves, parent.size)
    rank = np.empty(parent.size, np.int64)
    rank[internal[np.argsort(height[internal], kind="stable")]] = np.arange(internal.size)
    child = np.argsort(rank[parent[:-1]], kind="stable")
    above = parent[child]
    first = np.concatenate([[True], above[1:] != above[:-1]])
    rows = np.cumsum(~first) - 1
    n_joins = np.bincount(rank[above], minlength=internal.size) - 1
    name = np.arange(parent.size)
    order = internal[np.argsort(rank[internal])]
    name[order] = n_leaves - 1 + np.cumsum(n_joins)
    joined = ~first
    Z = np.empty((n_leaves - 1, 4))
    left = np.where(first[:-1][joined[1:]], name[child[:-1]][joined[1:]], n_leaves + rows[joined] - 1)
    right = name[child[joined]]
    Z[:, 0] = np.minimum(left, right)
    Z[:, 1] = np.maximum(left, right)
    Z[:, 2] = height[above[joined]]
    starts = np.flatnonzero(first)
    running = np.cumsum(size[child])
    before = np.repeat(running[starts] - size[child[starts]], np.diff(np.append(starts, child.size)))
    Z[:, 3] = (running - before)[joined]
    return Z


def make_networkx(parent: Ids, height: Reals, names: Sequence[str] | None) -> networkx.DiGraph[int]:
    """Arcs from parent to child; nodes have `height`, and leaves `name` if there are names."""
    try:
        import networkx
    except ImportError:
        raise ImportError(
            'to_networkx needs the package networkx, which is not installed. pip install "hypcse[networkx]"'
        ) from None
    graph: Any = networkx.DiGraph()
    graph.add_nodes_from((node, {"height": value}) for node, value in enumerate(height.tolist()))
    graph.add_edges_from(zip(parent[:-1].tolist(), range(parent.size - 1), strict=True))
    if names is not None:
        networkx.set_node_attributes(graph, dict(enumerate(names)), "name")
    return graph


def write_json(fields: dict[str, Any]) -> str:
    """JSON text of the fields of a tree; heights are read back exactly."""
    plain = {key: value.tolist() if isinstance(value, np.ndarray) else value for key, value in fields.items()}
    plain["joined_from"] = plain["joined_from"] if math.isfinite(plain["joined_from"]) else None
    return json.dumps({"format": FORMAT, "version": VERSION, **plain}, allow_nan=False)


def read_json(text: str) -> dict[str, Any]:
    """The fields of a tree in JSON text. `Tree` checks that they form one."""
    try:
        form = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"the text is not JSON that can be read: {error}. {_WAY_OUT}") from None
    if not isinstance(form, dict) or form.get("format") != FORMAT:
        raise ValueError(f"the text holds {short(form)}, but a tree is an object of 'format' '{FORMAT}'. {_WAY_OUT}")
    if form.get("version") != VERSION:
        raise ValueError(f"'version' is {short(form.get('version'))}, but this hypcse reads {VERSION}. Update hypcse.")
    missing = [key for key in _KEYS if key not in form]
    if missing:
        raise ValueError(f"the JSON text has no '{missing[0]}'; a tree has {', '.join(_KEYS)}. {_WAY_OUT}")
    for key in _KEYS:
        if not isinstance(form[key], list) and (key != "names" or form[key] is not None):
            raise ValueError(f"'{key}' is {short(form[key])}, but must be a list. {_WAY_OUT}")
    for place, value in enumerate(form["height"]):
        if type(value) not in (int, float):
            raise ValueError(f"'height' holds {short(value)} at {place}, but must hold numbers. {_WAY_OUT}")
    # Trees of hypcse 0.2 do not say what their heights measure.
    joined_from = form.get("joined_from")
    known = {"unit": form.get("unit"), "joined_from": math.inf if joined_from is None else joined_from}
    return {key: form[key] for key in _KEYS} | known

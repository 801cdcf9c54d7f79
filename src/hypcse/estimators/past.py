"""What updates of a model have to know of its past, and how it is stored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hypcse.partitions.following import Changes
from hypcse.storage.archive import Content
from hypcse.storage.values import COUNT, TREE, Codec, decode_array, read_parts
from hypcse.tree import Tree


@dataclass(frozen=True, eq=False)
class Undo:
    """The tree before the last rows came, and the pairs that they pushed out of lists of neighbors, (t, 2)."""

    tree: Tree
    pushed: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Past:
    """The past of a model.

    own_graph : whether `graph_` was given, and not made from the rows.
    n_numbers : all numbers of clusters so far lie below.
    n_unrated : how many rows came or went since the main level was chosen.
    changes   : what the last update did; None before the first.
    undo      : what brings back the state before the last rows came, if nothing has happened since.
    """

    own_graph: bool
    n_numbers: int = 0
    n_unrated: int = 0
    changes: Changes | None = None
    undo: Undo | None = None


def _encode(past: Past) -> Content:
    changes, undo = past.changes, past.undo
    return {
        "own_graph": past.own_graph,
        "n_numbers": past.n_numbers,
        "n_unrated": past.n_unrated,
        "changes": None if changes is None else {"before": changes.before, "forgotten": changes.forgotten},
        "undo": None if undo is None else {"tree": TREE.encode(undo.tree), "pushed": undo.pushed},
    }


def _decode_changes(stored: Any) -> Changes:
    before, forgotten = (decode_array(part, np.int64, 1) for part in read_parts(stored, ("before", "forgotten")))
    return Changes(before, forgotten)


def _decode_undo(stored: Any) -> Undo:
    tree, pushed = read_parts(stored, ("tree", "pushed"))
    return Undo(TREE.decode(tree), decode_array(pushed, np.int64, 2))


def _decode(stored: Any) -> Past:
    own_graph, *counts, changes, undo = read_parts(stored, ("own_graph", "n_numbers", "n_unrated", "changes", "undo"))
    if type(own_graph) is not bool:
        raise ValueError(f"own_graph is {own_graph!r:.60} instead of true or false")
    n_numbers, n_unrated = map(COUNT.decode, counts)
    return Past(
        own_graph,
        n_numbers,
        n_unrated,
        None if changes is None else _decode_changes(changes),
        None if undo is None else _decode_undo(undo),
    )


PAST = Codec(_encode, _decode)


def fits(past: Past, n_points: int) -> bool:
    """Whether a past is that of a model with so many points."""
    changes, undo = past.changes, past.undo
    return (changes is None or changes.before.size == n_points) and (undo is None or undo.tree.n_leaves < n_points)

"""Connected components of edges in files: a forest per part, then one of all forests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import distributed
import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from hypcse.dask.engine import run_tasks
from hypcse.dask.parts.edges import read_edges

Pairs = tuple[NDArray[np.int64], NDArray[np.int64]]


def find_components(parts: list[Path], n: int, client: distributed.Client) -> NDArray[np.int64]:
    """Label of the component of each vertex, numbered by smallest vertex. Memory O(n) here, O(part) on a worker."""
    labels, waiting, held = np.arange(n), [], 0
    for pairs in run_tasks(client, part_forest, parts):
        waiting.append(pairs)
        held += pairs[0].size
        if held > n:
            labels, waiting, held = _join(labels, waiting), [], 0
    return _join(labels, waiting) if waiting else labels


def part_forest(path: Path) -> Pairs:
    """Pairs (vertex, smallest vertex of its component in this part), for vertices that are not the smallest."""
    edges = read_edges(path)
    # The other half of the entries says the same.
    upper = edges.source < edges.target
    ids, ends = np.unique(np.concatenate([edges.source[upper], edges.target[upper]]), return_inverse=True)
    first, second = ends.reshape(2, -1)
    smallest = ids[_smallest_of(_labels(first, second, ids.size))]
    others = ids != smallest
    return ids[others], smallest[others]


def _join(labels: NDArray[np.int64], pairs: list[Pairs]) -> NDArray[np.int64]:
    """Labels of vertices after joining pairs of them, numbered by smallest vertex."""
    first = np.concatenate([one for one, _ in pairs])
    second = np.concatenate([other for _, other in pairs])
    found = _labels(labels[first], labels[second], int(labels.max(initial=-1)) + 1)
    return found[labels]


def _labels(first: NDArray[np.int64], second: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    matrix: Any = sparse.coo_array((np.ones(first.size, np.bool_), (first, second)), shape=(n, n))
    return connected_components(matrix, directed=False)[1].astype(np.int64)


def _smallest_of(labels: NDArray[np.int64]) -> NDArray[np.int64]:
    """The first position of each label, for every position."""
    return np.unique(labels, return_index=True)[1][labels] if labels.size else labels

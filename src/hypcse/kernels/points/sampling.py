"""Vertex sets that grow through a graph."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hypcse.kernels._compile import kernel


@kernel
def grow_sets(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    order: NDArray[np.int64],
    ends: NDArray[np.int64],
    n_seeds: int,
) -> NDArray[np.int64]:
    """All vertices, set after set; set s ends at `ends[s]`, and the last of `ends` is the number of vertices.

    A set starts from the first `n_seeds` unused vertices of `order`, takes the unused neighbours of its vertices in
    the order in which these came in, and new seeds whenever none is left. O(n + m): `order` is walked once, and no
    row is read twice.
    """
    found = np.empty(order.size, np.int64)
    used = np.zeros(order.size, np.bool_)
    size = head = walked = 0
    for end in ends:
        head = size
        while size < end:
            if head == size:
                stop = min(size + n_seeds, end)
                while size < stop:
                    if not used[order[walked]]:
                        used[order[walked]] = True
                        found[size] = order[walked]
                        size += 1
                    walked += 1
            vertex = found[head]
            head += 1
            for entry in range(indptr[vertex], indptr[vertex + 1]):
                if size == end:
                    break
                if not used[indices[entry]]:
                    used[indices[entry]] = True
                    found[size] = indices[entry]
                    size += 1
    return found

"""A tree as a networkx graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import networkx


def make_networkx(
    parent: NDArray[np.int64], height: NDArray[np.float64], names: Sequence[str] | None
) -> networkx.DiGraph[int]:
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

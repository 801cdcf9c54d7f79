"""Step 1: the similarity graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypcse.graph.convert import GraphLike, as_graph
from hypcse.graph.features import scale_features
from hypcse.graph.graph import Graph
from hypcse.graph.neighbors import Neighbors, nearest_neighbors, neighbors_among
from hypcse.graph.similarity import similarity_graph
from hypcse.graph.subgraphs import sample_subgraphs

if TYPE_CHECKING:
    from hypcse.graph.tensors import EdgeTensors

__all__ = [
    "EdgeTensors",
    "Graph",
    "GraphLike",
    "Neighbors",
    "as_graph",
    "nearest_neighbors",
    "neighbors_among",
    "sample_subgraphs",
    "scale_features",
    "similarity_graph",
]


def __getattr__(name: str) -> Any:
    # Torch takes seconds to load, and only training needs it.
    if name == "EdgeTensors":
        from hypcse.graph.tensors import EdgeTensors

        return EdgeTensors
    raise AttributeError(f"module 'hypcse.graph' has no attribute {name!r}")

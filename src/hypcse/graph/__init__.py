"""`Graph`, nearest neighbors, scaling, and the similarity graph of a table."""

from __future__ import annotations

from hypcse.graph.convert import GraphLike, as_graph
from hypcse.graph.graph import Graph
from hypcse.graph.neighbors.search import Neighbors, nearest_neighbors, neighbors_among
from hypcse.graph.scaling import scale_features
from hypcse.graph.similarity import similarity_graph

__all__ = [
    "Graph",
    "GraphLike",
    "Neighbors",
    "as_graph",
    "nearest_neighbors",
    "neighbors_among",
    "scale_features",
    "similarity_graph",
]

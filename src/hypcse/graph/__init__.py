"""Step 1: the similarity graph."""

from hypcse.graph.graph import Graph
from hypcse.graph.neighbors import Neighbors, nearest_neighbors
from hypcse.graph.scaling import scale_features
from hypcse.graph.similarity import similarity_graph

__all__ = ["Graph", "Neighbors", "nearest_neighbors", "scale_features", "similarity_graph"]

"""Nearest neighbours: exact, approximate, or from given distances."""

from hypcse.graph.neighbors.search import Neighbors, nearest_neighbors, neighbors_among, unit_rows

__all__ = ["Neighbors", "nearest_neighbors", "neighbors_among", "unit_rows"]

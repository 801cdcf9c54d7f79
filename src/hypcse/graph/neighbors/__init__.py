"""Nearest neighbours: exactly, approximately, or from distances that are given."""

from hypcse.graph.neighbors.search import Neighbors, nearest_neighbors, neighbors_among, unit_rows

__all__ = ["Neighbors", "nearest_neighbors", "neighbors_among", "unit_rows"]

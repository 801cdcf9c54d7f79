"""Kernels of the minimum spanning tree of points."""

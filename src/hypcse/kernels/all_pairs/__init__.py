"""Kernels over all pairs of points."""

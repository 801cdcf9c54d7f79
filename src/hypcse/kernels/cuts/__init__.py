"""Kernels that choose the nodes of a flat cut, or of a few levels."""

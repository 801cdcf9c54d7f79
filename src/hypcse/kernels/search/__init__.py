"""Kernels that move subtrees."""

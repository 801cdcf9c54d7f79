"""Kernels over parent arrays."""

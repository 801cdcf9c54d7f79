"""Kernels over points and pairs of them."""

"""Nearest neighbors: exact, approximate, on a GPU, or from given distances."""

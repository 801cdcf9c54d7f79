"""Kernels that place a tree for drawing: the order of its leaves, and where its nodes lie."""

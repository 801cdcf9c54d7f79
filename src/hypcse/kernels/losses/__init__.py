"""Kernels of the losses, over all pairs or triples of leaves."""

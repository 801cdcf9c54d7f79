"""Graphs as tensors, and the subgraphs that training walks through."""

"""Partitions from a tree: flat cuts, few levels, levels at every scale, levels on request."""

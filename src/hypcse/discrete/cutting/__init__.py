"""Partitions out of a tree: flat cuts, few levels, levels at every scale, levels as asked for."""

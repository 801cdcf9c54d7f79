"""What a graph in files says of a tree: scores, levels, and what joins its components."""

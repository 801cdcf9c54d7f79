"""Trees of graphs in files: linkage in rounds, which are kept, and refinement of subtrees side by side."""

"""Import and export of trees: linkage matrices, Newick, JSON, networkx."""

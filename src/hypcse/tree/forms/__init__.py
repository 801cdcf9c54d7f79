"""Other forms of a tree: Newick, JSON and linkage matrices."""

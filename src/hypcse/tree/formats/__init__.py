"""Forms in which trees leave and come back: linkage matrices, Newick, JSON, networkx."""

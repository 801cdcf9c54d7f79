"""Methods based on the eigenvectors of a graph."""

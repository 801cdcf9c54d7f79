"""The files that hold the edges of a graph: how they are made and read."""

"""Linkage of graphs in files, in rounds that a folder keeps."""

"""The similarity graph of a table that does not fit one machine: shards, a search in each, the best of all."""

from hypcse.dask.similarity.pipeline import similarity_graph

__all__ = ["similarity_graph"]

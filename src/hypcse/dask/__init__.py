"""Graphs and trees past one machine, by Dask: edges are in Parquet, arrays over vertices in memory."""

# First: it says what to install where dask is missing.
import hypcse.dask.client  # noqa: F401
from hypcse.dask.distributed_graph import DistributedGraph
from hypcse.dask.fitting import Clustering, fit
from hypcse.dask.linkage import graph_linkage
from hypcse.dask.similarity.pipeline import similarity_graph
from hypcse.dask.subtree_search import refine
from hypcse.dask.tree_scores import levels, score

__all__ = ["Clustering", "DistributedGraph", "fit", "graph_linkage", "levels", "refine", "score", "similarity_graph"]

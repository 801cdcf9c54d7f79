"""Graphs and trees past one machine: Dask does the distributing, edges are in Parquet, arrays over vertices in memory.

Needs the extra `dask`. Every function takes `client=None`, the current one.
"""

from hypcse.dask.client import current_client
from hypcse.dask.distributed_graph import DistributedGraph
from hypcse.dask.fitting import Clustering, fit
from hypcse.dask.linking.linkage_in_rounds import graph_linkage
from hypcse.dask.similarity.pipeline import similarity_graph
from hypcse.dask.subtree_search import refine
from hypcse.dask.tree_scores import levels, score

__all__ = [
    "Clustering",
    "DistributedGraph",
    "current_client",
    "fit",
    "graph_linkage",
    "levels",
    "refine",
    "score",
    "similarity_graph",
]

"""Graphs and trees past one machine: Dask does the distributing, edges are in Parquet, arrays over vertices in memory.

Needs the extra `dask`. Every function takes `client=None`, the current one.
"""

from hypcse.dask.engine import current_client
from hypcse.dask.fitting import Clustering, fit
from hypcse.dask.graph import DistributedGraph
from hypcse.dask.linking.linkage import graph_linkage
from hypcse.dask.refining import refine
from hypcse.dask.scores import levels, score
from hypcse.dask.similarity import similarity_graph

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

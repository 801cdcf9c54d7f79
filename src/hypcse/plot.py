"""Plots with matplotlib: each draws on `ax` or makes a figure, and returns the axes; `clustermap` returns the figure.

pip install "hypcse[plot]".
"""

from hypcse.show.colors import palette
from hypcse.show.plot.clustermaps import clustermap
from hypcse.show.plot.curves import history
from hypcse.show.plot.dendrograms import dendrogram
from hypcse.show.plot.disks import disk

__all__ = ["clustermap", "dendrogram", "disk", "history", "palette"]

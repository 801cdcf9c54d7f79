"""Plots with matplotlib: each takes `ax` or makes a figure, and returns the axes. pip install "hypcse[plot]"."""

from hypcse.show.colors import palette
from hypcse.show.plot.curves import entropy_profile, history
from hypcse.show.plot.dendrograms import dendrogram
from hypcse.show.plot.disks import disk

__all__ = ["dendrogram", "disk", "entropy_profile", "history", "palette"]

"""Plots with matplotlib: each takes `ax` or makes a figure, and returns the axes. pip install "hypcse[plot]"."""

from hypcse.plot.curves import entropy_profile, history
from hypcse.plot.dendrogram import dendrogram
from hypcse.plot.disk import disk
from hypcse.plot.palette import palette

__all__ = ["dendrogram", "disk", "entropy_profile", "history", "palette"]

"""Plots with matplotlib: each takes `ax` or makes a figure, and returns the axes. pip install "hypcse[plot]"."""

from hypcse.show.colors import palette
from hypcse.show.plot import dendrogram, disk, entropy_profile, history

__all__ = ["dendrogram", "disk", "entropy_profile", "history", "palette"]

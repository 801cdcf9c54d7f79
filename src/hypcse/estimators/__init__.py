"""Estimators that need no torch: their contract, `EntropyClustering`, and what known labels do to graphs and trees."""

from hypcse.estimators.entropy_clustering import EntropyClustering
from hypcse.estimators.labels import label_codes, respect_labels, spread_labels
from hypcse.storage.archive import ModelFileError

__all__ = ["EntropyClustering", "ModelFileError", "label_codes", "respect_labels", "spread_labels"]

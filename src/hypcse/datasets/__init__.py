"""The nine data sets of the paper, by name."""

from hypcse.datasets.catalogue import Dataset, available, describe
from hypcse.datasets.fetch import DatasetUnavailable
from hypcse.datasets.sources import load

__all__ = ["Dataset", "DatasetUnavailable", "available", "describe", "load"]

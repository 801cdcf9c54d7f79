"""The nine UCI data sets of the paper, found on this machine or downloaded, with size and checksum verified."""

from hypcse.datasets.catalog import Dataset, available, describe
from hypcse.datasets.fetch import DatasetUnavailable
from hypcse.datasets.sources import load

__all__ = ["Dataset", "DatasetUnavailable", "available", "describe", "load"]

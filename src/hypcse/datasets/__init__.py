"""The nine UCI data sets of the paper, from this machine or downloaded, with checksums verified."""

from hypcse.datasets.catalog import Dataset, available, describe
from hypcse.datasets.sources import DatasetUnavailable, load

__all__ = ["Dataset", "DatasetUnavailable", "available", "describe", "load"]

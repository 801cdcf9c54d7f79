"""Using a few known labels."""

from hypcse.labels.codes import label_codes
from hypcse.labels.respect import respect_labels
from hypcse.labels.spread import spread_labels

__all__ = ["label_codes", "respect_labels", "spread_labels"]

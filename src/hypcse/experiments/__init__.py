"""The paper's experiments as data."""

from hypcse.experiments.settings import paper_settings

__all__ = ["paper_settings"]

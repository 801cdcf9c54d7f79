"""What only the paper needs: its tables and figures as data, the runner that fills them, and methods of its tables."""

from hypcse.paper.settings import paper_settings

__all__ = ["paper_settings"]

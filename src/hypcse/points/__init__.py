"""What comes from outside: `Points`, and `read` for files."""

from hypcse.points.points import Points

__all__ = ["Points"]

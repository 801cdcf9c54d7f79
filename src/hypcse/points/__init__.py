"""User data as one value, `Points`, and `read` for files."""

from hypcse.points.points import Points
from hypcse.points.reading import read

__all__ = ["Points", "read"]

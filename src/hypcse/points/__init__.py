"""What comes from outside: `Points`, and `read` for files."""

from hypcse.points.points import Points
from hypcse.points.reading import read

__all__ = ["Points", "read"]

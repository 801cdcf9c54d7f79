"""Whether a hierarchy is more than chance, and how stable its levels are."""

from hypcse.chance.evidence import Structure
from hypcse.chance.resampling import stability
from hypcse.chance.structure import beyond_chance

__all__ = ["Structure", "beyond_chance", "stability"]

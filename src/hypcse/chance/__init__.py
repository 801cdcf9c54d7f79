"""What of a hierarchy is more than chance, and what of it would come out again."""

from hypcse.chance.resampling import stability
from hypcse.chance.structure import Structure, beyond_chance

__all__ = ["Structure", "beyond_chance", "stability"]

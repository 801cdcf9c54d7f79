"""UFit: an ultrametric fitted to distances by gradient descent."""

from hypcse.methods.ufit.fit import ufit

__all__ = ["ufit"]

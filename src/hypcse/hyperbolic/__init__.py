"""Hyperbolic space of curvature -1: the Lorentz model, the Poincaré ball and lowest common ancestors in it."""

import hypcse._torch  # noqa: F401
from hypcse.hyperbolic import lca, lorentz, poincare
from hypcse.hyperbolic.lca import lca_depth, lca_depth_of_pairs

__all__ = ["lca", "lca_depth", "lca_depth_of_pairs", "lorentz", "poincare"]

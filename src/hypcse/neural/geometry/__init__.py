"""Hyperbolic space of curvature -1: the Lorentz model, the Poincare ball, and lowest common ancestors in it."""

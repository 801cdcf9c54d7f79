"""The losses of training: continuous structural entropy, contrast of two views, and the centroid."""

"""UFit: an ultrametric fitted to distances by gradient descent."""

"""FPH and EPH: hierarchies with random parents, whose probabilities are optimized."""

"""Trees from the bottom up: agglomerative linkage, and groups found by moving vertices."""

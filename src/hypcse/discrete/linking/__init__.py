"""Trees from the bottom up: agglomerative linkage and groups that vertices move into."""

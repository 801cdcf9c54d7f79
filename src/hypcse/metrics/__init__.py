"""How good a tree is, and how similar two trees are."""

from hypcse.metrics.comparison import cophenetic_correlation, cophenetic_distances, fowlkes_mallows, robinson_foulds
from hypcse.metrics.scores import SCORES, Score, dasgupta_cost, dendrogram_purity, score

__all__ = [
    "SCORES",
    "Score",
    "cophenetic_correlation",
    "cophenetic_distances",
    "dasgupta_cost",
    "dendrogram_purity",
    "fowlkes_mallows",
    "robinson_foulds",
    "score",
]

"""How good a tree is, and how similar two trees are."""

from hypcse.metrics.comparison import cophenetic_correlation, robinson_foulds
from hypcse.metrics.scores import SCORES, Score, dasgupta_cost, dendrogram_purity, score

__all__ = [
    "SCORES",
    "Score",
    "cophenetic_correlation",
    "dasgupta_cost",
    "dendrogram_purity",
    "robinson_foulds",
    "score",
]

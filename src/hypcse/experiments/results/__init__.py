"""What records come to: figures beside the paper's, verdicts, ranks."""

from hypcse.experiments.results.metrics import METRICS, Metric
from hypcse.experiments.results.ranks import Agreement, Ranks, agreements, mean_ranks
from hypcse.experiments.results.summary import Figure, Results, Table, Values, best_two

__all__ = [
    "METRICS",
    "Agreement",
    "Figure",
    "Metric",
    "Ranks",
    "Results",
    "Table",
    "Values",
    "agreements",
    "best_two",
    "mean_ranks",
]

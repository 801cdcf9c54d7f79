"""Training by several processes, one rank each: subgraphs are dealt, gradients averaged, and rank 0 decides."""

from hypcse.training.ranks.group import ALONE, RankFailed, Ranks, join_ranks

__all__ = ["ALONE", "RankFailed", "Ranks", "join_ranks"]

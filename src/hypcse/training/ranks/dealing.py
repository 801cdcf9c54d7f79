"""Which rank trains on which subgraph of an epoch, and with what weight."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Share(NamedTuple):
    """A subgraph of a step: its number within the epoch, and the weight of its loss on this rank."""

    number: int
    weight: float


@dataclass(frozen=True)
class Deal:
    """How the subgraphs of an epoch are dealt: `per_step` of them make a step, and go to the ranks in turn.

    A step moves the weights by the mean gradient of its subgraphs. Ranks are averaged, so each of k subgraphs has the
    weight size / k. A rank that a step has nothing for repeats the step's first subgraph with weight 0: the others
    would wait for it otherwise.

    >>> deal = Deal(n_subgraphs=3, per_step=2, size=2)
    >>> deal.shares(0)
    [[Share(number=0, weight=1.0)], [Share(number=2, weight=2.0)]]
    >>> deal.shares(1)
    [[Share(number=1, weight=1.0)], [Share(number=2, weight=0.0)]]
    >>> Deal(n_subgraphs=3, per_step=2, size=1).shares(0)[0]
    [Share(number=0, weight=0.5), Share(number=1, weight=0.5)]
    """

    n_subgraphs: int
    per_step: int
    size: int

    def shares(self, rank: int) -> list[list[Share]]:
        """The shares of a rank, step by step; every rank has as many steps."""
        return [self._share_of(rank, first) for first in range(0, self.n_subgraphs, self.per_step)]

    def _share_of(self, rank: int, first: int) -> list[Share]:
        count = min(self.per_step, self.n_subgraphs - first)
        own = [Share(first + place, self.size / count) for place in range(rank, count, self.size)]
        return own or [Share(first, 0.0)]

    def owners(self) -> list[int]:
        """The rank of each subgraph."""
        return [number % self.per_step % self.size for number in range(self.n_subgraphs)]

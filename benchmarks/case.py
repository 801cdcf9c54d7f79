"""What a benchmark case declares, and the registry of all cases."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

Rng: TypeAlias = np.random.Generator
REGISTRY: dict[str, Case] = {}


@dataclass(frozen=True)
class Workload:
    """What is timed, its input already made.

    run        : the call to time; nothing that it uses may be cached from one call to the next.
    peer       : another library's call for the same input.
    note       : what a reader of the figures must know.
    facts      : figures worth keeping, from what `run` returned.
    peer_facts : the same from what `peer` returned, each kept as peer_NAME.
    """

    run: Callable[[], object]
    peer: Callable[[], object] | None = None
    note: str = ""
    facts: Callable[[Any], dict[str, float]] | None = None
    peer_facts: Callable[[Any], dict[str, float]] | None = None


MakeWorkload: TypeAlias = Callable[[int, Rng], Workload]


@dataclass(frozen=True)
class Case:
    """A workload at several sizes, with the growth it claims and the peer it is measured against."""

    name: str
    description: str
    make: MakeWorkload
    sizes: tuple[int, ...]
    growth: str
    peer: str | None
    max_growth: float | None
    peer_up_to: int | None = None

    @property
    def module(self) -> str:
        """The module whose import registers this case."""
        return self.make.__module__

    def runs_peer_at(self, size: int) -> bool:
        """Whether the peer is measured at a size, too."""
        return self.peer is not None and (self.peer_up_to is None or size <= self.peer_up_to)


def case(
    sizes: tuple[int, ...],
    growth: str,
    peer: str | None = None,
    max_growth: float | None = 14.0,
    peer_up_to: int | None = None,
) -> Callable[[MakeWorkload], MakeWorkload]:
    """Register a function (n, rng) -> Workload as a case, under its name and the first line of its docstring.

    `max_growth` is the most that the time may grow by for a tenfold size; None where no limit is claimed.
    `peer_up_to` is the largest size at which a slow peer is measured.
    """

    def register(make: MakeWorkload) -> MakeWorkload:
        name = make.__name__
        description = (make.__doc__ or "").strip().split("\n")[0]
        if not description or not sizes or not growth:
            raise ValueError(f"case {name} needs sizes, a growth and a docstring.")
        if list(sizes) != sorted(set(sizes)) or sizes[0] < 1:
            raise ValueError(f"case {name} has sizes {sizes}; they must be positive and ascend.")
        if name in REGISTRY:
            raise ValueError(f"case {name} is declared twice, in {REGISTRY[name].module} and {make.__module__}.")
        REGISTRY[name] = Case(name, description, make, tuple(sizes), growth, peer, max_growth, peer_up_to)
        return make

    return register

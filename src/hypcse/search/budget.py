"""The budget of a refinement, and its result."""

from __future__ import annotations

from dataclasses import dataclass

from hypcse._choices import Effort, Linkage
from hypcse.tree import Tree


@dataclass(frozen=True)
class Budget:
    """What an effort may do, counted in moves tried, never in seconds.

    n_sweeps    : passes of descent; each tries the best place for every subtree with changed surroundings.
    largest     : leaves of the largest subtree that descent moves.
    linkages    : linkages on the graph to start from, besides the given trees.
    resolutions : resolutions of `multilevel_tree`s to start from too.
    max_all     : vertices up to which these starts are tried; with more, only the given trees are, and each is first
                  searched in parts, side by side.
    min_part    : leaves of the largest part, or a `n_parts`-th of all where that is more. No number of threads tells.
    n_parts     : about so many parts, at least.
    n_chains    : annealing runs, each with a seed of its own.
    n_proposals : moves that a run proposes, at least `min_sweeps` and at most `max_sweeps` for each subtree.
    """

    n_sweeps: int
    largest: int | None
    linkages: tuple[Linkage, ...] = ("average", "paris")
    resolutions: tuple[float, ...] = (0.5, 1.0, 2.0)
    max_all: int = 100_000
    min_part: int = 4096
    n_parts: int = 64
    n_chains: int = 0
    n_proposals: int = 0
    min_sweeps: int = 0
    max_sweeps: int = 0

    def part_size(self, n_vertices: int) -> int:
        """Leaves of the largest part of a tree."""
        return max(self.min_part, n_vertices // self.n_parts)


BUDGETS: dict[Effort, Budget] = {
    "fast": Budget(n_sweeps=8, largest=2048),
    "thorough": Budget(
        n_sweeps=100,
        largest=None,
        n_chains=4,
        n_proposals=2_000_000,
        min_sweeps=20,
        max_sweeps=2000,
    ),
}
# Temperatures of annealing, in mean edge weights (times bits, or times leaves for Dasgupta's cost).
HOTTEST, COLDEST = 2.0, 0.05
# Largest number of steps from all ends of edges to the root in a tree searched as it is, and the levels that a deeper
# one is reduced to first.
MAX_WALK = 5_000_000_000
FLAT_LEVELS = 8
# Time and callback are checked after this many steps of walking, and parts of an annealing run.
PART = 10_000_000
N_STAGES = 50
# What parts are taken for in the progress of a descent that begins with them.
PARTS_SHARE = 0.9


@dataclass(frozen=True)
class Refinement:
    """The result of `refinement`.

    Attributes
    ----------
    tree
        The refined tree.
    before, after
        The objective of the given tree, and of this one.
    n_moves
        How many moves were made.

    Examples
    --------
    >>> Refinement(Tree.single(), before=1.5, after=1.2, n_moves=3).n_moves
    3
    """

    tree: Tree
    before: float
    after: float
    n_moves: int

    @property
    def gain(self) -> float:
        """How much refinement lowered the objective."""
        return self.before - self.after

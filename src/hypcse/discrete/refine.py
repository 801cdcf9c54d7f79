"""Refinement of a tree: subtrees move to better places, at first downhill, then by annealing."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Literal, get_args

import numba
import numpy as np
from numpy.typing import NDArray

from hypcse._checks import check_choice
from hypcse._random import check_seed, generator
from hypcse.discrete.binary import binarize
from hypcse.discrete.components import top_of, with_top
from hypcse.discrete.compress import keep_nodes, one_by_one
from hypcse.discrete.heights import searched_tree
from hypcse.discrete.leaving import joined_by_distance
from hypcse.discrete.linkage import graph_linkage
from hypcse.discrete.state import Search, start_search
from hypcse.entropy import check_same_size, lca_weights, structural_entropy
from hypcse.graph import Graph
from hypcse.kernels.search.descent import anneal, descend
from hypcse.kernels.trees.sweep import leaf_labels
from hypcse.tree import Tree

Objective = Literal["entropy", "dasgupta"]
Effort = Literal["fast", "thorough"]


@dataclass(frozen=True)
class Budget:
    """What an effort may do, counted in moves offered and never in seconds.

    n_sweeps    : passes of descent, each offering every subtree with changed surroundings its best place.
    largest     : leaves of the largest subtree that descent moves.
    linkages    : linkages on the graph to begin from, besides the trees given.
    n_chains    : annealing runs, each with a seed of its own.
    n_proposals : moves that a run proposes, at least `min_sweeps` and at most `max_sweeps` for each subtree.
    """

    n_sweeps: int
    largest: int | None
    linkages: tuple[Literal["average", "paris"], ...] = ()
    n_chains: int = 0
    n_proposals: int = 0
    min_sweeps: int = 0
    max_sweeps: int = 0


BUDGETS = {
    "fast": Budget(n_sweeps=8, largest=2048),
    "thorough": Budget(
        n_sweeps=100,
        largest=None,
        linkages=("average", "paris"),
        n_chains=4,
        n_proposals=2_000_000,
        min_sweeps=20,
        max_sweeps=2000,
    ),
}
# Temperatures of annealing, in mean edge weights (times bits, or times leaves for Dasgupta's cost).
HOTTEST, COLDEST = 2.0, 0.05
# Steps of a sweep up to which a tree is searched as it is, and the levels that a deeper one is first brought to.
MAX_WALK = 5_000_000_000
FLAT_LEVELS = 8
# Steps of walking, and parts of an annealing run, between which time and callback are looked at.
PART = 10_000_000
N_STAGES = 50


@dataclass(frozen=True)
class Step:
    """What a callback is told.

    stage   : "descent" or "annealing".
    done    : share of that stage that is done, between 0 and 1; a descent may end early.
    n_moves : moves made so far.
    value   : structural entropy (as `structural_entropy` gives it) or Dasgupta's cost of the tree at hand.
    best    : the lowest value of a tree that will be kept; it never rises. What annealing passes through on its way is
              not kept, only where it ends.
    seconds : since the beginning.
    """

    stage: str
    done: float
    n_moves: int
    value: float
    best: float
    seconds: float


Callback = Callable[[Step], object]
"""Called after every part of the work; a true answer stops it, and the best tree so far is returned."""


@dataclass(frozen=True)
class Refinement:
    """A refined tree, the objective before and after, and the number of moves made."""

    tree: Tree
    before: float
    after: float
    n_moves: int

    @property
    def gain(self) -> float:
        """What refinement lowered the objective by."""
        return self.before - self.after


def refine(
    tree: Tree,
    graph: Graph,
    objective: Objective = "entropy",
    effort: Effort = "fast",
    starts: Sequence[Tree] | None = None,
    random_state: int = 0,
    *,
    max_seconds: float | None = None,
    callback: Callback | None = None,
) -> Tree:
    """A binary tree over the same leaves whose objective is never higher, and mostly much lower.

    Paper: Eq. (2), the tree of least structural entropy, which is searched for here and not promised.

    Subtrees are pruned and regrafted: next to a graph neighbour of one of their leaves, at every height on the way up,
    exchanges with an aunt included; all places of a subtree are priced in one walk, and only what a move touches is
    priced again. What `join_components` joined in the given tree, and no
    edge tells, stays as it is.

    objective   : "entropy" (structural entropy) or "dasgupta".
    effort      : "fast" goes downhill from the given tree; "thorough" also from two linkages on the graph, and then
                  anneals from the best. An effort is a budget of moves, so the answer does not depend on the machine.
    starts      : other trees to begin from.
    max_seconds : stop at the next part of the work after so long; the only clock there is.
    callback    : told of each `Step`; a true answer stops cleanly.

    >>> from hypcse import Graph, Tree, structural_entropy
    >>> g = Graph.from_edges([0, 1, 2], [1, 2, 3], [3.0, 1.0, 3.0])
    >>> chain = Tree.from_linkage([[0, 2, 1, 2], [1, 4, 2, 3], [3, 5, 3, 4]])
    >>> refine(chain, g).cut(n_clusters=2).tolist()
    [0, 0, 1, 1]
    """
    found = refinement(tree, graph, objective, effort, starts, random_state, max_seconds=max_seconds, callback=callback)
    return found.tree


def refinement(
    tree: Tree,
    graph: Graph,
    objective: Objective = "entropy",
    effort: Effort = "fast",
    starts: Sequence[Tree] | None = None,
    random_state: int = 0,
    *,
    max_seconds: float | None = None,
    callback: Callback | None = None,
) -> Refinement:
    """`refine` with an account: the objective before and after, and the number of moves."""
    check_choice("objective", objective, get_args(Objective))
    check_choice("effort", effort, get_args(Effort))
    check_seed(random_state)
    if max_seconds is not None and (not isinstance(max_seconds, int | float) or not max_seconds >= 0):
        raise ValueError(f"max_seconds={max_seconds!r} must be a number of at least 0, or None for no limit.")
    if isinstance(starts, Tree):
        raise TypeError("starts is one tree; pass a list of trees.")
    run = _Run(tree, graph, objective, max_seconds, callback)
    if tree.n_leaves > 2 and graph.n_edges > 0:
        run.search(list(starts or ()), BUDGETS[effort], random_state)
    return run.result(tree)


def is_shallow(tree: Tree, graph: Graph) -> bool:
    """Whether a sweep, which walks up the tree from both ends of every edge, stays within `MAX_WALK` steps."""
    mean_depth = tree.sizes[:-1].sum() / tree.n_leaves
    return graph.indices.size * mean_depth <= MAX_WALK


def flattened(tree: Tree, graph: Graph) -> Tree:
    """A shallower tree of the same clusters, for trees too deep to search: its best nested cuts, made binary again."""
    return binarize(keep_nodes(tree, one_by_one(tree, graph, FLAT_LEVELS) > 0), graph)


class _Run:
    """One refinement under way: the best tree so far, the clock and the callback."""

    def __init__(
        self, tree: Tree, graph: Graph, objective: Objective, max_seconds: float | None, callback: Callback | None
    ) -> None:
        check_same_size(tree, graph)
        self.graph, self.objective, self.callback = graph, objective, callback
        self.began = time.monotonic()
        self.deadline = None if max_seconds is None else self.began + max_seconds
        self.best = binarize(tree, graph)
        self.best_value = self.measure(self.best)
        self.n_moves, self.stopped = 0, False
        self.least_gain = 1e-9 * float(graph.weights.mean()) if graph.n_edges else 0.0

    def search(self, starts: list[Tree], budget: Budget, random_state: int) -> None:
        """Go down from the tree, the starts and the linkages of the budget, then anneal where the budget says so."""
        self.go_down(self.best, budget)
        for start in starts:
            binary = binarize(start, self.graph)
            self.keep(binary)
            self.go_down(binary, budget)
        for linkage in budget.linkages:
            if not self.out_of_time():
                self.go_down(graph_linkage(self.graph, linkage), budget)
        if budget.n_chains and not self.stopped:
            self.anneal(budget, random_state)

    def measure(self, tree: Tree) -> float:
        """The objective, recomputed from scratch."""
        if self.objective == "entropy":
            return structural_entropy(tree, self.graph)
        return float(2 * np.dot(lca_weights(tree, self.graph), tree.sizes))

    def lower(self, value: float, gain: float) -> float:
        """A value of the objective after a gain in the units of the search."""
        return value - 2 * gain / (self.graph.volume if self.objective == "entropy" else 1.0)

    def keep(self, tree: Tree) -> None:
        """Remember a tree if it is better."""
        value = self.measure(tree)
        if value < self.best_value:
            self.best, self.best_value = tree, value

    def go_down(self, tree: Tree, budget: Budget) -> None:
        """Descend from a tree until nothing moves or the budget ends, and keep what is found."""
        if self.out_of_time():
            return
        if not is_shallow(tree, self.graph):
            tree = flattened(tree, self.graph)
        search, value = start_search(tree, self.graph, self.objective), self.measure(tree)
        largest, n_nodes = budget.largest or self.graph.n_vertices, tree.n_nodes
        for sweep in range(budget.n_sweeps):
            before, node = self.n_moves, 0
            while node < n_nodes and not self.stopped:
                gain, n_moves, node = descend(
                    search.bench, search.rows, node, PART, largest, self.least_gain, search.logarithmic
                )
                value, self.n_moves = self.lower(value, gain), self.n_moves + n_moves
                done = (sweep + node / n_nodes) / budget.n_sweeps
                self.report("descent", done, value, min(value, self.best_value))
            if self.stopped or self.n_moves == before:
                break
        self.keep(self.read(search))

    def anneal(self, budget: Budget, random_state: int) -> None:
        """Anneal from the best tree in several chains, side by side, and descend from where each of them ends."""
        n_nodes = 2 * self.graph.n_vertices - 1
        n_sweeps = min(max(budget.n_proposals // n_nodes, budget.min_sweeps), budget.max_sweeps)
        unit = float(self.graph.weights.mean())
        temperatures = np.geomspace(HOTTEST * unit, COLDEST * unit, n_sweeps * n_nodes)
        chains = [start_search(self.best, self.graph, self.objective) for _ in range(budget.n_chains)]
        seeds = generator(random_state, "annealing").integers(2**63, size=budget.n_chains, dtype=np.uint64)
        states = [np.array([seed]) for seed in seeds]
        values = np.full(budget.n_chains, self.best_value)
        with ThreadPoolExecutor(min(budget.n_chains, numba.get_num_threads())) as threads:
            for stage, part in enumerate(np.array_split(temperatures, N_STAGES), 1):
                done = list(threads.map(_cool, chains, states, [part] * budget.n_chains))
                values = np.array([self.lower(v, gain) for v, (gain, _) in zip(values, done, strict=True)])
                self.n_moves += sum(n_moves for _, n_moves in done)
                self.report("annealing", stage / N_STAGES, float(values.min()), self.best_value)
                if self.stopped:
                    break
        for chain in chains:
            cooled = self.read(chain)
            self.keep(cooled)
            self.go_down(cooled, budget)

    def read(self, search: Search) -> Tree:
        """The tree of a search as it stands."""
        return searched_tree(search.parents(), self.graph)

    def report(self, stage: str, done: float, value: float, best: float) -> None:
        """Tell the callback, and find out whether to stop."""
        if self.callback is not None:
            step = Step(stage, done, self.n_moves, value, best, time.monotonic() - self.began)
            self.stopped = self.stopped or bool(self.callback(step))
        self.out_of_time()

    def out_of_time(self) -> bool:
        """Whether to stop, by the clock or because of an earlier answer."""
        if self.deadline is not None and time.monotonic() > self.deadline:
            self.stopped = True
        return self.stopped

    def result(self, given: Tree) -> Refinement:
        """The best tree with the names of the given one, and its top where that was joined by distances."""
        before, after = self.measure(given), self.best_value
        tree = searched_tree(self.best.parent, self.graph, given.names)
        above = joined_by_distance(given, self.graph)
        if above.any():
            parts = leaf_labels(given.parent, above, given.n_leaves)
            kept = with_top(tree, parts, top_of(given, parts))
            value = self.measure(kept)
            if value <= before:
                tree, after = kept, value
        return Refinement(tree, before, after, self.n_moves)


def _cool(chain: Search, state: NDArray[np.uint64], temperatures: NDArray[np.float64]) -> tuple[float, int]:
    return anneal(chain.bench, chain.rows, temperatures, state, chain.logarithmic)

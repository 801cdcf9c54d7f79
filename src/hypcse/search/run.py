"""A refinement: its budget, descent from every start, and annealing."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial, reduce
from itertools import repeat
from threading import Lock
from typing import Any, NamedTuple, TypeVar

import numba
import numpy as np

from hypcse._choices import Effort, Objective
from hypcse._progress import Callback, Reporter
from hypcse._random import generator
from hypcse.entropy import entropy_from_weights
from hypcse.entropy.volumes import bits_of, meeting_weights
from hypcse.graph import Graph
from hypcse.graph.convert import in_range, unit_exponent
from hypcse.kernels.arrays import Ids, Reals
from hypcse.kernels.search.descent import descend
from hypcse.kernels.search.working_tree import list_parts
from hypcse.kernels.trees.sweep import leaf_labels
from hypcse.search.binary import binarize, searched_tree
from hypcse.search.compression import keep_nodes, one_by_one
from hypcse.search.join import top_of, with_top
from hypcse.search.leaving import joined_by_distance
from hypcse.search.linkage import link_graph
from hypcse.search.multilevel import multilevel_tree
from hypcse.search.working import PART, Division, Search, node_measures, recombine, start_search
from hypcse.tree import Tree

# Temperatures of annealing, in mean edge weights (times bits, or times leaves for Dasgupta's cost).
HOTTEST, COLDEST = 2.0, 0.05
# Largest number of steps from all ends of edges to the root in a tree searched as it is, and the levels that a deeper
# one is reduced to first.
MAX_WALK = 5_000_000_000
FLAT_LEVELS = 8
# Parts of an annealing run, after which time and callback are checked.
N_STAGES = 50
# The share of parts in the progress of a descent that begins with them.
PARTS_SHARE = 0.9


@dataclass(frozen=True)
class Budget:
    """What an effort may do, counted in moves tried, never in seconds.

    n_sweeps    : passes of descent; each tries the best place for every subtree with changed surroundings.
    largest     : leaves of the largest subtree that descent moves.
    room        : vertices of the given tree and the first of `STARTS` together, which limits how many are tried: one in
                  any case, and none twice.
    n_short     : passes from each of them if there is no room for all.
    max_whole   : vertices up to which `STARTS` are tried; with more, only the trees of the caller are, and each is
                  first searched in parts, side by side.
    min_part    : leaves that the largest part may have in any case.
    n_parts     : rounds of parts. In each, a part has at most 1 / `n_parts` of all leaves, at any number of threads.
                  Parts are copied while they are searched, with their rows; in the last round that may be most of both.
    n_chains    : annealing runs, each with a seed of its own.
    n_proposals : moves that a run proposes, at least `min_sweeps` and at most `max_sweeps` for each subtree.
    """

    n_sweeps: int
    largest: int | None
    room: int = 24_000
    n_short: int = 2
    max_whole: int = 100_000
    min_part: int = 4096
    n_parts: tuple[int, ...] = (64, 8)
    n_chains: int = 0
    n_proposals: int = 0
    min_sweeps: int = 0
    max_sweeps: int = 0


BUDGETS: dict[Effort, Budget] = {
    "fast": Budget(n_sweeps=8, largest=2048),
    "thorough": Budget(100, None, room=600_000, n_chains=4, n_proposals=2_000_000, min_sweeps=20, max_sweeps=2000),
}


STARTS: tuple[Callable[[Graph], Tree], ...] = (
    multilevel_tree,
    partial(link_graph, method="paris"),
    partial(multilevel_tree, resolution=2.0),
    partial(link_graph, method="average"),
    partial(multilevel_tree, resolution=0.5),
)
"""Trees to start from besides those of the caller; the first is of use on noisy graphs, the second on others."""


class Refinement(NamedTuple):
    """A refined tree, the objective before and after, and the number of moves."""

    tree: Tree
    before: float
    after: float
    n_moves: int

    @property
    def gain(self) -> float:
        """How much the objective fell."""
        return self.before - self.after


def refined(
    tree: Tree,
    graph: Graph,
    objective: Objective = "entropy",
    effort: Effort = "fast",
    starts: Sequence[Tree] = (),
    random_state: int = 0,
    *,
    max_seconds: float | None = None,
    callback: Callback | None = None,
) -> Refinement:
    """`refine`, its arguments not checked, with an account of what it did."""
    run = Run(tree, graph, objective, max_seconds, callback)
    if tree.n_leaves > 2 and graph.n_edges > 0:
        run.search(starts, BUDGETS[effort], random_state)
    return run.result(tree)


Answer = TypeVar("Answer")
Note = Callable[[float, int, float], None]
"""Called with a gain, the number of moves that made it, and the share of the work that is done."""


class Run:
    """One refinement under way: the best tree so far, the clock and the callback."""

    def __init__(
        self, tree: Tree, graph: Graph, objective: Objective, max_seconds: float | None, callback: Callback | None
    ) -> None:
        # The search works without the unit of the weights.
        self.exponent = unit_exponent(graph)
        self.graph, self.objective, self.reporter = in_range(graph), objective, Reporter(callback)
        self.deadline = None if max_seconds is None else time.monotonic() + max_seconds
        self.begin = self.best = binarize(tree, self.graph)
        self.begin_weights = weights = meeting_weights(self.begin, self.graph)
        self.begin_value = self.best_value = self.lowest = self.measure(self.begin, weights)
        # The objective is this constant and `unit` times a sum over nodes.
        measures = node_measures(self.begin, self.graph, objective)
        phi = bits_of(measures) if objective == "entropy" else measures
        self.unit = 2 / self.graph.volume if objective == "entropy" and self.graph.n_edges else 2.0
        self.offset = self.begin_value - self.unit * float(np.dot(weights, phi))
        self.n_moves, self.stopped, self.lock = 0, False, Lock()
        # Worker threads do not inherit this number.
        self.n_threads = numba.get_num_threads()
        self.least_gain = 1e-9 * float(self.graph.weights.mean()) if graph.n_edges else 0.0

    def search(self, starts: Sequence[Tree], budget: Budget, random_state: int) -> None:
        """Go down from the tree and from other starts, then anneal if the budget says so."""
        n, self.budget = self.graph.n_vertices, budget
        # Larger trees are first searched in parts.
        self.in_parts, n_sweeps = n > budget.max_whole, budget.n_sweeps
        trees = [self.best, *(binarize(start, self.graph) for start in starts)]
        if not self.in_parts and not self.out_of_time():
            most = len(trees) + max(1, budget.room // n - 1)
            for make_start in STARTS:
                start = make_start(self.graph)
                if not any(np.array_equal(start.parent, tree.parent) for tree in trees):
                    trees.append(start)
                if len(trees) == most:
                    break
            if len(trees) == most and budget.room // n <= len(STARTS):
                n_sweeps = min(budget.n_short, n_sweeps)
        self.go_down(trees, "descent", n_sweeps)
        if budget.n_chains and not self.stopped:
            self.anneal(random_state)

    def measure(self, tree: Tree, weights: Reals) -> float:
        """The objective by the `meeting_weights` of a tree, in the unit of the search."""
        if self.objective == "entropy":
            return entropy_from_weights(tree, self.graph, weights)
        return float(2 * np.dot(weights, tree.sizes))

    def in_unit(self, value: float) -> float:
        """A value of the objective in the unit of the given weights, on which loops and Dasgupta's cost depend."""
        if self.objective == "entropy":
            loops = float(self.graph.self_weights.sum())
            return value + self.exponent * loops / self.graph.volume if loops > 0 else value
        return math.ldexp(value, -self.exponent)

    def keep(self, end: Division) -> None:
        """Remember a tree if it is better."""
        value = self.offset + self.unit * float(end.terms.sum())
        # Rounding does not choose between trees.
        if value < self.best_value - 1e-12:
            self.best, self.best_value = searched_tree(end.parent, self.graph.degrees), value

    def go_down(self, trees: list[Tree], stage: str, n_sweeps: int) -> None:
        """Descend from each tree, side by side if small, recombine the results into one, and descend from that."""
        shares = np.zeros(len(trees) + (len(trees) > 1))

        def descend_from(place: int) -> Division:
            return self.descend_from(trees[place], stage, n_sweeps, shares, place)

        n_threads = 1 if self.in_parts else self.n_threads
        self.keep(reduce(recombine, self.side_by_side(descend_from, range(len(trees)), n_threads)))
        if len(trees) > 1 and not self.stopped:
            self.keep(self.descend_from(self.best, stage, self.budget.n_sweeps, shares, len(trees)))

    def side_by_side(self, work: Callable[[Any], Answer], items: Iterable[Any], n_threads: int) -> Iterator[Answer]:
        """Apply work to each item in parallel, results in order; if one fails, the others stop at their next part."""
        with ThreadPoolExecutor(n_threads) as threads:
            try:
                yield from threads.map(work, items)
            except BaseException:
                self.stopped = True
                raise

    def descend_from(self, tree: Tree, stage: str, n_sweeps: int, shares: Reals, place: int) -> Division:
        """Descend until nothing moves, the budget is used up or the search is stopped; deep trees are flattened."""
        self.out_of_time()
        if not is_shallow(tree, self.graph):
            flat = flatten(tree, self.graph)
            tree = flat if is_shallow(flat, self.graph) else tree
        weights = self.begin_weights if tree is self.begin else meeting_weights(tree, self.graph)
        search = start_search(tree, self.graph, self.objective, weights)
        value = self.offset + self.unit * search.value()

        def note(gain: float, n_moves: int, share: float) -> None:
            nonlocal value
            with self.lock:
                value -= self.unit * gain
                self.n_moves += n_moves
                shares[place] = max(shares[place], share)
                self.lowest = min(self.lowest, value)
                self.report(stage, float(shares.mean()))

        if self.in_parts:
            self.descend_in_parts(search, note)
        self.descend_over_all(search, n_sweeps, note, PARTS_SHARE if self.in_parts else 0.0)
        return search.division()

    def descend_in_parts(self, search: Search, note: Note) -> None:
        """Descend inside disjoint subtrees in parallel, in rounds; what edges between them may move is for later."""
        n, budget = self.graph.n_vertices, self.budget
        n_done = 0

        def descend_in(part: Ids) -> None:
            nonlocal n_done
            if self.stopped:
                return
            largest = budget.largest or n
            gain, n_moves = search.descend_in(part, budget.n_sweeps, largest, self.least_gain, self.out_of_time)
            with self.lock:
                n_done += int(part[1])
            note(gain, n_moves, PARTS_SHARE * n_done / (n * len(budget.n_parts)))

        # Listed first: moves change the layout, but not which nodes lie in a part.
        rounds = [list_parts(search.tree, n, max(budget.min_part, n // n_parts)) for n_parts in budget.n_parts]
        for parts in rounds:
            # The largest first, so that no thread is left with one at the end.
            for _ in self.side_by_side(descend_in, parts[np.argsort(-parts[:, 1], kind="stable")], self.n_threads):
                pass

    def descend_over_all(self, search: Search, n_sweeps: int, note: Note, begin: float) -> None:
        """Sweep over the whole tree; `begin` is the share of the work done before."""
        largest = self.budget.largest or self.graph.n_vertices
        n_nodes = search.tree.link.shape[0]
        for sweep in range(n_sweeps):
            moved, node = 0, 0
            while node < n_nodes and not self.stopped:
                gain, n_moves, node = descend(
                    search.tree, search.rows, node, PART, largest, self.least_gain, search.logarithmic
                )
                moved += n_moves
                # A sweep that moved nothing is the last.
                ends = node == n_nodes and moved == 0
                share = 1.0 if ends else (sweep + node / n_nodes) / n_sweeps
                note(gain, n_moves, begin + (1 - begin) * share)
            if self.stopped or moved == 0:
                break

    def anneal(self, random_state: int) -> None:
        """Anneal from the best tree in several parallel chains, and descend from the end of each."""
        budget, n_nodes = self.budget, 2 * self.graph.n_vertices - 1
        n_sweeps = min(max(budget.n_proposals // n_nodes, budget.min_sweeps), budget.max_sweeps)
        unit = float(self.graph.weights.mean())
        temperatures = np.geomspace(HOTTEST * unit, COLDEST * unit, n_sweeps * n_nodes)
        chains = [start_search(self.best, self.graph, self.objective) for _ in range(budget.n_chains)]
        seeds = generator(random_state, "annealing").integers(2**63, size=budget.n_chains, dtype=np.uint64)
        states = [np.array([seed]) for seed in seeds]
        with ThreadPoolExecutor(min(budget.n_chains, self.n_threads)) as threads:
            for stage, part in enumerate(np.array_split(temperatures, N_STAGES), 1):
                self.n_moves += sum(threads.map(Search.cool, chains, states, repeat(part)))
                self.report("annealing", stage / N_STAGES)
                if self.stopped:
                    break
        cooled = [chain.division() for chain in chains]
        for end in cooled:
            self.keep(end)
        self.go_down([searched_tree(end.parent, self.graph.degrees) for end in cooled], "last descent", budget.n_sweeps)

    def report(self, stage: str, share: float) -> None:
        """Call the callback, and find out whether to stop. Annealing keeps only its end: the value is from before."""
        self.lowest = min(self.lowest, self.best_value)
        value = self.in_unit(self.lowest)
        if self.reporter.tell(stage, share, 1.0, value=value, measure=self.objective):
            self.stopped = True
        self.out_of_time()

    def out_of_time(self) -> bool:
        """Whether to stop, by the clock or because of an earlier answer."""
        if self.deadline is not None and time.monotonic() > self.deadline:
            self.stopped = True
        return self.stopped

    def result(self, start: Tree) -> Refinement:
        """The best tree with the names of the start, and its top if that was joined by distances."""
        before, after = self.begin_value, self.best_value
        if start is not self.begin:
            before = self.measure(start, meeting_weights(start, self.graph))
        tree = searched_tree(self.best.parent, self.graph.degrees, start.names)
        above = joined_by_distance(start, self.graph)
        if above.any():
            parts = leaf_labels(start.parent, above, start.n_leaves)
            topped = with_top(tree, self.graph, parts, top_of(start, parts))
            value = self.measure(topped, meeting_weights(topped, self.graph))
            # The same tree with its nodes in another order may be higher by a rounding error.
            if value <= before + 1e-9:
                tree, after = topped, min(value, before)
        return Refinement(tree, self.in_unit(before), self.in_unit(after), self.n_moves)


def is_shallow(tree: Tree, graph: Graph) -> bool:
    """Whether walking up the tree once from both ends of every edge takes at most `MAX_WALK` steps."""
    mean_depth = tree.sizes[:-1].sum() / tree.n_leaves
    return graph.indices.size * mean_depth <= MAX_WALK


def flatten(tree: Tree, graph: Graph) -> Tree:
    """A shallower tree of the same clusters, for trees too deep to search: its best nested cuts, made binary again."""
    return binarize(keep_nodes(tree, one_by_one(tree, graph, FLAT_LEVELS) > 0), graph)

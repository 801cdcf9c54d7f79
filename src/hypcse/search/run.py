"""A refinement under way: the tree and the graph laid out for the kernels, descent from every start, and annealing."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Lock
from typing import Any, TypeVar

import numba
import numpy as np
from numpy.typing import NDArray

from hypcse._choices import Objective
from hypcse._progress import Callback, Reporter
from hypcse._random import generator
from hypcse.entropy import lca_weights, node_volumes, structural_entropy
from hypcse.graph import Graph
from hypcse.graph.convert import in_range, unit_exponent
from hypcse.kernels.compile import read_only
from hypcse.kernels.search.descent import anneal, descend
from hypcse.kernels.search.parts import list_parts, mark_leaving, put_part, take_part
from hypcse.kernels.search.working_tree import PHI, WEIGHT, Rows, WorkingTree, make_working_tree, read_parents
from hypcse.kernels.trees.sweep import leaf_labels
from hypcse.search.binary import binarize, searched_tree
from hypcse.search.budget import (
    COLDEST,
    FLAT_LEVELS,
    HOTTEST,
    MAX_WALK,
    N_STAGES,
    PART,
    PARTS_SHARE,
    Budget,
    Refinement,
)
from hypcse.search.components import top_of, with_top
from hypcse.search.compression import keep_nodes, one_by_one
from hypcse.search.leaving import joined_by_distance
from hypcse.search.linkage import graph_linkage
from hypcse.search.multilevel import multilevel_tree
from hypcse.tree import Tree
from hypcse.tree.numbering import renumber

UNLIMITED = 2**62


@dataclass(frozen=True)
class Search:
    """A mutable binary tree over a graph with its vertices in the order of the tree's leaves.

    Leaves that are close in the tree are then close in memory, which is several times faster on large graphs.
    """

    tree: WorkingTree
    rows: Rows
    order: NDArray[np.int64]
    logarithmic: bool

    def value(self) -> float:
        """The objective up to a constant: sum over nodes of weight times phi(measure).

        Paper: Eq. (7) for entropy, its edges gathered at their LCAs.
        """
        return float(np.dot(self.tree.value[:, WEIGHT], self.tree.value[:, PHI]))

    def parts(self, largest: int) -> NDArray[np.int64]:
        """The maximal subtrees of at most so many leaves, as from `list_parts`; only before any move."""
        return list_parts(self.tree, self.order.size, largest)

    def descend_in(self, part: NDArray[np.int64], n_sweeps: int, largest: int, least_gain: float) -> tuple[float, int]:
        """Descend inside a part, without reading or changing anything outside; total gain and moves made.

        Its few arrays stay in the cache, and parts can be searched at the same time.
        """
        first, size, inner = part.tolist()
        tree, rows = take_part(self.tree, self.rows, first, size, inner)
        rows = Rows(*read_only(*rows))
        gained, n_moves = 0.0, 0
        for _ in range(n_sweeps):
            gain, moved, _ = descend(tree, rows, 0, UNLIMITED, largest, least_gain, self.logarithmic)
            gained, n_moves = gained + gain, n_moves + moved
            if moved == 0:
                break
        put_part(self.tree, tree, first, size, inner)
        return gained, n_moves

    def parents(self) -> NDArray[np.int64]:
        """Parents of the current tree, over the vertices in their original order."""
        n = self.order.size
        placed = read_parents(self.tree, n)
        parent = placed.copy()
        parent[self.order] = placed[:n]
        return parent


def start_search(tree: Tree, graph: Graph, objective: Objective) -> Search:
    """Lay out a binary tree and its graph."""
    order = tree.leaf_order()
    local_graph, _ = graph.subgraph(order)
    local_tree = in_place(tree, order)
    logarithmic = objective == "entropy"
    measure = graph.degrees[order] if logarithmic else np.ones(tree.n_leaves)
    working = make_working_tree(
        local_tree.parent, node_volumes(local_tree, measure), lca_weights(local_tree, local_graph), logarithmic
    )
    rows = Rows(local_graph.indptr, local_graph.indices, local_graph.weights)
    return Search(working, rows, order, logarithmic)


def in_place(tree: Tree, order: NDArray[np.int64]) -> Tree:
    """The tree with leaves numbered by position and internal nodes by the end of their range, inner ones first."""
    n = tree.n_leaves
    end = tree.first_positions[n:] + tree.sizes[n:]
    inner = n + np.lexsort((tree.sizes[n:], end))
    return Tree(*renumber(tree.parent, tree.height, np.concatenate([order, inner])))


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
        self.begin_value = self.best_value = self.lowest = self.measure(self.best)
        self.n_moves, self.stopped, self.lock = 0, False, Lock()
        # Worker threads do not inherit this number.
        self.n_threads = numba.get_num_threads()
        self.least_gain = 1e-9 * float(self.graph.weights.mean()) if graph.n_edges else 0.0

    def search(self, starts: Sequence[Tree], budget: Budget, random_state: int) -> None:
        """Go down from the tree, the given starts and the budget's starts, then anneal if the budget says so."""
        trees = [self.best, *(binarize(start, self.graph) for start in starts)]
        for start in trees[1:]:
            self.keep(start)
        if self.graph.n_vertices <= budget.max_all and not self.out_of_time():
            trees = self.with_own_starts(trees, budget)
        self.go_down(trees, budget, "descent")
        if budget.n_chains and not self.stopped:
            self.anneal(budget, random_state)

    def with_own_starts(self, trees: list[Tree], budget: Budget) -> list[Tree]:
        """The given trees and those of the budget, each value once."""
        made = [graph_linkage(self.graph, linkage) for linkage in budget.linkages]
        made += [multilevel_tree(self.graph, resolution) for resolution in budget.resolutions]
        values = [self.measure(tree) for tree in (*trees, *made)]
        # Trees of equal value are the same tree, except for the order in which components are joined.
        first = np.unique(np.round(values, 12), return_index=True)[1]
        return [(*trees, *made)[k] for k in np.sort(first)]

    def measure(self, tree: Tree) -> float:
        """The objective, recomputed from scratch, in the unit of the search."""
        if self.objective == "entropy":
            return structural_entropy(tree, self.graph)
        return float(2 * np.dot(lca_weights(tree, self.graph), tree.sizes))

    def in_unit(self, value: float) -> float:
        """A value of the objective in the unit of the given weights, on which loops and Dasgupta's cost depend."""
        if self.objective == "entropy":
            loops = float(self.graph.self_weights.sum())
            return value + self.exponent * loops / self.graph.volume if loops > 0 else value
        return math.ldexp(value, -self.exponent)

    def lower(self, value: float, gain: float) -> float:
        """A value of the objective after a gain in the units of the search."""
        return value - 2 * gain / (self.graph.volume if self.objective == "entropy" else 1.0)

    def keep(self, tree: Tree) -> None:
        """Remember a tree if it is better."""
        value = self.measure(tree)
        # Rounding does not choose between trees.
        if value < self.best_value - 1e-12:
            self.best, self.best_value = tree, value

    def go_down(self, trees: list[Tree], budget: Budget, stage: str) -> None:
        """Descend from each tree and keep the best result; the first in a tie.

        Small trees are searched in parallel; of a large one, its parts are.
        """
        shares = np.zeros(len(trees))
        n_threads = 1 if self.in_parts(budget) else self.n_threads

        def descend_from(place: int) -> Tree | None:
            return self.descend_from(trees[place], budget, stage, shares, place)

        for found in self.side_by_side(descend_from, range(len(trees)), n_threads):
            if found is not None:
                self.keep(found)

    def side_by_side(self, work: Callable[[Any], Answer], items: Iterable[Any], n_threads: int) -> Iterator[Answer]:
        """Apply work to each item in parallel, results in order; if one fails, the others stop at their next part."""
        with ThreadPoolExecutor(n_threads) as threads:
            try:
                yield from threads.map(work, items)
            except BaseException:
                self.stopped = True
                raise

    def in_parts(self, budget: Budget) -> bool:
        """Whether trees are searched in parts first."""
        return self.graph.n_vertices > budget.max_all

    def descend_from(
        self, tree: Tree, budget: Budget, stage: str, shares: NDArray[np.float64], place: int
    ) -> Tree | None:
        """The end of a descent: nothing moves any more, or the budget is used up. None if it does not start in time.

        A tree that stays too deep when flattened, like every tree of a star, is searched as it is.
        """
        if self.out_of_time():
            return None
        if not is_shallow(tree, self.graph):
            flat = flatten(tree, self.graph)
            tree = flat if is_shallow(flat, self.graph) else tree
        search = start_search(tree, self.graph, self.objective)
        value = self.begin_value if tree is self.begin else self.measure(tree)

        def note(gain: float, n_moves: int, share: float) -> None:
            nonlocal value
            with self.lock:
                value = self.lower(value, gain)
                self.n_moves += n_moves
                shares[place] = max(shares[place], share)
                self.lowest = min(self.lowest, value)
                self.report(stage, float(shares.mean()))

        if self.in_parts(budget):
            self.descend_in_parts(search, budget, note)
        self.descend_over_all(search, budget, note, PARTS_SHARE if self.in_parts(budget) else 0.0)
        return self.read(search)

    def descend_in_parts(self, search: Search, budget: Budget, note: Note) -> None:
        """Descend inside disjoint subtrees in parallel, and mark for later what edges between them may move."""
        largest, n = budget.largest or self.graph.n_vertices, self.graph.n_vertices
        parts, n_done = search.parts(budget.part_size(n)), 0

        def descend_in(part: NDArray[np.int64]) -> None:
            nonlocal n_done
            if self.stopped:
                return
            gain, n_moves = search.descend_in(part, budget.n_sweeps, largest, self.least_gain)
            with self.lock:
                n_done += int(part[1])
            note(gain, n_moves, PARTS_SHARE * n_done / n)

        for _ in self.side_by_side(descend_in, parts, self.n_threads):
            pass
        mark_leaving(search.tree, search.rows, parts)

    def descend_over_all(self, search: Search, budget: Budget, note: Note, begin: float) -> None:
        """Sweep over the whole tree; `begin` is the share of the work done before."""
        largest, n_nodes = budget.largest or self.graph.n_vertices, search.tree.link.shape[0]
        for sweep in range(budget.n_sweeps):
            moved, node = 0, 0
            while node < n_nodes and not self.stopped:
                gain, n_moves, node = descend(
                    search.tree, search.rows, node, PART, largest, self.least_gain, search.logarithmic
                )
                moved += n_moves
                # A sweep that moved nothing is the last.
                ends = node == n_nodes and moved == 0
                share = 1.0 if ends else (sweep + node / n_nodes) / budget.n_sweeps
                note(gain, n_moves, begin + (1 - begin) * share)
            if self.stopped or moved == 0:
                break

    def anneal(self, budget: Budget, random_state: int) -> None:
        """Anneal from the best tree in several parallel chains, and descend from the end of each."""
        n_nodes = 2 * self.graph.n_vertices - 1
        n_sweeps = min(max(budget.n_proposals // n_nodes, budget.min_sweeps), budget.max_sweeps)
        unit = float(self.graph.weights.mean())
        temperatures = np.geomspace(HOTTEST * unit, COLDEST * unit, n_sweeps * n_nodes)
        chains = [start_search(self.best, self.graph, self.objective) for _ in range(budget.n_chains)]
        seeds = generator(random_state, "annealing").integers(2**63, size=budget.n_chains, dtype=np.uint64)
        states = [np.array([seed]) for seed in seeds]
        with ThreadPoolExecutor(min(budget.n_chains, self.n_threads)) as threads:
            for stage, part in enumerate(np.array_split(temperatures, N_STAGES), 1):
                self.n_moves += sum(threads.map(_cool, chains, states, [part] * budget.n_chains))
                self.report("annealing", stage / N_STAGES)
                if self.stopped:
                    break
        cooled = [self.read(chain) for chain in chains]
        for tree in cooled:
            self.keep(tree)
        self.go_down(cooled, budget, "last descent")

    def read(self, search: Search) -> Tree:
        """The current tree of a search."""
        return searched_tree(search.parents(), self.graph)

    def report(self, stage: str, share: float) -> None:
        """Call the callback, and find out whether to stop.

        Annealing keeps only its final state, so the value reported meanwhile is the one from before.
        """
        self.lowest = min(self.lowest, self.best_value)
        value = self.in_unit(self.lowest)
        asked = self.reporter.tell(stage, share, 1.0, value=value, measure=self.objective)
        self.stopped = self.stopped or asked
        self.out_of_time()

    def out_of_time(self) -> bool:
        """Whether to stop, by the clock or because of an earlier answer."""
        if self.deadline is not None and time.monotonic() > self.deadline:
            self.stopped = True
        return self.stopped

    def result(self, given: Tree) -> Refinement:
        """The best tree with the names of the given one, and its top if that was joined by distances."""
        before, after = self.begin_value if given is self.begin else self.measure(given), self.best_value
        tree = searched_tree(self.best.parent, self.graph, given.names)
        above = joined_by_distance(given, self.graph)
        if above.any():
            parts = leaf_labels(given.parent, above, given.n_leaves)
            kept = with_top(tree, self.graph, parts, top_of(given, parts))
            value = self.measure(kept)
            # The same tree with its nodes in another order may be higher by a rounding error.
            if value <= before + 1e-9:
                tree, after = kept, min(value, before)
        return Refinement(tree, self.in_unit(before), self.in_unit(after), self.n_moves)


def is_shallow(tree: Tree, graph: Graph) -> bool:
    """Whether walking up the tree once from both ends of every edge takes at most `MAX_WALK` steps."""
    mean_depth = tree.sizes[:-1].sum() / tree.n_leaves
    return graph.indices.size * mean_depth <= MAX_WALK


def flatten(tree: Tree, graph: Graph) -> Tree:
    """A shallower tree of the same clusters, for trees too deep to search: its best nested cuts, made binary again."""
    return binarize(keep_nodes(tree, one_by_one(tree, graph, FLAT_LEVELS) > 0), graph)


def _cool(chain: Search, state: NDArray[np.uint64], temperatures: NDArray[np.float64]) -> int:
    """Anneal one chain; the number of moves made."""
    _, n_moves = anneal(chain.tree, chain.rows, temperatures, state, chain.logarithmic)
    return n_moves

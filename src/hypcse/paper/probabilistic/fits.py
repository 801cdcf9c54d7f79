"""FPH and EPH: hierarchies whose parents are random, and the probabilities of these optimized."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hypcse._checks import check_choice, check_count
from hypcse._choices import LikelihoodObjective, LikelihoodStart
from hypcse._memory import check_memory
from hypcse._random import generator
from hypcse._threads import worker_threads
from hypcse.entropy import lca_weights
from hypcse.graph import Graph
from hypcse.methods.options import Clock, Inputs, check_positive, check_rate
from hypcse.search import binarize, graph_linkage
from hypcse.tree import Tree

if TYPE_CHECKING:
    from torch import Tensor

# Steps for losses of these kinds, as in the published code.
LEARNING_RATE = {"dasgupta": 0.05, "divergence": 150.0}


def fph(
    inputs: Inputs,
    *,
    objective: LikelihoodObjective = "dasgupta",
    n_internal: int = 512,
    learning_rate: float | None = None,
    n_epochs: int = 1000,
    start: LikelihoodStart = "weighted",
    binary: bool = True,
    max_seconds: float | None = None,
) -> Tree:
    """Flexible probabilistic hierarchies (Zügner et al., 2022) on the graph.

    Leaves and internal nodes have probabilities of parents. They start at average linkage on the graph, contracted to
    `n_internal` internal nodes, and follow the gradient of a soft objective; each step is projected to the simplex.
    After every step the tree of the likeliest parents is scored, and the best is kept; the start counts too.

    objective     : "dasgupta" (`soft_dasgupta`) or "divergence" (`soft_divergence`).
    n_internal    : at most n - 1.
    learning_rate : None for 0.05 (dasgupta) or 150 (divergence).
    start         : average linkage on the "weighted" graph, or on the same edges with "unit" weights.
    binary        : whether to join the children of multiway nodes at the end, by average linkage on the graph; never
                    raises structural entropy or Dasgupta's cost, but is a gain that FPH itself did not make.

    No randomness. O(n m^2 + m^3 + edges m) per epoch and O(n m) memory for m internal nodes.
    """
    check_options(objective, start, n_internal, n_epochs)
    rate = LEARNING_RATE[objective] if learning_rate is None else check_rate(learning_rate)
    clock = Clock("fph", inputs.callback, max_seconds)
    graph = inputs.graph
    if graph.n_vertices < 3 or graph.n_edges == 0:
        return graph_linkage(graph)
    with worker_threads(None, graph.n_vertices, trains=True):
        search = start_search(graph, objective, n_internal, start, 6)
        _descend(search, rate, n_epochs, clock)
    return binarize(search.tree, graph) if binary else search.tree


def _descend(search: Search, rate: float, n_epochs: int, clock: Clock) -> None:
    import torch

    from hypcse.kernels.losses.triples import project_rows
    from hypcse.paper.probabilistic.objective import certain_parents

    A, B = (part.requires_grad_() for part in certain_parents(search.tree))
    everything, later = np.zeros(len(A), np.int64), np.arange(1, len(B) + 1)
    for epoch in range(1, n_epochs + 1):
        loss = search.loss(A, B)
        by_leaf, by_node = torch.autograd.grad(loss, [A, B])
        with torch.no_grad():
            A.sub_(by_leaf, alpha=rate)
            B.sub_(by_node, alpha=rate)
        project_rows(A.detach().numpy(), everything)
        project_rows(B.detach().numpy(), later)
        search.offer(A, B)
        if clock.stops(epoch, n_epochs, loss.item(), search.best, search.objective):
            return


def eph(
    inputs: Inputs,
    *,
    objective: LikelihoodObjective = "dasgupta",
    n_internal: int = 64,
    n_samples: int = 4,
    temperature: float = 1.0,
    certainty: float = 0.9,
    learning_rate: float = 0.05,
    n_epochs: int = 1000,
    start: LikelihoodStart = "weighted",
    binary: bool = True,
    max_seconds: float | None = None,
) -> Tree:
    """Expected probabilistic hierarchies (Kollovieh et al., 2024) on the graph: our reading of the successor of FPH.

    FPH optimises the objective of a soft tree, which is lower than that of every tree it represents. Here whole trees
    are drawn, each parent by the Gumbel-max trick, and their mean objective is lowered by Adam on the logits; the
    gradient of a drawn tree is passed to its probabilities unchanged (straight through). The best of all drawn trees
    and of the likeliest trees is kept; the start counts too.

    n_samples   : trees per epoch.
    temperature : of the softmax that the gradient passes through.
    certainty   : probability that a node has the parent of the starting tree, at the start.
    The other options are those of `fph`.

    O(n_samples (n m^2 + m^3 + edges m)) per epoch and O(n m) memory for m internal nodes.
    """
    check_options(objective, start, n_internal, n_epochs)
    check_count("n_samples", n_samples, 1)
    check_positive("temperature", temperature)
    check_rate(learning_rate)
    if not 0 < check_positive("certainty", certainty) < 1:
        raise ValueError(f"certainty={certainty} must lie between 0 and 1.")
    clock = Clock("eph", inputs.callback, max_seconds)
    seed = int(generator(inputs.random_state, "eph").integers(2**62))
    graph = inputs.graph
    if graph.n_vertices < 3 or graph.n_edges == 0:
        return graph_linkage(graph)
    with worker_threads(None, graph.n_vertices, trains=True):
        search = start_search(graph, objective, n_internal, start, 12)
        _descend_sampled(
            search,
            certainty,
            n_epochs,
            clock,
            seed=seed,
            n_samples=n_samples,
            temperature=temperature,
            rate=learning_rate,
        )
    return binarize(search.tree, graph) if binary else search.tree


def _descend_sampled(
    search: Search,
    certainty: float,
    n_epochs: int,
    clock: Clock,
    *,
    seed: int,
    n_samples: int,
    temperature: float,
    rate: float,
) -> None:
    import torch

    from hypcse.paper.probabilistic.objective import certain_parents, draw_parents, start_logits

    draws = torch.Generator().manual_seed(seed)
    parts = [start_logits(part, certainty).requires_grad_() for part in certain_parents(search.tree)]
    optimizer = torch.optim.Adam(parts, lr=rate)
    for epoch in range(1, n_epochs + 1):
        optimizer.zero_grad()
        total = 0.0
        for _ in range(n_samples):
            A, B = (draw_parents(part, temperature, draws) for part in parts)
            loss = search.loss(A, B)
            (loss / n_samples).backward()
            total += loss.item()
            # For a single tree the loss is its objective.
            if loss.item() < search.best:
                search.offer(A, B)
        optimizer.step()
        search.offer(*parts)
        if clock.stops(epoch, n_epochs, total / n_samples, search.best, search.objective):
            return


def check_options(objective: object, start: object, n_internal: object, n_epochs: object) -> None:
    """Raise for a wrong option that FPH and EPH share."""
    check_choice("objective", objective, LikelihoodObjective)
    check_choice("start", start, LikelihoodStart)
    check_count("n_internal", n_internal, 1)
    check_count("n_epochs", n_epochs, 1)


def start_search(
    graph: Graph, objective: LikelihoodObjective, n_internal: int, start: LikelihoodStart, n_copies: int
) -> Search:
    """A search from average linkage; raises if this many arrays of its probabilities do not fit into memory."""
    from hypcse.paper.probabilistic.objective import start_tree

    m, n = min(n_internal, graph.n_vertices - 1), graph.n_vertices
    check_memory(f"{m} internal nodes over {n} points", 4 * n_copies * m * (n + m), "Lower n_internal.")
    return Search(graph, start_tree(graph, m, start == "unit"), objective)


class Search:
    """Trees on a graph by one of two objectives, "dasgupta" or "divergence", and the best of those offered.

    best : its objective, lower is better: leaves under the LCA of a random edge, or minus the divergence.
    """

    def __init__(self, graph: Graph, start: Tree, objective: str) -> None:
        from hypcse.paper.probabilistic.objective import edge_probabilities

        self.graph, self.objective = graph, objective
        self.weights = edge_probabilities(graph)
        self.tree, self.best = start, self.value(start)
        self.offered: NDArray[np.int64] | None = None

    def value(self, tree: Tree) -> float:
        """The objective of one tree."""
        if self.objective == "divergence":
            from hypcse.paper.probabilistic.objective import tree_sampling_divergence

            return -tree_sampling_divergence(tree, self.graph)
        meeting = lca_weights(tree, self.graph)
        return float(np.dot(meeting, tree.sizes) / meeting.sum())

    def loss(self, A: Tensor, B: Tensor) -> Tensor:
        """The objective of a random hierarchy."""
        from hypcse.paper.probabilistic.objective import soft_dasgupta, soft_divergence

        if self.objective == "divergence":
            return -soft_divergence(A, B, self.weights)
        return soft_dasgupta(A, B, self.weights)

    def offer(self, A: Tensor, B: Tensor) -> None:
        """Keep the tree of the likeliest parents if it is the best so far."""
        import torch

        from hypcse.paper.probabilistic.objective import likeliest_tree

        parents = torch.cat([A.detach().argmax(1), B.detach().argmax(1)]).numpy()
        if self.offered is not None and np.array_equal(parents, self.offered):
            return
        self.offered = parents
        tree = likeliest_tree(parents[: len(A)], parents[len(A) :], self.graph)
        value = self.value(tree)
        if value < self.best:
            self.best, self.tree = value, tree

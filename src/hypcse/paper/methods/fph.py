"""FPH and EPH: hierarchies whose parents are random, and the probabilities of these optimized."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from hypcse._checks import check_choice, check_count, check_number
from hypcse._choices import LikelihoodStart
from hypcse._memory import check_memory
from hypcse._random import generator
from hypcse._threads import worker_threads
from hypcse.kernels.losses.triples import project_rows
from hypcse.methods.options import Clock, Inputs, check_rate
from hypcse.search import binarize, graph_linkage
from hypcse.tree import Tree

if TYPE_CHECKING:
    from hypcse.paper.methods.soft_trees import Search


def fph(
    inputs: Inputs,
    *,
    n_internal: int = 512,
    learning_rate: float = 0.05,
    n_epochs: int = 1000,
    start: LikelihoodStart = "weighted",
    binary: bool = True,
    max_seconds: float | None = None,
) -> Tree:
    """Flexible probabilistic hierarchies (Zügner et al., 2022) on the graph: docs/methods-gradient.md.

    Each step down `soft_dasgupta` is projected to the simplex. O(n m^2 + m^3 + edges m) per epoch, O(n m) memory.
    """
    check_rate(learning_rate)

    def descend(search: Search) -> Iterator[float]:
        import torch

        from hypcse.paper.methods.soft_trees import certain_parents, soft_dasgupta

        A, B = (part.requires_grad_() for part in certain_parents(search.tree))
        everything, later = np.zeros(len(A), np.int64), np.arange(1, len(B) + 1)
        while True:
            loss = soft_dasgupta(A, B, search.weights)
            by_leaf, by_node = torch.autograd.grad(loss, [A, B])
            with torch.no_grad():
                A.sub_(by_leaf, alpha=learning_rate)
                B.sub_(by_node, alpha=learning_rate)
            project_rows(A.detach().numpy(), everything)
            project_rows(B.detach().numpy(), later)
            search.offer(A, B)
            yield loss.item()

    clock = Clock("fph", inputs.callback, max_seconds)
    return _search(inputs, n_internal, n_epochs, start, binary, clock, descend, 6)


def eph(
    inputs: Inputs,
    *,
    n_internal: int = 64,
    n_samples: int = 4,
    certainty: float = 0.9,
    learning_rate: float = 0.05,
    n_epochs: int = 1000,
    start: LikelihoodStart = "weighted",
    binary: bool = True,
    max_seconds: float | None = None,
) -> Tree:
    """Expected probabilistic hierarchies (Kollovieh et al., 2024), in our reading: docs/methods-gradient.md.

    Whole trees are drawn, and Adam lowers their mean objective on the logits of parents, straight through the draw.
    """
    check_count("n_samples", n_samples, 1)
    check_rate(learning_rate)
    if not 0 < check_number("certainty", certainty, 0.0, above=True) < 1:
        raise ValueError(f"certainty={certainty} must lie between 0 and 1.")
    seed = int(generator(inputs.random_state, "eph").integers(2**62))

    def descend(search: Search) -> Iterator[float]:
        import torch

        from hypcse.paper.methods.soft_trees import certain_parents, draw_parents, soft_dasgupta, start_logits

        draws = torch.Generator().manual_seed(seed)
        parts = [start_logits(part, certainty).requires_grad_() for part in certain_parents(search.tree)]
        optimizer = torch.optim.Adam(parts, lr=learning_rate)
        while True:
            optimizer.zero_grad()
            total = 0.0
            for _ in range(n_samples):
                A, B = (draw_parents(part, draws) for part in parts)
                loss = soft_dasgupta(A, B, search.weights)
                (loss / n_samples).backward()
                total += loss.item()
                # For a single tree the loss is its objective.
                if loss.item() < search.best:
                    search.offer(A, B)
            optimizer.step()
            search.offer(*parts)
            yield total / n_samples

    clock = Clock("eph", inputs.callback, max_seconds)
    return _search(inputs, n_internal, n_epochs, start, binary, clock, descend, 12)


def _search(
    inputs: Inputs,
    n_internal: int,
    n_epochs: int,
    start: LikelihoodStart,
    binary: bool,
    clock: Clock,
    descend: Callable[[Search], Iterator[float]],
    n_copies: int,
) -> Tree:
    """The best tree of a descent, which yields the loss of each epoch and takes `n_copies` arrays of probabilities."""
    check_choice("start", start, LikelihoodStart)
    check_count("n_internal", n_internal, 1)
    check_count("n_epochs", n_epochs, 1)
    graph = inputs.graph
    if graph.n_vertices < 3 or graph.n_edges == 0:
        return graph_linkage(graph)
    from hypcse.paper.methods.soft_trees import Search, start_tree

    m, n = min(n_internal, graph.n_vertices - 1), graph.n_vertices
    with worker_threads(None, n, trains=True):
        check_memory(f"{m} internal nodes over {n} points", 4 * n_copies * m * (n + m), "Lower n_internal.")
        search = Search(graph, start_tree(graph, m, start == "unit"))
        for epoch, loss in enumerate(descend(search), 1):
            if clock.stops(epoch, n_epochs, loss, search.best, "dasgupta"):
                break
    return binarize(search.tree, graph) if binary else search.tree

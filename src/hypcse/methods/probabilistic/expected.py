"""EPH: the expected objective of hierarchies drawn at random, by sampling."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypcse._checks import check_count
from hypcse._choices import LikelihoodObjective, LikelihoodStart
from hypcse._random import generator
from hypcse._threads import worker_threads
from hypcse.discrete import binarize, graph_linkage
from hypcse.methods.inputs import Inputs
from hypcse.methods.probabilistic.flexible import check_options, first_tree
from hypcse.methods.progress import Watch, check_positive, check_rate
from hypcse.tree import Tree

if TYPE_CHECKING:
    import torch
    from torch import Tensor

    from hypcse.methods.probabilistic.search import Search


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
    watch = Watch(n_epochs, inputs.callback, max_seconds, objective)
    graph = inputs.graph
    if graph.n_vertices < 3 or graph.n_edges == 0:
        return graph_linkage(graph)
    tree = first_tree(graph, n_internal, start, 12)
    from hypcse.methods.probabilistic.search import Search, certain_parents

    seed = int(generator(inputs.random_state, "eph").integers(2**62))
    with worker_threads(None, graph.n_vertices, trains=True):
        search = Search(graph, tree, objective)
        logits = [start_logits(part, certainty) for part in certain_parents(tree)]
        _descend(search, logits, watch, seed=seed, n_samples=n_samples, temperature=temperature, rate=learning_rate)
    return binarize(search.tree, graph) if binary else search.tree


def _descend(
    search: Search, logits: list[Tensor], watch: Watch, *, seed: int, n_samples: int, temperature: float, rate: float
) -> None:
    import torch

    draws = torch.Generator().manual_seed(seed)
    parts = [part.requires_grad_() for part in logits]
    optimizer = torch.optim.Adam(parts, lr=rate)
    for epoch in range(1, watch.n_steps + 1):
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
        if watch.stops(epoch, total / n_samples, search.best):
            return


def start_logits(certain: Tensor, certainty: float) -> Tensor:
    """Logits of probabilities that are `certainty` at the given parents, the rest even over the other columns.

    Square ones are for internal nodes, whose parents come later: minus infinity on and below the diagonal.
    """
    import torch

    n, m = certain.shape
    other = (1 - certainty) / max(m - 1, 1)
    logits = torch.log(certain * (certainty - other) + other)
    if n == m:
        logits = logits.masked_fill(torch.ones(m, m, dtype=torch.bool).tril(), -torch.inf)
    return logits


def draw_parents(logits: Tensor, temperature: float, draws: torch.Generator) -> Tensor:
    """Rows with a 1 at a parent drawn by softmax(logits), zeros where no parent is possible.

    The gradient is that of softmax((logits + noise) / temperature), with the Gumbel noise that drew the parents.
    """
    import torch

    noise = -torch.log(torch.empty_like(logits).exponential_(generator=draws))
    possible = torch.isfinite(logits)
    rows = possible.any(1, keepdim=True)
    noisy = torch.where(rows, (logits + noise) / temperature, 0)
    soft = torch.where(rows, torch.softmax(noisy, dim=1), 0)
    hard = torch.zeros_like(soft).scatter(1, noisy.argmax(1, keepdim=True), 1.0) * rows
    return hard + (soft - soft.detach())

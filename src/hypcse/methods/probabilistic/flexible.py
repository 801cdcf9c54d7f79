"""FPH: probabilities of parents by projected gradient descent."""

from __future__ import annotations

import numpy as np

from hypcse._checks import check_choice, check_count
from hypcse._choices import LikelihoodObjective, LikelihoodStart
from hypcse._memory import check_memory
from hypcse._threads import worker_threads
from hypcse.discrete import binarize, graph_linkage
from hypcse.graph import Graph
from hypcse.methods.inputs import Inputs
from hypcse.methods.probabilistic.start import start_tree
from hypcse.methods.progress import Watch, check_rate
from hypcse.tree import Tree

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
    watch = Watch(n_epochs, inputs.callback, max_seconds, objective)
    graph = inputs.graph
    if graph.n_vertices < 3 or graph.n_edges == 0:
        return graph_linkage(graph)
    tree = first_tree(graph, n_internal, start, 6)
    with worker_threads(None, graph.n_vertices, trains=True):
        found = _descend(graph, tree, objective, rate, watch)
    return binarize(found, graph) if binary else found


def _descend(graph: Graph, start: Tree, objective: LikelihoodObjective, rate: float, watch: Watch) -> Tree:
    import torch

    from hypcse.kernels.points.simplex import project_rows
    from hypcse.methods.probabilistic.search import Search, certain_parents

    search = Search(graph, start, objective)
    A, B = (part.requires_grad_() for part in certain_parents(start))
    everything, later = np.zeros(len(A), np.int64), np.arange(1, len(B) + 1)
    for epoch in range(1, watch.n_steps + 1):
        loss = search.loss(A, B)
        by_leaf, by_node = torch.autograd.grad(loss, [A, B])
        with torch.no_grad():
            A.sub_(by_leaf, alpha=rate)
            B.sub_(by_node, alpha=rate)
        project_rows(A.detach().numpy(), everything)
        project_rows(B.detach().numpy(), later)
        search.offer(A, B)
        if watch.stops(epoch, loss.item(), search.best):
            break
    return search.tree


def check_options(objective: object, start: object, n_internal: object, n_epochs: object) -> None:
    """Raise for a wrong option that FPH and EPH share."""
    check_choice("objective", objective, LikelihoodObjective)
    check_choice("start", start, LikelihoodStart)
    check_count("n_internal", n_internal, 1)
    check_count("n_epochs", n_epochs, 1)


def first_tree(graph: Graph, n_internal: int, start: LikelihoodStart, n_copies: int) -> Tree:
    """The tree to start from; raises if this many arrays of its probabilities do not fit into memory."""
    m, n = min(n_internal, graph.n_vertices - 1), graph.n_vertices
    check_memory(f"{m} internal nodes over {n} points", 4 * n_copies * m * (n + m), "Lower n_internal.")
    return start_tree(graph, m, start == "unit")

"""HypHC: leaves on a circle of the hyperbolic disk, moved to lower the loss of random triples."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import inf
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hypcse._checks import check_count
from hypcse._random import generator
from hypcse._threads import worker_threads
from hypcse.graph import scale_features
from hypcse.kernels.losses.triples import triple_slopes
from hypcse.methods.options import Clock, Inputs, check_positive, check_rate
from hypcse.tree import Tree

if TYPE_CHECKING:
    from torch import Tensor

# The radius of the leaves stays between these limits, as in the published code.
RADII = (0.01, 0.999)
# Directions start this long: Adam's steps, which lie across them, turn short ones fast and make them longer.
_START_LENGTH = 1e-3
# Batches whose triples and similarities are made at once.
_BATCHES = 64


def hyphc(
    inputs: Inputs,
    *,
    temperature: float = 0.01,
    learning_rate: float = 1e-3,
    n_epochs: int = 50,
    n_triples: int | None = None,
    batch_size: int = 256,
    start_radius: float = 0.01,
    anneal_every: int = 20,
    anneal_factor: float = 1.0,
    max_seconds: float | None = None,
) -> Tree:
    """Hyperbolic hierarchical clustering (Chami et al., 2020) from cosine similarities: docs/methods-gradient.md.

    Adam moves leaves on one circle of the disk to lower the loss of random triples (i, j, k),

        s_ij + s_ik + s_jk - (s_ij, s_ik, s_jk) . softmax((d_ij, d_ik, d_jk) / t),    d the depth of the LCA.

    The decoded tree of lowest Dasgupta cost is the result. O(n_triples d) per epoch, O(n d) memory.
    """
    check_positive("temperature", temperature)
    check_rate(learning_rate)
    check_positive("anneal_factor", anneal_factor)
    for name, value in (("n_epochs", n_epochs), ("batch_size", batch_size), ("anneal_every", anneal_every)):
        check_count(name, value, 1)
    if not RADII[0] <= check_positive("start_radius", start_radius) <= RADII[1]:
        raise ValueError(f"start_radius={start_radius} must lie between {RADII[0]} and {RADII[1]}.")
    n_triples = count_triples(inputs.n_points) if n_triples is None else check_count("n_triples", n_triples, 1)
    rows = unit_rows(inputs.points.table)
    if len(rows) == 1:
        return Tree.single()
    clock = Clock("hyphc", inputs.callback, max_seconds)
    with worker_threads(None, inputs.n_points, trains=True):
        run = Training(rows, inputs.random_state, start_radius, learning_rate)
        for epoch in range(1, n_epochs + 1 if len(rows) > 2 else 1):
            loss = run.epoch(n_triples, batch_size, temperature)
            run.evaluate()
            if clock.stops(epoch, n_epochs, loss, run.best, "dasgupta"):
                break
            if epoch % anneal_every == 0:
                temperature *= anneal_factor
                for group in run.optimizer.param_groups:
                    group["lr"] *= anneal_factor
    return run.tree


def count_triples(n_points: int) -> int:
    """Triples drawn in an epoch: 100 per point, at least 100,000."""
    return max(100 * n_points, 100_000)


class Training:
    """The leaves in training, and the best tree so far with its leaves (n, 2) in the disk."""

    tree: Tree
    leaves: Tensor

    def __init__(
        self, rows: NDArray[np.float64], random_state: int, radius: float = 0.01, learning_rate: float = 1e-3
    ) -> None:
        import torch

        start = generator(random_state, "hyphc start").uniform(-_START_LENGTH, _START_LENGTH, size=(len(rows), 2))
        self.draws = generator(random_state, "hyphc triples")
        self.rows, self.best = rows, inf
        self.directions = torch.from_numpy(start)
        self.radius = torch.tensor(radius, dtype=torch.float64)
        self.optimizer = torch.optim.Adam([self.directions, self.radius], lr=learning_rate, fused=True)
        self.evaluate()

    def epoch(
        self,
        n_triples: int,
        batch_size: int = 256,
        temperature: float = 0.01,
        add_slopes: Callable[[], None] | None = None,
    ) -> float:
        """The mean loss of steps over fresh triples; `add_slopes`, before each step, adds gradients of another loss."""
        import torch

        total, directions = 0.0, self.directions.numpy()
        for triples, similarities in _batches(self.rows, n_triples, batch_size, self.draws):
            slopes = triple_slopes(directions, self.radius.item(), triples, similarities, temperature)
            self.directions.grad = torch.from_numpy(slopes.by_direction)
            self.radius.grad = torch.tensor(slopes.by_radius, dtype=torch.float64)
            if add_slopes is not None:
                add_slopes()
            self.optimizer.step()
            self.radius.clamp_(*RADII)
            total += slopes.loss * len(triples)
        return total / n_triples

    def evaluate(self) -> None:
        from hypcse.neural.decode import decode_single
        from hypcse.neural.geometry import on_sphere

        leaves = on_sphere(self.directions, self.radius)
        tree = decode_single(leaves.numpy())
        cost = cosine_dasgupta(tree, self.rows)
        if cost < self.best:
            self.best, self.tree, self.leaves = cost, tree, leaves


def _batches(
    rows: NDArray[np.float64], n_triples: int, batch_size: int, draws: np.random.Generator
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.float64]]]:
    """Random triples (b, 3) with the similarities (b, 3) of their pairs."""
    for done in range(0, n_triples, _BATCHES * batch_size):
        triples = random_triples(len(rows), min(_BATCHES * batch_size, n_triples - done), draws)
        a, b, c = (rows[side] for side in triples.T)
        cosines = np.stack([np.einsum("ij,ij->i", *pair) for pair in ((a, b), (a, c), (b, c))], axis=1)
        for low in range(0, len(triples), batch_size):
            some = slice(low, low + batch_size)
            yield triples[some], (1 + cosines[some]) / 2


def random_triples(n_points: int, n_triples: int, draws: np.random.Generator) -> NDArray[np.int64]:
    """Triples (n_triples, 3) of three different points, uniformly at random."""
    first, second, third = (draws.integers(n_points - k, size=n_triples) for k in range(3))
    second += second >= first
    low, high = np.minimum(first, second), np.maximum(first, second)
    third += third >= low
    third += third >= high
    return np.stack([first, second, third], axis=1)


def unit_rows(X: NDArray[np.floating]) -> NDArray[np.float64]:
    """Scale columns to mean 0 and variance 1, then divide rows by their lengths; a row of zeros stays zero."""
    rows = scale_features(X, "standard").astype(np.float64)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(lengths > 0, lengths, 1.0)


def cosine_dasgupta(tree: Tree, rows: NDArray[np.float64]) -> float:
    """Dasgupta's cost, 2 sum_{i<j} s_ij |leaves(i v j)|, on the complete graph with s_ij = (1 + <x_i, x_j>) / 2.

    Similarities are linear in each point: those that meet at a node follow from sums of rows below it. O(n d).
    """
    running = np.concatenate([np.zeros((1, rows.shape[1])), np.cumsum(rows[tree.leaf_order()], axis=0)])
    sums = running[tree.first_positions + tree.sizes] - running[tree.first_positions]
    # Of all ordered pairs of leaves under a node, a leaf with itself included.
    inside = (np.square(tree.sizes.astype(np.float64)) + np.einsum("ij,ij->i", sums, sums)) / 2
    meeting = inside.copy()
    np.subtract.at(meeting, tree.parent[:-1], inside[:-1])
    meeting[: tree.n_leaves] = 0.0
    return float(np.dot(meeting, tree.sizes))

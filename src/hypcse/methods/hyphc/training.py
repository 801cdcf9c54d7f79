"""Moves leaves on a circle to lower the loss of random triples."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import inf

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from hypcse._random import generator
from hypcse.decode import decode_single
from hypcse.hyperbolic.poincare import on_sphere
from hypcse.kernels.points.triples import triple_slopes
from hypcse.methods.hyphc.fit import RADII
from hypcse.methods.hyphc.similarity import cosine_dasgupta
from hypcse.tree import Tree

# Directions start this long: Adam's steps, which lie across them, turn short ones fast and make them longer.
_START_LENGTH = 1e-3
# Batches whose triples and similarities are made at once.
_BATCHES = 64


class Training:
    """The leaves in training, and the best tree so far with its leaves (n, 2) in the disk."""

    tree: Tree
    leaves: Tensor

    def __init__(self, rows: NDArray[np.float64], radius: float, learning_rate: float, random_state: int) -> None:
        start = generator(random_state, "hyphc start").uniform(-_START_LENGTH, _START_LENGTH, size=(len(rows), 2))
        self.draws = generator(random_state, "hyphc triples")
        self.rows, self.best = rows, inf
        self.directions = torch.from_numpy(start)
        self.radius = torch.tensor(radius, dtype=torch.float64)
        self.optimizer = torch.optim.Adam([self.directions, self.radius], lr=learning_rate, fused=True)
        self.evaluate()

    def epoch(
        self, n_triples: int, batch_size: int, temperature: float, add_slopes: Callable[[], None] | None = None
    ) -> float:
        """Steps down the `triplet_loss` of fresh triples, batch by batch; its mean.

        `add_slopes` is called before each step, to add the gradients of another loss.
        """
        total = 0.0
        directions = self.directions.numpy()
        for triples, similarities in _batches(self.rows, n_triples, batch_size, self.draws):
            found = triple_slopes(directions, self.radius.item(), triples, similarities, temperature)
            self.directions.grad = torch.from_numpy(found.by_direction)
            self.radius.grad = torch.tensor(found.by_radius, dtype=torch.float64)
            if add_slopes is not None:
                add_slopes()
            self.optimizer.step()
            self.radius.clamp_(*RADII)
            total += found.loss * len(triples)
        return total / n_triples

    def evaluate(self) -> None:
        """Decode, and keep the tree if it is the best so far."""
        leaves = on_sphere(self.directions, self.radius)
        tree = decode_single(leaves.numpy())
        cost = cosine_dasgupta(tree, self.rows)
        if cost < self.best:
            self.best, self.tree, self.leaves = cost, tree, leaves

    def anneal(self, factor: float) -> None:
        """Multiply the learning rate."""
        for group in self.optimizer.param_groups:
            group["lr"] *= factor


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

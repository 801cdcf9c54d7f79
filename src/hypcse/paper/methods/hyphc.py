"""HypHC: leaves on a circle of the hyperbolic disk, moved to lower the loss of random triples; and their classes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import inf
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hypcse._checks import check_count, check_number
from hypcse._random import generator
from hypcse._threads import worker_threads
from hypcse.graph import scale_features
from hypcse.kernels.losses.triples import triple_slopes
from hypcse.methods.options import Clock, Inputs, check_rate
from hypcse.tree import Tree

if TYPE_CHECKING:
    from torch import Tensor

    from hypcse.paper.classifiers import Codes, LabeledInputs

Reals = NDArray[np.float64]
# The radius of the leaves stays between these limits, as in the published code.
RADII = (0.01, 0.999)
# Directions start this long: Adam's steps, which lie across them, turn short ones fast and make them longer.
_START_LENGTH = 1e-3
# Triples of a batch, and batches that are drawn at once.
_BATCH_SIZE, _BATCHES = 256, 64


def hyphc(
    inputs: Inputs,
    *,
    temperature: float = 0.01,
    learning_rate: float = 1e-3,
    n_epochs: int = 50,
    n_triples: int | None = None,
    max_seconds: float | None = None,
) -> Tree:
    """Hyperbolic hierarchical clustering (Chami et al., 2020) from cosine similarities: docs/methods-gradient.md.

    Adam moves leaves on one circle of the disk to lower the loss of random triples (i, j, k),

        s_ij + s_ik + s_jk - (s_ij, s_ik, s_jk) . softmax((d_ij, d_ik, d_jk) / t),    d the depth of the LCA.

    The decoded tree of lowest Dasgupta cost is the result. O(n_triples d) per epoch, O(n d) memory.
    """
    check_number("temperature", temperature, 0.0, above=True)
    check_rate(learning_rate)
    check_count("n_epochs", n_epochs, 1)
    n_triples = count_triples(inputs.n_points) if n_triples is None else check_count("n_triples", n_triples, 1)
    rows = unit_rows(inputs.points.table)
    if len(rows) == 1:
        return Tree(np.array([-1]), np.zeros(1))
    clock = Clock("hyphc", inputs.callback, max_seconds)
    with worker_threads(None, inputs.n_points, trains=True):
        run = Training(rows, inputs.random_state, learning_rate)
        for epoch in range(1, n_epochs + 1 if len(rows) > 2 else 1):
            loss = run.epoch(n_triples, temperature)
            run.evaluate()
            if clock.stops(epoch, n_epochs, loss, run.best, "dasgupta"):
                break
    return run.tree


def count_triples(n_points: int) -> int:
    """Triples drawn in an epoch: 100 per point, at least 100,000."""
    return max(100 * n_points, 100_000)


class Training:
    """The leaves in training, and the best tree so far with its leaves (n, 2) in the disk."""

    tree: Tree
    leaves: Tensor

    def __init__(self, rows: Reals, random_state: int, learning_rate: float = 1e-3) -> None:
        import torch

        start = generator(random_state, "hyphc start").uniform(-_START_LENGTH, _START_LENGTH, size=(len(rows), 2))
        self.draws = generator(random_state, "hyphc triples")
        self.rows, self.best = rows, inf
        self.directions = torch.from_numpy(start)
        self.radius = torch.tensor(RADII[0], dtype=torch.float64)
        self.optimizer = torch.optim.Adam([self.directions, self.radius], lr=learning_rate, fused=True)
        self.evaluate()

    def epoch(self, n_triples: int, temperature: float = 0.01, add_slopes: Callable[[], None] | None = None) -> float:
        """The mean loss of steps over fresh triples; `add_slopes`, before each step, adds gradients of another loss."""
        import torch

        total, directions = 0.0, self.directions.numpy()
        for triples, similarities in _batches(self.rows, n_triples, self.draws):
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


def _batches(rows: Reals, n_triples: int, draws: np.random.Generator) -> Iterator[tuple[NDArray[np.int64], Reals]]:
    """Random triples (b, 3) with the similarities (b, 3) of their pairs."""
    for done in range(0, n_triples, _BATCHES * _BATCH_SIZE):
        triples = random_triples(len(rows), min(_BATCHES * _BATCH_SIZE, n_triples - done), draws)
        a, b, c = (rows[side] for side in triples.T)
        cosines = np.stack([np.einsum("ij,ij->i", *pair) for pair in ((a, b), (a, c), (b, c))], axis=1)
        for low in range(0, len(triples), _BATCH_SIZE):
            some = slice(low, low + _BATCH_SIZE)
            yield triples[some], (1 + cosines[some]) / 2


def random_triples(n_points: int, n_triples: int, draws: np.random.Generator) -> NDArray[np.int64]:
    """Triples (n_triples, 3) of three different points, uniformly at random."""
    first, second, third = (draws.integers(n_points - k, size=n_triples) for k in range(3))
    second += second >= first
    low, high = np.minimum(first, second), np.maximum(first, second)
    third += third >= low
    third += third >= high
    return np.stack([first, second, third], axis=1)


def unit_rows(X: NDArray[np.floating]) -> Reals:
    """Scale columns to mean 0 and variance 1, then divide rows by their lengths; a row of zeros stays zero."""
    rows = scale_features(X, "standard").astype(np.float64)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(lengths > 0, lengths, 1.0)


def cosine_dasgupta(tree: Tree, rows: Reals) -> float:
    """Dasgupta's cost, 2 sum_{i<j} s_ij |leaves(i v j)|, on the complete graph with s_ij = (1 + <x_i, x_j>) / 2."""
    # Similarities are linear in each point: those that meet at a node follow from sums of rows below it. O(n d).
    running = np.concatenate([np.zeros((1, rows.shape[1])), np.cumsum(rows[tree.leaf_order()], axis=0)])
    sums = running[tree.first_positions + tree.sizes] - running[tree.first_positions]
    # Of all ordered pairs of leaves under a node, a leaf with itself included.
    inside = (np.square(tree.sizes.astype(np.float64)) + np.einsum("ij,ij->i", sums, sums)) / 2
    meeting = inside.copy()
    np.subtract.at(meeting, tree.parent[:-1], inside[:-1])
    meeting[: tree.n_leaves] = 0.0
    return float(np.dot(meeting, tree.sizes))


def hyphc_leaves(inputs: LabeledInputs, n_epochs: int, n_triples: int | None) -> Reals:
    """Leaves (n, 2) of lowest Dasgupta cost, mapped to the tangent space at the origin."""
    from hypcse.neural.geometry import log_origin

    with worker_threads(None, len(inputs.X), trains=True):
        run = Training(unit_rows(inputs.X), inputs.random_state)
        for _ in _epochs(run, n_epochs, n_triples):
            run.evaluate()
        return log_origin(run.leaves).numpy()


def hyphc_end_to_end(
    inputs: LabeledInputs, *, n_epochs: int = 50, n_triples: int | None = None, loss_weight: float = 0.01
) -> Codes:
    """HypHC's loss plus `loss_weight` times the cross-entropy of a classifier in the tangent space at the origin.

    The last of the epochs of highest accuracy on the validation points, or the last of all without such points.
    """
    with worker_threads(None, len(inputs.X), trains=True):
        run = Training(unit_rows(inputs.X), inputs.random_state)
        classifier = LeafClassifier(run, inputs, loss_weight)
        best, answer = -1.0, classifier.predict()
        for _ in _epochs(run, n_epochs, n_triples, classifier.add_slopes):
            classes = classifier.predict()
            accuracy = float(np.mean(classes[inputs.held] == inputs.y[inputs.held])) if inputs.held.size else 0.0
            if accuracy >= best:
                best, answer = accuracy, classes
    return answer


def _epochs(
    run: Training, n_epochs: int, n_triples: int | None, add_slopes: Callable[[], None] | None = None
) -> Iterator[int]:
    """Train epoch by epoch, and yield after each; with fewer than three points there is nothing to train."""
    for epoch in range(n_epochs if len(run.rows) > 2 else 0):
        run.epoch(n_triples or count_triples(len(run.rows)), add_slopes=add_slopes)
        yield epoch


class LeafClassifier:
    """Linear scores of leaves in the tangent space at the origin, log_o(z) W^T + b; W and b start at 0."""

    def __init__(self, run: Training, inputs: LabeledInputs, loss_weight: float) -> None:
        import torch

        n_classes, dim = inputs.classes.size, run.directions.shape[1]
        self.weights = torch.zeros(n_classes, dim, dtype=torch.float64)
        self.bias = torch.zeros(n_classes, dtype=torch.float64)
        run.optimizer.add_param_group({"params": [self.weights, self.bias]})
        self.run, self.inputs, self.loss_weight = run, inputs, loss_weight
        self.truth = np.eye(n_classes)[inputs.codes]

    def add_slopes(self) -> None:
        """Add the gradients of the weighted cross-entropy of the labeled leaves to those of a batch."""
        import torch

        rows = self.inputs.rows
        directions, radius = self.run.directions.numpy()[rows], self.run.radius.item()
        values = directions, radius, self.weights.numpy(), self.bias.numpy(), self.truth
        by_direction, by_radius, by_weight, by_bias = cross_entropy_slopes(*values)
        assert self.run.directions.grad is not None and self.run.radius.grad is not None
        self.run.directions.grad[rows] += torch.from_numpy(self.loss_weight * by_direction)
        self.run.radius.grad += self.loss_weight * by_radius
        self.weights.grad = torch.from_numpy(self.loss_weight * by_weight)
        self.bias.grad = torch.from_numpy(self.loss_weight * by_bias)

    def predict(self) -> Codes:
        from hypcse.neural.geometry import log_origin, on_sphere

        points = log_origin(on_sphere(self.run.directions, self.run.radius))
        return self.inputs.classes[(points @ self.weights.T + self.bias).argmax(dim=1).numpy()]


def cross_entropy_slopes(
    directions: Reals, radius: float, weights: Reals, bias: Reals, truth: Reals
) -> tuple[Reals, float, Reals, Reals]:
    """Slopes of the mean cross-entropy of softmax(x W^T + b) against `truth` (m, c), x = 2 artanh(radius) u."""
    # Autograd takes three times as long for so few numbers.
    lengths = np.sqrt(np.einsum("ij,ij->i", directions, directions))[:, None]
    units, reach = directions / lengths, 2 * np.arctanh(radius)
    scores = reach * units @ weights.T + bias
    scores -= scores.max(axis=1, keepdims=True)
    shares = np.exp(scores - np.log(np.exp(scores).sum(axis=1, keepdims=True)))
    by_score = (shares - truth) / len(truth)
    by_point = by_score @ weights
    along = np.einsum("ij,ij->i", by_point, units)[:, None]
    by_radius = float(along.sum() * 2 / ((1 - radius) * (1 + radius)))
    return reach * (by_point - along * units) / lengths, by_radius, reach * by_score.T @ units, by_score.sum(axis=0)

"""Classification on HypHC's leaves: after or during their training."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hypcse._threads import worker_threads
from hypcse.paper.methods.hyphc import Training, count_triples, unit_rows

if TYPE_CHECKING:
    from hypcse.paper.classifiers import Codes, LabeledInputs

Reals = NDArray[np.float64]


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
    """Slopes of the mean cross-entropy of softmax(x W^T + b) against `truth` (m, c), with x = R u. O(m c d).

    u are the unit directions, R = 2 artanh(radius). Autograd takes three times as long for so few numbers.
    """
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

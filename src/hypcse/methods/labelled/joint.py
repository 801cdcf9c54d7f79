"""A classifier of leaves, trained together with them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from hypcse.hyperbolic.poincare import log_origin, on_sphere
from hypcse.methods.hyphc.training import Training
from hypcse.methods.labelled.inputs import Codes, LabelledInputs

Reals = NDArray[np.float64]


class LeafClassifier:
    """Linear scores of leaves in the tangent space at the origin, log_o(z) W^T + b; W and b start at 0."""

    def __init__(self, run: Training, inputs: LabelledInputs, loss_weight: float) -> None:
        n_classes, dim = inputs.classes.size, run.directions.shape[1]
        self.weights = torch.zeros(n_classes, dim, dtype=torch.float64)
        self.bias = torch.zeros(n_classes, dtype=torch.float64)
        run.optimizer.add_param_group({"params": [self.weights, self.bias]})
        self.run, self.inputs, self.loss_weight = run, inputs, loss_weight
        self.truth = np.eye(n_classes)[inputs.codes]

    def add_slopes(self) -> None:
        """Add the gradients of the weighted cross-entropy of the labelled leaves to those of a batch."""
        rows = self.inputs.rows
        directions, radius = self.run.directions.numpy()[rows], self.run.radius.item()
        found = cross_entropy_slopes(directions, radius, self.weights.numpy(), self.bias.numpy(), self.truth)
        _gradient(self.run.directions)[rows] += torch.from_numpy(self.loss_weight * found.by_direction)
        _gradient(self.run.radius).add_(self.loss_weight * found.by_radius)
        self.weights.grad = torch.from_numpy(self.loss_weight * found.by_weight)
        self.bias.grad = torch.from_numpy(self.loss_weight * found.by_bias)

    def predict(self) -> Codes:
        """Current class codes of all leaves."""
        points = log_origin(on_sphere(self.run.directions, self.run.radius))
        return self.inputs.classes[(points @ self.weights.T + self.bias).argmax(dim=1).numpy()]


class ScoreSlopes(NamedTuple):
    """Mean cross-entropy, and its slopes by directions (m, d), radius, weights (c, d) and bias (c,)."""

    loss: float
    by_direction: Reals
    by_radius: float
    by_weight: Reals
    by_bias: Reals


def cross_entropy_slopes(directions: Reals, radius: float, weights: Reals, bias: Reals, truth: Reals) -> ScoreSlopes:
    """Cross-entropy of softmax(x W^T + b) against `truth` (m, c), with x = R u, in closed form. O(m c d).

    u are the directions (m, d), none of them 0, over their lengths, and R = 2 artanh(radius): x is the tangent vector
    at the origin that leads to the leaf. Written out because autograd takes three times as long for so few numbers.
    """
    lengths = np.sqrt(np.einsum("ij,ij->i", directions, directions))[:, None]
    units, reach = directions / lengths, 2 * np.arctanh(radius)
    scores = reach * units @ weights.T + bias
    scores -= scores.max(axis=1, keepdims=True)
    logs = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
    by_score = (np.exp(logs) - truth) / len(truth)
    by_point = by_score @ weights
    along = np.einsum("ij,ij->i", by_point, units)[:, None]
    return ScoreSlopes(
        loss=float(-(truth * logs).sum() / len(truth)),
        by_direction=reach * (by_point - along * units) / lengths,
        by_radius=float(along.sum() * 2 / ((1 - radius) * (1 + radius))),
        by_weight=reach * by_score.T @ units,
        by_bias=by_score.sum(axis=0),
    )


def _gradient(values: Tensor) -> Tensor:
    assert values.grad is not None
    return values.grad

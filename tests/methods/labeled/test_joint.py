"""The classifier that is trained with the leaves: its slopes against autograd, and the choice of the epoch."""

from __future__ import annotations

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

from hypcse.neural.geometry import log_origin, on_sphere
from hypcse.paper.classifiers import LabeledInputs, hyphc_end_to_end, hyphc_two_step
from hypcse.paper.methods.hyphc import cross_entropy_slopes


@given(st.integers(1, 8), st.integers(1, 4), st.integers(1, 3), st.floats(0.01, 0.999), st.integers(0, 999))
def test_slopes_are_those_of_autograd(n, n_classes, dim, radius, seed):
    rng = np.random.default_rng(seed)
    z, W, b = rng.normal(size=(n, dim)), rng.normal(size=(n_classes, dim)), rng.normal(size=n_classes)
    codes = rng.integers(n_classes, size=n)
    data = [torch.tensor(part, dtype=torch.float64, requires_grad=True) for part in (z, radius, W, b)]
    scores = log_origin(on_sphere(data[0], data[1])) @ data[2].T + data[3]
    loss = torch.nn.functional.cross_entropy(scores, torch.from_numpy(codes))
    result = cross_entropy_slopes(z, radius, W, b, np.eye(n_classes)[codes])
    for ours, slopes in zip(result, torch.autograd.grad(loss, data), strict=True):
        assert ours == approx(slopes.numpy(), rel=1e-6, abs=1e-9)


def inputs(X, y, validation=None):
    return LabeledInputs(X, y, np.zeros(len(y), bool) if validation is None else validation)


def noisy(n: int = 60) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    truth = np.arange(n) % 3
    return 2 * np.eye(3)[truth] + rng.normal(size=(n, 3)), truth


def test_validation_chooses_among_the_epochs():
    """The answer is that of some epoch, and none has more of the validation points right."""
    X, truth = noisy()
    held = np.arange(60) >= 40
    y = np.where((np.arange(60) < 15) | held, truth, -1)
    unseen = np.where(held, -1, y)
    epochs = [hyphc_end_to_end(inputs(X, unseen), n_epochs=k, n_triples=10_000) for k in range(1, 5)]
    right = [np.mean(answer[held] == truth[held]) for answer in epochs]
    last_best = max(k for k in range(4) if right[k] == max(right))
    assert (hyphc_end_to_end(inputs(X, y, held), n_epochs=4, n_triples=10_000) == epochs[last_best]).all()


def test_the_classification_loss_fits_the_labels():
    """A heavy weight brings the labeled points to their classes, which the frozen leaves do not allow."""
    X, _ = noisy()
    y = np.where(np.arange(60) < 30, np.random.default_rng(1).integers(3, size=60), -1)
    known = y >= 0
    joint = hyphc_end_to_end(inputs(X, y), n_epochs=20, n_triples=10_000, loss_weight=10.0)
    frozen = hyphc_two_step(inputs(X, y), n_epochs=20, n_triples=10_000)
    assert np.mean(joint[known] == y[known]) > 0.9 > np.mean(frozen[known] == y[known])

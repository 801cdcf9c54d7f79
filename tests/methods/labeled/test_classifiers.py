"""Every classifier of the registry: clear classes are found, and validation labels never train."""

from __future__ import annotations

import numpy as np
import pytest

from hypcse.paper.classifiers import CLASSIFIERS
from hypcse.paper.classifiers.features import LabeledInputs

N = 90
# Shorter than by default, which is more than three clear classes need.
SHORT = {"n_epochs": 10, "n_triples": 10_000}
QUICK = {"hyphc-two-step": SHORT, "hyphc-end-to-end": SHORT}
every = pytest.mark.parametrize("name", sorted(CLASSIFIERS.keys() - {"hypcse-classifier", "spread-labels"}))


def blobs(seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Three groups of points, their classes, and codes with 5 labels per class and -1 for the rest."""
    rng = np.random.default_rng(seed)
    truth = np.arange(N) % 3
    known = rng.permutation(N // 3)[:5]
    y = np.full(N, -1)
    for label in range(3):
        y[3 * known + label] = label
    return 8 * np.eye(3)[truth] + rng.normal(size=(N, 3)), truth, y


def predict(name: str, X: np.ndarray, y: np.ndarray, validation=None, random_state=0, **options) -> np.ndarray:
    held = np.zeros(len(y), bool) if validation is None else validation
    return CLASSIFIERS[name](LabeledInputs(X, y, held, random_state), **{**QUICK.get(name, {}), **options})


@every
def test_clear_classes_are_found(name):
    X, truth, y = blobs()
    before = y.copy()
    result = predict(name, X, y)
    assert result.dtype == np.int64 and result.shape == (N,)
    assert np.mean(result == truth) >= 0.95
    assert (y == before).all()


@every
def test_codes_are_names(name):
    """Codes with gaps between them stand for the same classes."""
    X, _, y = blobs()
    renamed = np.where(y < 0, -1, 2 * y + 3)
    assert (predict(name, X, renamed) == 2 * predict(name, X, y) + 3).all()


@every
def test_validation_labels_never_train(name):
    """Right, wrong or not given at all: after one epoch there is nothing that they could choose."""
    X, truth, y = blobs()
    held = (y < 0) & (np.arange(N) < 20)
    options = {"n_epochs": 1} if name in QUICK else {}
    without = predict(name, X, y, **options)
    for answers in (truth, (truth + 1) % 3):
        given = np.where(held, answers, y)
        assert (predict(name, X, given, validation=held, **options) == without).all()


@every
def test_same_seed_same_answer(name):
    X, _, y = blobs(1)
    X += np.random.default_rng(2).normal(scale=3, size=X.shape)
    first, again = (predict(name, X, y, random_state=3) for _ in range(2))
    assert (first == again).all()


@every
def test_one_class_is_everybodys(name):
    X, _, y = blobs()
    assert (predict(name, X, np.where(y == 2, 2, -1)) == 2).all()


@every
@pytest.mark.parametrize("n", [1, 2, 3])
def test_few_points(name, n):
    X, _, _ = blobs()
    assert set(predict(name, X[:n], np.array([1, 0, -1])[:n])) <= {0, 1}

"""Classification on HypHC's leaves: after or during their training."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from hypcse._checks import check_count
from hypcse._threads import worker_threads
from hypcse.methods.hyphc.fit import count_triples
from hypcse.methods.hyphc.similarity import unit_rows
from hypcse.methods.labelled.features import linear_model, predict_with
from hypcse.methods.labelled.inputs import Codes, LabelledInputs, check_inputs
from hypcse.methods.progress import check_positive

if TYPE_CHECKING:
    from hypcse.methods.hyphc.training import Training

# HypHC's own defaults.
_TEMPERATURE = 0.01
_LEARNING_RATE = 1e-3
_BATCH = 256
_START_RADIUS = 0.01


def hyphc_two_step(
    X: ArrayLike,
    y: ArrayLike,
    *,
    n_epochs: int = 50,
    n_triples: int | None = None,
    C: float = 1.0,
    random_state: int = 0,
    validation: ArrayLike | None = None,
) -> Codes:
    """HypHC without labels, then logistic regression on its leaves.

    The leaves are those of the epoch with the lowest Dasgupta cost. They are mapped to the tangent space at the origin,
    where the regression is linear; `C` is the inverse of the weight of its squared penalty. `n_triples` new triples are
    drawn per epoch; None for as many as in `hyphc`.
    """
    from hypcse.hyperbolic.poincare import log_origin

    inputs = check_inputs(X, y, random_state, validation)
    with worker_threads(None, inputs.n_points, trains=True):
        run = _start(inputs)
        for _ in _epochs(run, n_epochs, n_triples):
            run.evaluate()
        return predict_with(linear_model(C), log_origin(run.leaves).numpy(), inputs)


def hyphc_end_to_end(
    X: ArrayLike,
    y: ArrayLike,
    *,
    n_epochs: int = 50,
    n_triples: int | None = None,
    loss_weight: float = 0.01,
    random_state: int = 0,
    validation: ArrayLike | None = None,
) -> Codes:
    """HypHC's loss plus `loss_weight` times the cross-entropy of a classifier of the leaves, trained together.

    The classifier is linear in the tangent space at the origin. The result is that of the epoch with the highest
    accuracy on the validation points (the last one in a tie); without such points, of the last epoch. `n_triples` new
    triples are drawn per epoch; None for as many as in `hyphc`.
    """
    inputs = check_inputs(X, y, random_state, validation)
    check_positive("loss_weight", loss_weight)
    from hypcse.methods.labelled.joint import LeafClassifier

    with worker_threads(None, inputs.n_points, trains=True):
        run = _start(inputs)
        classifier = LeafClassifier(run, inputs, loss_weight)
        best, answer = -1.0, classifier.predict()
        for _ in _epochs(run, n_epochs, n_triples, classifier.add_slopes):
            found = classifier.predict()
            accuracy = float(np.mean(found[inputs.held] == inputs.answers)) if inputs.held.size else 0.0
            if accuracy >= best:
                best, answer = accuracy, found
    return answer


def _start(inputs: LabelledInputs) -> Training:
    from hypcse.methods.hyphc.training import Training

    return Training(unit_rows(inputs.X), _START_RADIUS, _LEARNING_RATE, inputs.random_state)


def _epochs(
    run: Training, n_epochs: int, n_triples: int | None, add_slopes: Callable[[], None] | None = None
) -> Iterator[int]:
    """Train epoch by epoch, and yield after each; with fewer than three points there is nothing to train."""
    n_points = len(run.rows)
    n_triples = count_triples(n_points) if n_triples is None else check_count("n_triples", n_triples, 1)
    for epoch in range(check_count("n_epochs", n_epochs, 1) if n_points > 2 else 0):
        run.epoch(n_triples, _BATCH, _TEMPERATURE, add_slopes)
        yield epoch

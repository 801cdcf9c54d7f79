"""Training with labels: Eq. (17) and the margin loss on class prototypes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d
from torch import Tensor

from hypcse._checks import label_array
from hypcse._progress import Callback
from hypcse._random import generator
from hypcse.estimators.labels import label_codes, respect_labels, spread_labels
from hypcse.estimators.preparing import Prepared
from hypcse.neural.encoder import Prototypes
from hypcse.neural.losses.contrast import margin_loss
from hypcse.neural.training.config import Setup
from hypcse.neural.training.loop import train_epochs
from hypcse.neural.training.run import Run, torch_generator
from hypcse.neural.training.terms import optimizer_of

# With fewer labels, epochs cannot be compared.
_LEAST_VALIDATION = 10


class Supervision(NamedTuple):
    """Codes of classes (n,), those to learn from, guesses of others, -1 for none, and the weights of both losses."""

    codes: NDArray[np.int64]
    taught: NDArray[np.int64]
    guesses: NDArray[np.int64]
    weight: float
    guess_weight: float


def known_classes(y: ArrayLike, n_points: int) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The classes and the code of each point, -1 for no label; there must be at least two classes."""
    if y is None:
        raise ValueError("requires y to be passed, but the target y is None. Pass one label per point, -1 for unknown.")
    labels = label_array(y) if isinstance(y, np.ma.MaskedArray) else np.asarray(y)
    labels = column_or_1d(labels, warn=True) if labels.ndim == 2 else labels
    if labels.dtype.kind == "f":
        check_classification_targets(labels[~np.isnan(labels)])
    classes, codes = label_codes(labels)
    if codes.size != n_points:
        raise ValueError(f"y has {codes.size} labels for {n_points} points. Pass one per point, -1 for unknown.")
    if len(classes) == 0:
        raise ValueError("y has no label: all are -1, None or NaN. Label some points, or use HypCSE, which needs none.")
    if len(classes) == 1:
        raise ValueError(f"y has only one class, {classes[0]!r}; a classifier needs at least two classes.")
    return classes, codes


def validation_rows(codes: NDArray[np.int64], fraction: float, random_state: int) -> NDArray[np.bool_]:
    """The labeled rows that pick the epoch, or none if they are fewer than 10; every class keeps one to learn from."""
    labeled = np.flatnonzero(codes >= 0)
    wanted = round(fraction * labeled.size)
    chosen = np.zeros(codes.size, np.bool_)
    if wanted < _LEAST_VALIDATION:
        return chosen
    order = generator(random_state, "validation").permutation(labeled)
    # The first of each class in this order stays with training.
    firsts = np.unique(codes[order], return_index=True)[1]
    chosen[np.delete(order, firsts)[:wanted]] = True
    return chosen


def supervise(
    codes: NDArray[np.int64], ready: Prepared, seed: int, fraction: float, weight: float, guess_weight: float
) -> Supervision:
    """What training is told of classes: a fraction of the labels picks the epoch, the others are spread over a tree."""
    taught = np.where(validation_rows(codes, fraction, seed), -1, codes)
    guesses = np.full(codes.size, -1, np.int64)
    if guess_weight > 0:
        tree = ready.search(seed, graph=respect_labels(ready.graph, taught, random_state=seed))
        guesses = np.where(taught >= 0, -1, spread_labels(tree, taught))
    return Supervision(codes, taught, guesses, weight, guess_weight * weight)


class LabeledRun(Run):
    """Training with labels; the best epoch has most validation points right, then the least loss, or is the last."""

    def __init__(self, setup: Setup, supervision: Supervision) -> None:
        super().__init__(setup)
        config, device = setup.config, setup.device
        # A captured step has no place for another loss.
        self.networks.added, self.fixed = self.margins, None
        self.codes, self.taught, self.guesses = (torch.from_numpy(codes).to(device) for codes in supervision[:3])
        self.weight, self.guess_weight = supervision[3:]
        self.validation = ((self.codes >= 0) & (self.taught < 0)).nonzero().squeeze(1)
        start = torch_generator(setup.random_state, "prototypes")
        self.prototypes = Prototypes(config.embed_dim, int(supervision.codes.max()) + 1, start).to(device)
        # Prototypes and biases do not decay.
        self.optimizers.append(optimizer_of(self.prototypes.parameters(), config.learning_rate))
        self.best_value = -np.inf, 0.0
        self.attributes: dict[str, Any] = {}

    def train(self, callback: Callback | None) -> dict[str, Any]:
        """Train to the end, which Ctrl-C and `callback` may bring as in `fit`; return attributes of the classifier."""
        self.evaluate(0)
        train_epochs(self, 0, callback, None)
        return {**self.attributes, "history_": self.history}

    def margins(self, points: Tensor, vertices: Tensor) -> Tensor:
        """The margin loss of the labeled points of a subgraph, and of the guesses."""
        scores = self.prototypes(points)
        loss = self.weight * margin_loss(scores, self.taught[vertices])
        if self.guess_weight == 0:
            return loss
        return loss + self.guess_weight * margin_loss(scores, self.guesses[vertices])

    def evaluate(self, number: int) -> float | None:
        with torch.no_grad():
            points = self.encode()
            scores = self.prototypes(points)
            leaves = self.networks.encoder.leaves(points)
        value = float(number), 0.0
        if self.validation.numel():
            judged, truth = scores[self.validation], self.codes[self.validation]
            right = (judged.argmax(dim=1) == truth).double().mean()
            value = float(right), -float(margin_loss(judged, truth))
        self.since_best += 1
        if value > self.best_value:
            self.best_value, self.best_epoch, self.since_best = value, number, 0
            arrays = {"embedding_": leaves, "_scores": scores}
            arrays |= {"prototypes_": self.prototypes.points, "biases_": self.prototypes.bias}
            self.attributes = {
                **{name: array.detach().double().cpu().numpy().copy() for name, array in arrays.items()},
                "validation_score_": value[0] if self.validation.numel() else None,
                "_state": self.copy_weights(),
                "_encoded_on": self.encoded_on(self.anchor),
            }
        return None

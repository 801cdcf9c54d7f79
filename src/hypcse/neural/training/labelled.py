"""Training with labels: Eq. (17) and the margin loss on class prototypes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from hypcse._progress import Callback
from hypcse.graph import Graph
from hypcse.neural.encoder import Prototypes
from hypcse.neural.graphs.tensors import EdgeTensors
from hypcse.neural.losses.structural import margin_loss
from hypcse.neural.training.config import TrainingConfig
from hypcse.neural.training.epoch import AddedLoss
from hypcse.neural.training.loop import train_to_the_end
from hypcse.neural.training.run import Run, TrainingStep, torch_generator
from hypcse.neural.training.terms import optimizer_of


@dataclass(frozen=True, eq=False)
class Supervision:
    """What is known about classes.

    codes      : (n,) the class of each point from 0, -1 where it is unknown.
    validation : (n,) which of the labelled points pick the epoch instead of being trained on.
    guesses    : (n,) the class that a point without a label to learn from is taken for, -1 where it has no guess.
    n_classes  : how many classes there are.
    weight     : of the margin loss of given labels beside the other losses.
    guess_weight : of the margin loss of guesses.
    """

    codes: NDArray[np.int64]
    validation: NDArray[np.bool_]
    guesses: NDArray[np.int64]
    n_classes: int
    weight: float
    guess_weight: float

    @property
    def taught(self) -> NDArray[np.int64]:
        """The codes to learn from: all but those that pick the epoch."""
        return np.where(self.validation, -1, self.codes)


@dataclass(frozen=True, eq=False)
class Classified:
    """What training with labels found: all of it at the epoch that was picked.

    epoch, accuracy    : that epoch, and the share of validation points it gets right; None without any.
    leaves             : (n, embed_dim) in the ball on one radius.
    scores             : (n, n_classes) of all points.
    prototypes, biases : of the classes: (n_classes, embed_dim + 1) and (n_classes,).
    state, encoded_on  : as in `Trained`.
    history            : one step an epoch.
    """

    epoch: int
    accuracy: float | None
    leaves: NDArray[np.float64]
    scores: NDArray[np.float64]
    prototypes: NDArray[np.float64]
    biases: NDArray[np.float64]
    state: dict[str, Tensor]
    encoded_on: Graph
    history: list[TrainingStep]


def fit_labelled(
    features: NDArray[np.float32],
    graph: Graph,
    config: TrainingConfig,
    known: Supervision,
    random_state: int = 0,
    callback: Callback | None = None,
    device: str = "cpu",
) -> Classified:
    """Train on features (n, d), their graph and the labels that are known.

    The epoch with the most validation points right is kept, of equals the one of least margin loss on them; without
    validation points the last one. Ctrl-C ends training with the best so far and a warning; so does, without one, a
    `callback` that returns True, see `fit`.
    """
    run = LabelledRun(features, graph, config, known, random_state, device)
    run.evaluate(0)
    train_to_the_end(run, 0, callback, None)
    return run.result()


class LabelledRun(Run):
    """One training with labels under way."""

    def __init__(
        self,
        features: NDArray[np.float32],
        graph: Graph,
        config: TrainingConfig,
        known: Supervision,
        random_state: int,
        device: str,
    ) -> None:
        start = torch_generator(random_state, "prototypes")
        self.known = known
        self.prototypes = Prototypes(config.embed_dim, known.n_classes, start).to(device)
        self.taught, self.guesses, self.codes = (
            torch.from_numpy(codes).to(device) for codes in (known.taught, known.guesses, known.codes)
        )
        self.judges = torch.from_numpy(np.flatnonzero(known.validation)).to(device)
        self.picked: tuple[tuple[float, float], dict[str, Any], EdgeTensors] | None = None
        super().__init__(features, graph, config, random_state, device)

    def _optimizers(self) -> list[torch.optim.Optimizer]:
        """Those of the networks, and one for prototypes and biases, without decay."""
        return [*super()._optimizers(), optimizer_of(self.prototypes.parameters(), self.config.learning_rate)]

    @property
    def added_loss(self) -> AddedLoss:
        """The loss of labels."""
        return self._margins

    def _margins(self, points: Tensor, vertices: Tensor) -> Tensor:
        """The margin loss of the labelled points of a subgraph, and of the guesses."""
        scores = self.prototypes(points)
        given = self.known.weight * margin_loss(scores, self.taught[vertices])
        if self.known.guess_weight == 0:
            return given
        return given + self.known.guess_weight * margin_loss(scores, self.guesses[vertices])

    def evaluate(self, number: int) -> float | None:
        """Score all points, and keep the epoch if it is the best."""
        with torch.no_grad():
            points = self.networks.encoder(self.features, self._evaluation_edges())
            scores = self.prototypes(points)
            value = self._value(number, scores)
            self.since_best += 1
            if self.picked is None or value > self.picked[0]:
                leaves = self.networks.encoder.leaves(points)
                self.picked, self.since_best = (value, self._copied(number, leaves, scores), self.anchor), 0
        return None

    def _value(self, number: int, scores: Tensor) -> tuple[float, float]:
        """What picks the epoch: the more, the better."""
        if not self.judges.numel():
            return float(number), 0.0
        judged, truth = scores[self.judges], self.codes[self.judges]
        right = (judged.argmax(dim=1) == truth).double().mean()
        return float(right), -float(margin_loss(judged, truth))

    def _copied(self, number: int, leaves: Tensor, scores: Tensor) -> dict[str, Any]:
        prototypes, biases = self.prototypes.points, self.prototypes.bias
        arrays = {"leaves": leaves, "scores": scores, "prototypes": prototypes, "biases": biases}
        return {
            "epoch": number,
            "state": self._weights(),
            **{name: value.detach().double().cpu().numpy().copy() for name, value in arrays.items()},
        }

    def result(self) -> Any:
        """The best so far, a `Classified`."""
        assert self.picked is not None
        value, kept, anchor = self.picked
        accuracy = value[0] if self.judges.numel() else None
        return Classified(accuracy=accuracy, encoded_on=self._encoded_on(anchor), history=list(self.history), **kept)

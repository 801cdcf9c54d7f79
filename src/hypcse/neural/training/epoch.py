"""One epoch: every vertex once, in subgraphs, two views of each."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from hypcse.neural.graph_learner.anchor import Pairs, proposed_pairs, update_anchor
from hypcse.neural.graphs.subgraphs import cut_out
from hypcse.neural.graphs.tensors import EdgeTensors
from hypcse.neural.training.config import TrainingConfig
from hypcse.neural.training.terms import Networks, Terms, losses_of

if TYPE_CHECKING:
    from hypcse.neural.training.fixed import FixedSteps

AddedLoss = Callable[[Tensor, Tensor], Tensor]
"""A loss of Lorentz points and the vertices they stand for."""
Part = tuple[Tensor, EdgeTensors, Tensor]


@dataclass(frozen=True)
class Losses:
    """Means of the terms of Eq. (17) over an epoch."""

    cse: float
    contrast: float
    centroid: float
    total: float


NOT_A_NUMBER = Losses(math.nan, math.nan, math.nan, math.nan)
"""The losses of an epoch in which one of them, or a weight, stopped being a number."""


@dataclass(frozen=True)
class Trainer:
    """What takes a step: the networks, what moves them, and what it depends on.

    added : a loss on the points of a subgraph that the total takes in, or None where there is none.
    fixed : the steps of a GPU, where there are such.
    """

    networks: Networks
    optimizers: list[torch.optim.Optimizer]
    config: TrainingConfig
    generator: torch.Generator
    added: AddedLoss | None = None
    fixed: FixedSteps | None = None

    def losses(self, part: Part, generator: torch.Generator) -> tuple[Terms, EdgeTensors | None]:
        """The terms on a subgraph, and the graph that the learner proposes."""
        vertices, anchor, features = part
        terms, learned, points = losses_of(self.networks, features, anchor, self.config, generator)
        assert learned is None or isinstance(learned, EdgeTensors)
        if self.added is not None:
            terms = terms._replace(total=terms.total + self.added(points, vertices))
        return terms, learned

    def step(self, part: Part) -> tuple[Tensor, EdgeTensors | None]:
        """Train on one subgraph; its four losses, (4,), and the graph that was learned."""
        _, anchor, features = part
        if self.fixed is not None and self.fixed.takes(anchor):
            taken = self.fixed.step(features, anchor)
            if taken is not None:
                return taken
        terms, learned = self.losses(part, self.generator)
        for optimizer in self.optimizers:
            optimizer.zero_grad(set_to_none=True)
        terms.total.backward()
        for optimizer in self.optimizers:
            optimizer.step()
        return torch.stack([term.detach() for term in terms]), None if learned is None else learned.detach()


def train_epoch(
    trainer: Trainer, features: Tensor, anchor: EdgeTensors, vertex_sets: Iterable[Tensor]
) -> tuple[EdgeTensors, Losses]:
    """Train on each subgraph once and update the anchor; the new anchor and the mean losses.

    When a loss or a weight is no longer a number the epoch ends there, the anchor as it was and the losses NaN.
    """
    learned_parts: list[tuple[Tensor, Pairs]] = []
    # A GPU is not waited for until the epoch is over.
    later = features.is_cuda
    sums, n_vertices = torch.zeros(4, device=features.device if later else "cpu"), 0
    for part in cut_parts(features, anchor, vertex_sets):
        vertices = part[0]
        terms, learned = trainer.step(part)
        if not later and not is_finite(trainer.networks, terms[3]):
            return anchor, NOT_A_NUMBER
        sums += vertices.numel() * terms.to(sums.device)
        n_vertices += vertices.numel()
        if learned is not None:
            learned_parts.append((vertices, proposed_pairs(learned, vertices)))
    if later and not is_finite(trainer.networks, sums[3]):
        return anchor, NOT_A_NUMBER
    config = trainer.config
    if learned_parts and config.anchor_decay < 1:
        anchor = update_anchor(
            anchor, learned_parts, config.anchor_decay, trainer.generator, rescale=config.rescale_inserted
        )
    return anchor, Losses(*(sums / n_vertices).tolist())


def cut_parts(features: Tensor, anchor: EdgeTensors, vertex_sets: Iterable[Tensor]) -> Iterator[Part]:
    """Vertices, graph and features of each of some disjoint subgraphs."""
    sets = list(vertex_sets)
    if len(sets) == 1 and sets[0].numel() == anchor.n_vertices:
        return iter([(sets[0], anchor, features)])
    graphs = cut_out(anchor, sets)
    return ((vertices, graph, features[vertices]) for vertices, graph in zip(sets, graphs, strict=True))


def is_finite(networks: Networks, loss: Tensor) -> bool:
    """Whether the loss and all weights are numbers."""
    sums = torch.stack([loss.detach(), *(parameter.detach().sum() for parameter in networks.parameters())])
    return bool(sums.isfinite().all())

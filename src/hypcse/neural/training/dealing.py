"""One epoch whose steps take several subgraphs each, dealt to the ranks, or all to one that works alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from hypcse.neural.graph_learner.anchor import Pairs, proposed_pairs, update_anchor
from hypcse.neural.graphs.tensors import EdgeTensors
from hypcse.neural.training.epoch import NOT_A_NUMBER, Losses, Part, Trainer, cut_parts, is_finite
from hypcse.neural.training.ranks import Ranks
from hypcse.neural.training.terms import Terms

# With fewer vertices losses take other forms, which use fewer of the weights.
_LEAST_VERTICES = 3


class Share(NamedTuple):
    """A subgraph of a step: its number within the epoch, and the weight of its loss on this rank."""

    number: int
    weight: float


def shares_of(rank: int, size: int, n_subgraphs: int, per_step: int) -> list[list[Share]]:
    """The shares of a rank, step by step: `per_step` subgraphs make a step, and go to the ranks in turn.

    A step moves the weights by the mean gradient of its subgraphs. Ranks are averaged, so each of k subgraphs has the
    weight size / k. A rank that a step has nothing for repeats the step's first subgraph with weight 0: the others
    would wait for it otherwise.

    >>> shares_of(0, 2, n_subgraphs=3, per_step=2)
    [[Share(number=0, weight=1.0)], [Share(number=2, weight=2.0)]]
    >>> shares_of(1, 2, n_subgraphs=3, per_step=2)
    [[Share(number=1, weight=1.0)], [Share(number=2, weight=0.0)]]
    >>> shares_of(0, 1, n_subgraphs=3, per_step=2)[0]
    [Share(number=0, weight=0.5), Share(number=1, weight=0.5)]
    """
    steps = []
    for first in range(0, n_subgraphs, per_step):
        count = min(per_step, n_subgraphs - first)
        own = [Share(first + place, size / count) for place in range(rank, count, size)]
        steps.append(own or [Share(first, 0.0)])
    return steps


class Objective(nn.Module):
    """The terms of a subgraph as a module's `forward`, which is what DistributedDataParallel takes."""

    def __init__(self, trainer: Trainer) -> None:
        super().__init__()
        self.networks, self.trainer = trainer.networks, trainer

    def forward(self, part: Part, generator: torch.Generator) -> tuple[Terms, EdgeTensors | None]:
        """The terms, and the graph that the learner proposes."""
        return self.trainer.losses(part, generator)


class DealtSteps:
    """Steps of one training over several subgraphs each, `per_step` in all.

    Each subgraph draws from a generator of its own, so that the steps depend on `per_step` and not on the number of
    ranks. Gradients of several ranks are averaged by DistributedDataParallel, in one message a step.
    """

    def __init__(self, trainer: Trainer, per_step: int, ranks: Ranks, least_vertices: int) -> None:
        self.trainer, self.per_step, self.ranks = trainer, per_step, ranks
        self.draws = torch.Generator(trainer.generator.device)
        self.model: Any = Objective(trainer)
        if ranks.size > 1:
            from torch.nn.parallel import DistributedDataParallel

            config = trainer.config
            all_used = config.contrast_weight > 0 and config.learn_graph
            unused = not all_used or least_vertices < _LEAST_VERTICES
            self.model = DistributedDataParallel(self.model, find_unused_parameters=unused)

    def train_epoch(
        self, features: Tensor, anchor: EdgeTensors, vertex_sets: Iterable[Tensor]
    ) -> tuple[EdgeTensors, Losses]:
        """Train on each subgraph once and update the anchor, the same on all ranks, as `train_epoch` does."""
        sets, trainer = list(vertex_sets), self.trainer
        draws = trainer.generator
        seeds = torch.randint(2**62, (len(sets),), generator=draws, device=draws.device).tolist()
        losses, found = self._steps(features, anchor, sets, seeds)
        self.ranks.add_up(losses)
        sizes = torch.tensor([part.numel() for part in sets], device=losses.device)
        means = (losses * sizes[:, None]).sum(0) / sizes.sum()
        if not is_finite(trainer.networks, means[3]):
            return anchor, NOT_A_NUMBER
        config = trainer.config
        if config.learn_graph and config.anchor_decay < 1:
            parts = list(zip(sets, gather_pairs(found, self.ranks, anchor), strict=True))
            anchor = update_anchor(anchor, parts, config.anchor_decay, draws, rescale=config.rescale_inserted)
        return anchor, Losses(*means.tolist())

    def _steps(
        self, features: Tensor, anchor: EdgeTensors, sets: list[Tensor], seeds: list[int]
    ) -> tuple[Tensor, dict[int, Pairs]]:
        """Losses (n_subgraphs, 4) and proposed edges of this rank's subgraphs; zeros and none of the others'."""
        losses, found = features.new_zeros(len(sets), 4), {}
        steps = shares_of(self.ranks.number, self.ranks.size, len(sets), self.per_step)
        parts = cut_parts(features, anchor, [sets[share.number] for step in steps for share in step])
        for step in steps:
            for share, part, terms, learned in self._step(step, parts, seeds):
                if share.weight == 0:
                    continue
                losses[share.number] = torch.stack([term.detach() for term in terms])
                if learned is not None:
                    found[share.number] = proposed_pairs(learned, part[0])
        return losses, found

    def _step(
        self, step: list[Share], parts: Iterator[Part], seeds: list[int]
    ) -> Iterator[tuple[Share, Part, Terms, EdgeTensors | None]]:
        """What each of this rank's subgraphs gives; after the last the weights move."""
        for optimizer in self.trainer.optimizers:
            optimizer.zero_grad(set_to_none=True)
        for share in step:
            part = next(parts)
            self.draws.manual_seed(seeds[share.number])
            with self._sent_if(share is step[-1]):
                terms, learned = self.model(part, self.draws)
                (share.weight * terms.total).backward()
            yield share, part, terms, learned
        for optimizer in self.trainer.optimizers:
            optimizer.step()

    def _sent_if(self, last: bool) -> AbstractContextManager[None]:
        """Gradients are sent to the other ranks with the last subgraph of a step, and added up before."""
        if last or self.ranks.size == 1:
            return nullcontext()
        kept: AbstractContextManager[None] = self.model.no_sync()
        return kept


def gather_pairs(found: dict[int, Pairs], ranks: Ranks, anchor: EdgeTensors) -> list[Pairs]:
    """The proposed edges of all subgraphs, in their order, on every rank."""
    sent = {number: (ends.int().cpu(), weight.cpu()) for number, (ends, weight) in found.items()}
    everyone = {number: pairs for one in ranks.gather(sent) for number, pairs in one.items()}
    device = anchor.index.device
    return [(ends.to(device).long(), weight.to(device)) for _, (ends, weight) in sorted(everyone.items())]

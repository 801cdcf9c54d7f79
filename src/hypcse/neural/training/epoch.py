"""One epoch: every vertex once, in subgraphs. A step takes one of them, or averages several, shared by the ranks."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import nullcontext
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch import Tensor

from hypcse.neural.graph_learner import Pairs, proposed_pairs
from hypcse.neural.subgraphs import cut_out
from hypcse.neural.training.terms import Losses, Part, values_of

if TYPE_CHECKING:
    from hypcse.neural.training.run import Run

# With fewer vertices losses take other forms, which use fewer of the weights.
_LEAST_VERTICES = 3

NOT_A_NUMBER: Losses[float] = Losses(*[math.nan] * 4)
"""The losses of an epoch in which one of them, or a weight, stopped being a number."""


def train_epoch(run: Run, sets: list[Tensor]) -> Losses[float]:
    """The mean losses of training on each subgraph once; NaN and the old anchor if one, or a weight, is no number."""
    learned_parts: list[tuple[Tensor, Pairs]] = []
    # Do not wait for a GPU before the epoch is over.
    on_gpu = run.features.is_cuda
    sums, n_vertices = torch.zeros(4, device=run.features.device), 0
    for part in cut_parts(run, sets):
        vertices = part[0]
        losses, learned = run.step(part)
        if not on_gpu and not run.is_finite(losses[3]):
            return NOT_A_NUMBER
        sums += vertices.numel() * losses
        n_vertices += vertices.numel()
        if learned is not None:
            learned_parts.append((vertices, proposed_pairs(learned, vertices)))
    if on_gpu and not run.is_finite(sums[3]):
        return NOT_A_NUMBER
    run.update_anchor(learned_parts)
    return Losses(*(sums / n_vertices).tolist())


def cut_parts(run: Run, sets: list[Tensor]) -> Iterator[Part]:
    """Disjoint subgraphs of the anchor, with their features."""
    if len(sets) == 1 and sets[0].numel() == run.anchor.n_vertices:
        return iter([(sets[0], run.anchor, run.features)])
    graphs = cut_out(run.anchor, sets)
    return ((vertices, graph, run.features[vertices]) for vertices, graph in zip(sets, graphs, strict=True))


class Share(NamedTuple):
    """A subgraph of a step: its number within the epoch, and the weight of its loss on this rank."""

    number: int
    weight: float


def shares_of(rank: int, size: int, n_subgraphs: int, per_step: int) -> list[list[Share]]:
    """The shares of a rank, step by step: `per_step` subgraphs make a step, and go to the ranks in turn.

    A step moves the weights by the mean gradient of its subgraphs. Ranks are averaged, so each of k subgraphs has the
    weight size / k. A rank without a subgraph in a step repeats the step's first one with weight 0; otherwise the
    others would wait for it.

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


class DealtSteps:
    """Steps of one training over several subgraphs each, which depend on `per_step` and not on the number of ranks.

    Each subgraph draws from its own generator. DistributedDataParallel averages the gradients, in one message per step.
    """

    def __init__(self, run: Run) -> None:
        self.ranks, self.draws = run.ranks, torch.Generator(run.draws.device)
        self.model: Any = run.networks
        if self.ranks.size > 1:
            from torch.nn.parallel import DistributedDataParallel

            config = run.config
            least_vertices = min(run.graph.n_vertices, config.batch_size // 4)
            all_used = config.contrast_weight > 0 and config.learn_graph and least_vertices >= _LEAST_VERTICES
            self.model = DistributedDataParallel(self.model, find_unused_parameters=not all_used)

    def train_epoch(self, run: Run, sets: list[Tensor]) -> Losses[float]:
        """Train on each subgraph once and update the anchor, the same on all ranks, as `train_epoch` does."""
        seeds = torch.randint(2**62, (len(sets),), generator=run.draws, device=run.draws.device).tolist()
        losses, pairs = self._take_steps(run, sets, seeds)
        if self.ranks.size > 1:
            torch.distributed.all_reduce(losses)
        sizes = torch.tensor([vertices.numel() for vertices in sets], device=losses.device)
        means = (losses * sizes[:, None]).sum(0) / sizes.sum()
        if not run.is_finite(means[3]):
            return NOT_A_NUMBER
        if run.config.learn_graph and run.config.anchor_decay < 1:
            # Of all subgraphs, in their order, on every rank.
            sent = {number: (ends.int().cpu(), weight.cpu()) for number, (ends, weight) in pairs.items()}
            everyone = sorted((item for part in self.ranks.gather(sent) for item in part.items()), key=itemgetter(0))
            every = [(ends.to(losses.device).long(), weight.to(losses.device)) for _, (ends, weight) in everyone]
            run.update_anchor(list(zip(sets, every, strict=True)))
        return Losses(*means.tolist())

    def _take_steps(self, run: Run, sets: list[Tensor], seeds: list[int]) -> tuple[Tensor, dict[int, Pairs]]:
        """Losses (n_subgraphs, 4), zeros for those of other ranks, and proposed edges of this rank's subgraphs."""
        losses, pairs = run.features.new_zeros(len(sets), 4), {}
        steps = shares_of(self.ranks.number, self.ranks.size, len(sets), run.per_step)
        parts = cut_parts(run, [sets[share.number] for step in steps for share in step])
        for step in steps:
            run.zero_gradients()
            for share in step:
                part = next(parts)
                self.draws.manual_seed(seeds[share.number])
                # Gradients are added up, and sent to the other ranks with the last subgraph of the step.
                waits = self.ranks.size > 1 and share is not step[-1]
                with self.model.no_sync() if waits else nullcontext():
                    terms, learned = self.model(part, self.draws)
                    (share.weight * terms.total).backward()
                if share.weight > 0:
                    losses[share.number] = values_of(terms)
                    if learned is not None:
                        pairs[share.number] = proposed_pairs(learned, part[0])
            run.move_weights()
        return losses, pairs

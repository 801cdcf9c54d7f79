"""One epoch whose steps take several subgraphs each, dealt to the ranks, or all to one that works alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
from torch import Tensor, nn

from hypcse.graph.tensors import EdgeTensors
from hypcse.structure import proposed_pairs, update_anchor
from hypcse.structure.anchor import Pairs
from hypcse.training.epoch import NOT_A_NUMBER, Losses, Part, Trainer, cut_parts, is_finite
from hypcse.training.ranks.dealing import Deal, Share
from hypcse.training.ranks.group import Ranks
from hypcse.training.terms import Terms, losses_of

# With fewer vertices losses take other forms, which use fewer of the weights.
_LEAST_VERTICES = 3


class Objective(nn.Module):
    """The terms of a subgraph as a module's `forward`, which is what DistributedDataParallel takes."""

    def __init__(self, trainer: Trainer) -> None:
        super().__init__()
        self.networks, self.trainer = trainer.networks, trainer

    def forward(self, part: Part, generator: torch.Generator) -> tuple[Terms, EdgeTensors | None]:
        """The terms, and the graph that the learner proposes."""
        vertices, anchor, features = part
        terms, learned, points = losses_of(self.networks, features, anchor, self.trainer.config, generator)
        more = None if self.trainer.added is None else self.trainer.added(points, vertices)
        assert learned is None or isinstance(learned, EdgeTensors)
        return terms if more is None else terms._replace(total=terms.total + more), learned


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
        deal = Deal(len(sets), self.per_step, self.ranks.size)
        draws = trainer.generator
        seeds = torch.randint(2**62, (len(sets),), generator=draws, device=draws.device).tolist()
        losses, found = self._steps(deal, features, anchor, sets, seeds)
        self.ranks.add_up(losses)
        sizes = torch.tensor([part.numel() for part in sets], device=losses.device)
        means = (losses * sizes[:, None]).sum(0) / sizes.sum()
        if not is_finite(trainer.networks, means[3]):
            return anchor, NOT_A_NUMBER
        config = trainer.config
        if config.learn_graph and config.anchor_decay < 1:
            parts = list(zip(sets, gather_pairs(found, deal, self.ranks, anchor), strict=True))
            anchor = update_anchor(anchor, parts, config.anchor_decay, draws, rescale=config.rescale_inserted)
        return anchor, Losses(*means.tolist())

    def _steps(
        self, deal: Deal, features: Tensor, anchor: EdgeTensors, sets: list[Tensor], seeds: list[int]
    ) -> tuple[Tensor, dict[int, Pairs]]:
        """Losses (n_subgraphs, 4) and proposed edges of this rank's subgraphs; zeros and none of the others'."""
        losses, found = features.new_zeros(len(sets), 4), {}
        steps = deal.shares(self.ranks.number)
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


def gather_pairs(found: dict[int, Pairs], deal: Deal, ranks: Ranks, anchor: EdgeTensors) -> list[Pairs]:
    """The proposed edges of all subgraphs, in their order, on every rank: 12 bytes for each edge travel."""
    if ranks.size == 1:
        return [found[number] for number in sorted(found)]
    counts = torch.zeros(deal.n_subgraphs, dtype=torch.int64, device=anchor.index.device)
    for number, (_, weight) in found.items():
        counts[number] = weight.numel()
    ranks.add_up(counts)
    owned: list[list[int]] = [[] for _ in range(ranks.size)]
    for number, owner in enumerate(deal.owners()):
        owned[owner].append(number)
    empty = torch.empty(3, 0, dtype=torch.int32, device=anchor.index.device)
    own = torch.cat([empty, *(_pack(*found[number]) for number in sorted(found))], dim=1)
    lengths = [int(counts[numbers].sum()) for numbers in owned]
    by_number: dict[int, Tensor] = {}
    for numbers, packed in zip(owned, ranks.gather(own, lengths), strict=True):
        by_number.update(zip(numbers, packed.split(counts[numbers].tolist(), dim=1), strict=True))
    return [_unpack(by_number[number]) for number in range(deal.n_subgraphs)]


def _pack(ends: Tensor, weight: Tensor) -> Tensor:
    """(3, k) int32: the ends, and the bits of the weights."""
    return torch.cat([ends.int(), weight.float().view(torch.int32)[None]])


def _unpack(packed: Tensor) -> Pairs:
    return packed[:2].long(), packed[2].contiguous().view(torch.float32)

"""One training under way: its steps and epochs, evaluation by decoding, and the best tree so far."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from hypcse._checks import Curable
from hypcse._choices import EncodeOn
from hypcse._random import generator
from hypcse.entropy import structural_entropy
from hypcse.entropy.structural import CompleteGraph
from hypcse.graph import Graph
from hypcse.neural.decode import decode_graph, decode_single
from hypcse.neural.graph_learner import Pairs, proposed_pairs, update_anchor
from hypcse.neural.subgraphs import count_subgraphs, cut_out, sample_subgraphs
from hypcse.neural.tensors import EdgeTensors
from hypcse.neural.training.config import Setup
from hypcse.neural.training.fixed import FixedSteps, can_be_fixed, warn_if_slow
from hypcse.neural.training.ranks import ALONE, Ranks
from hypcse.neural.training.terms import Losses, Networks, Part, optimizer_of, values_of
from hypcse.tree import Tree

NOT_A_NUMBER: Losses[float] = Losses(*[math.nan] * 4)
"""The losses of an epoch in which one of them, or a weight, stopped being a number."""
# With fewer vertices losses take other forms, which use fewer of the weights.
_LEAST_VERTICES = 3


class TrainingDiverged(Curable, RuntimeError):
    """The loss is no longer a number."""


@dataclass(frozen=True)
class TrainingStep:
    """An epoch: its number from 1, of how many, its mean losses, and the entropy that picks if it was evaluated."""

    epoch: int
    n_epochs: int
    losses: Losses[float]
    entropy: float | None
    seconds: float


@dataclass(frozen=True)
class Trained:
    """The best epoch of a training, 0 for the start, and the entropy that picked it.

    leaves (n, embed_dim) in the ball, copies of the weights, and the graph encoded on, before any normalization.
    """

    tree: Tree
    leaves: NDArray[np.float64]
    epoch: int
    entropy: float
    state: dict[str, Tensor]
    encoded_on: Graph
    history: list[TrainingStep] = field(default_factory=list)


class Run:
    """One training under way."""

    def __init__(self, setup: Setup, ranks: Ranks = ALONE) -> None:
        self.setup, self.config, self.graph, self.device = setup, setup.config, setup.graph, setup.device
        config, random_state, device = setup.config, setup.random_state, setup.device
        self.ranks, self.per_step = ranks, subgraphs_per_step(setup, ranks)
        # Copied into memory of torch, whose alignment is always the same: sums may depend on it in the last bit.
        self.features = torch.tensor(setup.features, dtype=torch.float32, device=device)
        warn_if_slow(self.features.device)
        networks = Networks(setup.features.shape[1], config, torch_generator(random_state, "weights")).to(device)
        # Drawn on the CPU and copied, they would cost a GPU more time than the rest of a step.
        self.draws = torch_generator(random_state, "augmentation", device)
        self.sampling = generator(random_state, "subgraphs")
        self.anchor = self.start = setup.graph.to_tensors().to(device)
        self.complete = CompleteGraph(setup.features) if config.select_on == "complete" else None
        # As in the paper: one for the encoder and the projector, one for the graph learner.
        parts = [*networks.encoder.parameters(), *networks.projector.parameters()], networks.learner.parameters()
        rates = config.learning_rate, config.weight_decay
        self.networks = networks
        self.optimizers: list[torch.optim.Optimizer] = [optimizer_of(part, *rates) for part in parts]
        self.fixed = FixedSteps() if self.per_step == 1 and can_be_fixed(self.features, config) else None
        self.dealt = DealtSteps(self) if self.per_step > 1 else None
        self.best: Trained | None = None
        self.best_epoch = self.since_best = 0
        self.history: list[TrainingStep] = []
        self.finished = False

    def epoch(self, number: int) -> TrainingStep:
        start, config = time.perf_counter(), self.config
        # If there are several subgraphs, they grow on the anchor.
        graph = self.graph if self.graph.n_vertices <= config.batch_size else self.anchor.to_graph()
        parts = sample_subgraphs(graph, config.batch_size, config.n_seeds, self.sampling)
        sets = [torch.from_numpy(part).to(self.device) for part in parts]
        with self.ranks.shared_threads() if self.dealt else nullcontext():
            losses = self.dealt.train_epoch(self, sets) if self.dealt else train_epoch(self, sets)
        if not math.isfinite(losses.total):
            raise TrainingDiverged(
                f"the loss of epoch {number} is {losses.total}. Values of the features reach "
                f"{float(self.features.abs().max()):.3g}: if that is huge, scale them, with scale='minmax' (--scale "
                f"minmax). Otherwise lower learning_rate ({config.learning_rate}) or raise cse_temperature "
                f"({config.cse_temperature})."
            )
        due = number % config.evaluate_every == 0 or number == config.n_epochs
        entropy = self.ranks.first(lambda: self.evaluate(number)) if due else None
        self.history.append(TrainingStep(number, config.n_epochs, losses, entropy, time.perf_counter() - start))
        return self.history[-1]

    def step(self, part: Part) -> tuple[Tensor, EdgeTensors | None]:
        """Train on one subgraph; return its four losses, (4,), and the learned graph."""
        _, anchor, features = part
        if self.fixed is not None and self.fixed.takes(anchor):
            result = self.fixed.step(self, features, anchor)
            if result is not None:
                return result
        self.zero_gradients()
        terms, learned = self.networks(part, self.draws)
        terms.total.backward()
        self.move_weights()
        return values_of(terms), None if learned is None else learned.detach()

    def zero_gradients(self) -> None:
        for optimizer in self.optimizers:
            optimizer.zero_grad(set_to_none=True)

    def move_weights(self) -> None:
        for optimizer in self.optimizers:
            optimizer.step()

    def is_finite(self, loss: Tensor) -> bool:
        """Whether the loss and all weights are numbers."""
        sums = torch.stack([loss.detach(), *(weight.detach().sum() for weight in self.networks.parameters())])
        return bool(sums.isfinite().all())

    def update_anchor(self, parts: list[tuple[Tensor, Pairs]]) -> None:
        """Eq. (13) for the learned graphs of all subgraphs."""
        decay, rescale = self.config.anchor_decay, self.config.rescale_inserted
        if parts and decay < 1:
            self.anchor = update_anchor(self.anchor, parts, decay, self.draws, rescale=rescale)

    def encode(self) -> Tensor:
        """Lorentz points of all vertices, as at evaluation."""
        choice = self.config.encode_on
        edges = evaluation_edges(self.anchor if choice == "anchor" else self.start, choice)
        return self.networks.encoder(self.features, edges)

    def evaluate(self, number: int) -> float | None:
        """Encode, decode and score; keep the best."""
        with torch.no_grad():
            leaves = self.networks.encoder.leaves(self.encode()).double().cpu().numpy()
        decoder = self.config.decoder
        if decoder == "graph":
            tree = decode_graph(leaves, self.graph)
        else:
            tree = decode_single(leaves, spanning="exact" if decoder == "single" else "neighbors")
        entropy = structural_entropy(tree, self.graph) if self.complete is None else self.complete.entropy(tree)
        self.since_best += 1
        if self.best is None or entropy < self.best.entropy:
            self.best = Trained(tree, leaves, number, entropy, self.copy_weights(), self.encoded_on(self.anchor))
            self.best_epoch, self.since_best = number, 0
        return entropy

    def result(self) -> Trained:
        assert self.best is not None
        return replace(self.best, history=list(self.history))

    def encoded_on(self, anchor: EdgeTensors) -> Graph:
        """The graph that leaves were encoded on in the epoch of this anchor."""
        return anchor.to_graph() if self.config.encode_on == "anchor" else self.graph

    def copy_weights(self) -> dict[str, Tensor]:
        return {name: value.detach().cpu().clone() for name, value in self.networks.state_dict().items()}


def subgraphs_per_step(setup: Setup, ranks: Ranks) -> int:
    """How many subgraphs a step takes: as configured, or one for each rank; 1 if an epoch has only one."""
    if count_subgraphs(setup.graph.n_vertices, setup.config.batch_size) == 1:
        return 1
    return setup.config.subgraphs_per_step or ranks.size


def evaluation_edges(edges: EdgeTensors, encode_on: EncodeOn) -> EdgeTensors:
    """The edges as the encoder sees them at evaluation: as they are ("raw"), or normalized."""
    return edges if encode_on == "raw" else edges.normalized()


def torch_generator(random_state: int, purpose: str, device: str = "cpu") -> torch.Generator:
    return torch.Generator(device).manual_seed(int(generator(random_state, purpose).integers(2**62)))


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

    Ranks are averaged, so each of k subgraphs has the weight size / k. A rank without a subgraph in a step repeats the
    step's first one with weight 0; otherwise the others would wait for it.
    """
    steps = []
    for first in range(0, n_subgraphs, per_step):
        count = min(per_step, n_subgraphs - first)
        own = [Share(first + place, size / count) for place in range(rank, count, size)]
        steps.append(own or [Share(first, 0.0)])
    return steps


class DealtSteps:
    """Steps over several subgraphs each, with a generator for each: they do not depend on the number of ranks."""

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

"""One training under way: its epochs, evaluation by decoding, and the best tree so far."""

from __future__ import annotations

import math
import time
from contextlib import nullcontext
from dataclasses import dataclass, field, replace

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
from hypcse.neural.graph_learner import Pairs, update_anchor
from hypcse.neural.subgraphs import count_subgraphs, sample_subgraphs
from hypcse.neural.tensors import EdgeTensors
from hypcse.neural.training.config import TrainingConfig
from hypcse.neural.training.epoch import DealtSteps, train_epoch
from hypcse.neural.training.fixed import FixedSteps, can_be_fixed, warn_if_slow
from hypcse.neural.training.ranks import ALONE, Ranks
from hypcse.neural.training.terms import Losses, Networks, Part, optimizer_of, values_of
from hypcse.tree import Tree


@dataclass(frozen=True, eq=False)
class Setup:
    """Scaled features (n, d), their graph, settings, seed and device: the same setup gives the same training."""

    features: NDArray[np.float32]
    graph: Graph
    config: TrainingConfig
    random_state: int = 0
    device: str = "cpu"


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

    tree, leaves : leaves (n, embed_dim) in the ball on one radius.
    state        : copies of the networks' weights.
    encoded_on   : the graph that the leaves were encoded on, before any normalization.
    history      : at the end of training, one step per epoch.
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

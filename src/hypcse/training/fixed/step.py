"""One step of training whose shapes do not change: what it reads is copied into tensors that stay where they are."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor

from hypcse.graph.matrix import MatrixGraph
from hypcse.graph.tensors import EdgeTensors
from hypcse.training.config import TrainingConfig
from hypcse.training.terms import Networks, losses_of

# Steps before a capture: kernels are compiled and libraries choose theirs.
N_WARM = 3


class CaptureError(RuntimeError):
    """A step that could not be captured. Nothing has been learned by it, and the random numbers are where they were."""


class FixedStep:
    """A step on n vertices and at most `capacity` entries of edges, as full matrices.

    The first steps run as usual on a stream of their own. The next one is captured, and from then on a step is one
    replay. On another device than a GPU nothing is captured.
    """

    def __init__(
        self,
        networks: Networks,
        optimizers: list[torch.optim.Optimizer],
        config: TrainingConfig,
        generator: torch.Generator,
        features: Tensor,
        capacity: int,
    ) -> None:
        self.networks, self.optimizers, self.config, self.generator = networks, optimizers, config, generator
        n, device = len(features), features.device
        self.capacity, self.features = capacity, torch.empty_like(features)
        self.edges = EdgeTensors(
            torch.zeros(2, capacity, dtype=torch.int64, device=device), torch.zeros(capacity, device=device), n
        )
        self.edges.__dict__["pointers"] = torch.zeros(n + 1, dtype=torch.int64, device=device)
        self.losses = torch.zeros(4, device=device)
        self.learned: MatrixGraph | None = None
        if config.learn_graph:
            self.learned = MatrixGraph(torch.zeros(n, n, device=device), torch.ones(n, device=device))
        self.stream = torch.cuda.Stream(device) if device.type == "cuda" else None
        self.graph: torch.cuda.CUDAGraph | None = None
        self.n_taken = 0

    def __call__(self, features: Tensor, edges: EdgeTensors) -> tuple[Tensor, EdgeTensors | None]:
        """Take a step on a subgraph; its four losses, (4,), and the graph that was learned."""
        self._load(features, edges)
        if self.stream is None:
            self._work()
        else:
            with torch.cuda.device(self.features.device):
                self._launch(self.stream)
        self.n_taken += 1
        return self.losses.clone(), None if self.learned is None else self.learned.to_edges()

    def _load(self, features: Tensor, edges: EdgeTensors) -> None:
        """Copy a subgraph in; what it leaves of the entries has weight 0, at (0, 0), where no edge is."""
        m = edges.weight.numel()
        self.features.copy_(features)
        self.edges.index[:, :m], self.edges.index[:, m:] = edges.index, 0
        self.edges.weight[:m], self.edges.weight[m:] = edges.weight, 0
        self.edges.pointers.copy_(edges.pointers)

    def _launch(self, stream: torch.cuda.Stream) -> None:
        if self.graph is None and self.n_taken >= N_WARM:
            self.graph = self._captured(stream)
        if self.graph is not None:
            self.graph.replay()
            return
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            self._work()
        torch.cuda.current_stream().wait_stream(stream)

    def _captured(self, stream: torch.cuda.Stream) -> torch.cuda.CUDAGraph:
        # A capture that fails leaves its stream the current one, and the generator believing that it goes on.
        drawn, current = self.generator.clone_state(), torch.cuda.current_stream()
        try:
            return self._capture(stream)
        except RuntimeError as error:
            torch.cuda.set_stream(current)
            self.generator.graphsafe_set_state(drawn)
            for optimizer in self.optimizers:
                optimizer.zero_grad(set_to_none=True)
            raise CaptureError((str(error) or type(error).__name__).splitlines()[0].rstrip(".")) from error

    def _capture(self, stream: torch.cuda.Stream) -> torch.cuda.CUDAGraph:
        graph = torch.cuda.CUDAGraph()
        # A replay then draws on where the generator is, and moves it as the step itself would.
        graph.register_generator_state(self.generator)
        # Other threads of the program may use the device meanwhile.
        recording = torch.cuda.graph(graph, stream=stream, capture_error_mode="thread_local")
        with _capturable(self.optimizers), recording:
            self._work()
        return graph

    def _work(self) -> None:
        """Losses, gradients and the optimisers' step; nothing in it waits, and no shape depends on what is read."""
        for optimizer in self.optimizers:
            optimizer.zero_grad(set_to_none=True)
        anchor = MatrixGraph.from_edges(self.edges)
        terms, learned, _ = losses_of(self.networks, self.features, anchor, self.config, self.generator)
        terms.total.backward()
        for optimizer in self.optimizers:
            optimizer.step()
        self.losses.copy_(torch.stack([term.detach() for term in terms]))
        if self.learned is not None:
            assert isinstance(learned, MatrixGraph)
            self.learned.matrix.copy_(learned.matrix.detach())
            self.learned.scale.copy_(learned.scale.detach())


@contextmanager
def _capturable(optimizers: list[torch.optim.Optimizer]) -> Iterator[None]:
    """The fused optimiser counts its steps on the device and can be captured; it wants to be told so."""
    groups = [group for optimizer in optimizers for group in optimizer.param_groups]
    kept = [group["capturable"] for group in groups]
    try:
        for group in groups:
            group["capturable"] = True
        yield
    finally:
        for group, value in zip(groups, kept, strict=True):
            group["capturable"] = value

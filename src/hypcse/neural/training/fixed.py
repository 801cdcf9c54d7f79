"""Steps of one fixed shape on a GPU, captured once and then replayed as one launch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor

from hypcse._checks import warn
from hypcse.neural.backend import kernel_form, missing_on
from hypcse.neural.tensors import EdgeTensors, MatrixGraph
from hypcse.neural.training.config import TrainingConfig
from hypcse.neural.training.terms import losses_of, values_of

if TYPE_CHECKING:
    from hypcse.neural.training.run import Run

# Steps before a capture: kernels are compiled and libraries choose theirs.
N_WARM = 3
# Vertices from which products of full matrices cost more than the launches that they save.
MAX_VERTICES = 4096
# Matrices (n, n) in single precision that a captured step may hold.
N_MATRICES = 64
# Room beyond the entries of the first subgraph, and what it is rounded up to.
ROOM, STRIDE = 1.25, 1024


def warn_if_slow(device: torch.device) -> None:
    """Warn if a training on a GPU takes the plain form of the losses."""
    missing = missing_on(device) if device.type == "cuda" else ""
    if missing:
        warn(
            f"the training on the GPU uses slower losses, because its kernels need {missing}. "
            "Install what is missing, or use device='cpu'."
        )


def can_be_fixed(features: Tensor, config: TrainingConfig) -> bool:
    """Whether a training can take steps of fixed shapes: on a GPU with Triton, with everything in full matrices."""
    return features.is_cuda and kernel_form(features) == "triton" and config.aggregation == "mean"


class CaptureError(RuntimeError):
    """A step that could not be captured. Nothing has been learned by it, and the random numbers are where they were."""


class FixedStep:
    """A step on n vertices and at most `capacity` entries of edges: a few as usual, then one captured and replayed."""

    def __init__(self, run: Run, features: Tensor, capacity: int) -> None:
        n, device = len(features), features.device
        self.capacity, self.features = capacity, torch.empty_like(features)
        self.edges = EdgeTensors(
            torch.zeros(2, capacity, dtype=torch.int64, device=device), torch.zeros(capacity, device=device), n
        )
        self.edges.__dict__["pointers"] = torch.zeros(n + 1, dtype=torch.int64, device=device)
        self.losses = torch.zeros(4, device=device)
        self.learned: MatrixGraph | None = None
        if run.config.learn_graph:
            self.learned = MatrixGraph(torch.zeros(n, n, device=device), torch.ones(n, device=device))
        self.stream = torch.cuda.Stream(device) if device.type == "cuda" else None
        self.graph: torch.cuda.CUDAGraph | None = None
        self.n_taken = 0

    def __call__(self, run: Run, features: Tensor, edges: EdgeTensors) -> tuple[Tensor, EdgeTensors | None]:
        """Take a step on a subgraph; return its four losses, (4,), and the learned graph."""
        # Spare entries have weight 0, at (0, 0), where no edge is.
        m = edges.weight.numel()
        self.features.copy_(features)
        self.edges.index[:, :m], self.edges.index[:, m:] = edges.index, 0
        self.edges.weight[:m], self.edges.weight[m:] = edges.weight, 0
        self.edges.pointers.copy_(edges.pointers)
        if self.stream is None:
            self._work(run)
        else:
            with torch.cuda.device(self.features.device):
                self._launch(run, self.stream)
        self.n_taken += 1
        return self.losses.clone(), None if self.learned is None else self.learned.to_edges()

    def _launch(self, run: Run, stream: torch.cuda.Stream) -> None:
        if self.graph is None and self.n_taken >= N_WARM:
            self.graph = self._capture(run, stream)
        if self.graph is not None:
            self.graph.replay()
            return
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            self._work(run)
        torch.cuda.current_stream().wait_stream(stream)

    def _capture(self, run: Run, stream: torch.cuda.Stream) -> torch.cuda.CUDAGraph:
        graph, groups = torch.cuda.CUDAGraph(), [group for each in run.optimizers for group in each.param_groups]
        drawn, current = run.draws.clone_state(), torch.cuda.current_stream()
        try:
            # A replay then draws on where the generator is, and moves it as the step itself would.
            graph.register_generator_state(run.draws)
            # Fused optimizers can be captured, for they count their steps on the device; torch wants to be told.
            for group in groups:
                group["capturable"] = True
            # Other threads of the program may use the device meanwhile.
            with torch.cuda.graph(graph, stream=stream, capture_error_mode="thread_local"):
                self._work(run)
        except RuntimeError as error:
            # A capture that fails leaves its stream the current one, and the generator believing that it goes on.
            torch.cuda.set_stream(current)
            run.draws.graphsafe_set_state(drawn)
            run.zero_gradients()
            raise CaptureError((str(error) or type(error).__name__).splitlines()[0].rstrip(".")) from error
        finally:
            for group in groups:
                group["capturable"] = False
        return graph

    def _work(self, run: Run) -> None:
        """Losses, gradients and the optimizers' step; nothing in it waits, and no shape depends on what is read."""
        run.zero_gradients()
        anchor = MatrixGraph.from_edges(self.edges)
        terms, learned, _ = losses_of(run.networks, self.features, anchor, run.draws)
        terms.total.backward()
        run.move_weights()
        self.losses.copy_(values_of(terms))
        if self.learned is not None:
            assert isinstance(learned, MatrixGraph)
            self.learned.matrix.copy_(learned.matrix.detach())
            self.learned.scale.copy_(learned.scale.detach())


class FixedSteps:
    """The fixed steps of one training, by their number of vertices."""

    def __init__(self) -> None:
        self.by_size: dict[int, FixedStep] = {}
        self.failed = False

    def takes(self, anchor: EdgeTensors) -> bool:
        """Whether a subgraph has edges, and is of a size that is known or small enough."""
        n = anchor.n_vertices
        # Without an edge there is no entropy, and with fewer than three vertices losses take other forms.
        if self.failed or not anchor.weight.numel():
            return False
        if n in self.by_size:
            return True
        if not 3 <= n <= MAX_VERTICES:
            return False
        device = anchor.weight.device
        return device.type != "cuda" or torch.cuda.mem_get_info(device)[0] > N_MATRICES * 4 * n * n

    def step(self, run: Run, features: Tensor, anchor: EdgeTensors) -> tuple[Tensor, EdgeTensors | None] | None:
        """A step on a subgraph; None, and no step taken from then on, if it could not be captured."""
        n, m = anchor.n_vertices, anchor.weight.numel()
        if n not in self.by_size or m > self.by_size[n].capacity:
            self.by_size[n] = FixedStep(run, features, STRIDE * (int(ROOM * m) // STRIDE + 1))
        try:
            return self.by_size[n](run, features, anchor)
        except CaptureError as error:
            self.failed = True
            self.by_size.clear()
            warn(f"a training step could not be captured as a CUDA graph: {error}; the training goes on more slowly.")
            return None

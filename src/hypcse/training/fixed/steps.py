"""Which steps are taken in a fixed shape, and those taken so far."""

from __future__ import annotations

import torch
from torch import Tensor

from hypcse._backend import kernel_form
from hypcse._checks import warn
from hypcse.graph.tensors import EdgeTensors
from hypcse.training.config import TrainingConfig
from hypcse.training.fixed.step import CaptureError, FixedStep
from hypcse.training.terms import Networks

# Vertices from which products of full matrices cost more than the launches that they save.
MAX_VERTICES = 4096
# Numbers of vertices for which steps are kept; an epoch has two, that of most subgraphs and that of the last.
MAX_SHAPES = 4
# Matrices (n, n) in single precision that a captured step may hold.
N_MATRICES = 64
# Room beyond the entries of the first subgraph, and what it is rounded up to.
ROOM, STRIDE = 1.25, 1024


def can_be_fixed(features: Tensor, config: TrainingConfig) -> bool:
    """Whether a training can take steps of fixed shapes: on a GPU with Triton, with everything in full matrices."""
    return features.is_cuda and kernel_form(features) == "triton" and config.aggregation == "mean"


class FixedSteps:
    """The fixed steps of one training, by their number of vertices."""

    def __init__(
        self,
        networks: Networks,
        optimizers: list[torch.optim.Optimizer],
        config: TrainingConfig,
        generator: torch.Generator,
    ) -> None:
        self.networks, self.optimizers, self.config, self.generator = networks, optimizers, config, generator
        self.by_size: dict[int, FixedStep] = {}
        self.failed = False

    def takes(self, anchor: EdgeTensors) -> bool:
        """Whether a subgraph is small enough, and of a size that is known or one of the first."""
        n = anchor.n_vertices
        # Without an edge there is no entropy, and with fewer than three vertices losses take other forms.
        if self.failed or not anchor.weight.numel():
            return False
        if n in self.by_size:
            return True
        if not 3 <= n <= MAX_VERTICES or len(self.by_size) >= MAX_SHAPES:
            return False
        device = anchor.weight.device
        return device.type != "cuda" or torch.cuda.mem_get_info(device)[0] > N_MATRICES * 4 * n * n

    def step(self, features: Tensor, anchor: EdgeTensors) -> tuple[Tensor, EdgeTensors | None] | None:
        """A step on a subgraph; a step with more room is made where its edges have become too many.

        None, and no step taken, if it could not be captured. All further subgraphs are then left to others.
        """
        n, m = anchor.n_vertices, anchor.weight.numel()
        known = self.by_size.get(n)
        if known is None or m > known.capacity:
            capacity = STRIDE * (int(ROOM * m) // STRIDE + 1)
            known = FixedStep(self.networks, self.optimizers, self.config, self.generator, features, capacity)
            self.by_size[n] = known
        try:
            return known(features, anchor)
        except CaptureError as error:
            self.failed = True
            self.by_size.clear()
            warn(f"a training step could not be captured as a CUDA graph: {error}; the training goes on more slowly.")
            return None

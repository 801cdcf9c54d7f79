"""Augmentation of a view: edges left out and features masked."""

from __future__ import annotations

import torch
from torch import Tensor

from hypcse.graph.tensors import EdgeTensors


def drop_edges(edges: EdgeTensors, rate: float, generator: torch.Generator) -> EdgeTensors:
    """The graph without each of its edges with probability `rate`, both directions together; weights are kept."""
    ends, weight = edges.once()
    kept = ~draw_events("rate", rate, weight, generator)
    return EdgeTensors.from_pairs(ends[:, kept], weight[kept], edges.n_vertices)


def mask_features(x: Tensor, rate: float, generator: torch.Generator) -> Tensor:
    """x (n, d) with each column set to 0 with probability `rate`.

    >>> mask_features(torch.ones(1, 6), 0.5, torch.Generator().manual_seed(0)).tolist()
    [[0.0, 1.0, 0.0, 0.0, 0.0, 1.0]]
    """
    return x.masked_fill(draw_events("rate", rate, x[0], generator), 0.0)


def draw_events(name: str, chance: float, like: Tensor, generator: torch.Generator) -> Tensor:
    """For each entry of `like` whether an event of probability `chance` happened, on its device.

    The generator may live elsewhere: one on the CPU draws the same for every device.
    """
    if not 0 <= chance <= 1:
        raise ValueError(f"{name}={chance} must lie between 0 and 1, both included.")
    uniform = torch.rand(like.shape, generator=generator, device=generator.device)
    return (uniform < chance).to(like.device)

"""New points in the ball, by a trained encoder."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from hypcse.graph import Graph
from hypcse.graph.links import Links
from hypcse.neural.training.config import TrainingConfig
from hypcse.neural.training.run import evaluation_edges
from hypcse.neural.training.terms import Networks

# Rows encoded at a time, always so many: a matrix product may round by its number of rows.
BLOCK = 256
# Beyond this the linear map has reached its limit, which depends on the direction alone, and squares leave float32.
FAR = 1e15


@dataclass(frozen=True, eq=False)
class Encoding:
    """A trained encoder with the points and the graph that it encodes.

    state, config : of the networks, see `Trained`.
    features      : (n, d) the scaled training points; graph : the graph that they are encoded on.
    """

    state: dict[str, Tensor]
    config: TrainingConfig
    features: NDArray[np.float32]
    graph: Graph


def place_points(
    encoding: Encoding,
    features: NDArray[np.float32],
    links: Links,
    device: str = "cpu",
    *,
    leaves: bool = True,
) -> NDArray[np.float64]:
    """Leaves (m, embed_dim) in the ball, on the training radius, of new points (m, d) with their links.

    With `leaves` off, points (m, embed_dim + 1) of the hyperboloid. The training points are encoded as at evaluation
    and see no new point, so that a point's place depends neither on the other new points nor on their order.
    O(n + edges) a call and O(k) a point.
    """
    networks = Networks(features.shape[1], encoding.config, torch.Generator())
    networks.load_state_dict(encoding.state)
    encoder = networks.to(device).encoder
    choice = encoding.config.encode_on
    edges = evaluation_edges(encoding.graph.to_tensors().to(device), choice)
    weights = _link_weights(links, encoding.graph, normalised=choice != "raw")
    within = features * np.minimum(1, FAR / np.abs(features).max(axis=1, keepdims=True, initial=1))
    blocks = []
    with torch.no_grad():
        sources = encoder.sources(_tensor(encoding.features, device), edges)
        for start in range(0, len(features), BLOCK):
            part = slice(start, start + BLOCK)
            block = (_filled(table[part], device) for table in (within, links.indices, weights))
            points = encoder.extend(sources, *block)
            blocks.append((encoder.leaves(points) if leaves else points).double().cpu().numpy())
    return np.concatenate(blocks)[: len(features)]


def _link_weights(links: Links, graph: Graph, normalised: bool) -> NDArray[np.float32]:
    """w_j, or w_j / sqrt(d_j) with the degree of the neighbour; of sum 1, which the way to the hyperboloid allows.

    The factor 1 / sqrt(d) of the new point itself is lost there. A neighbour without edges has the link alone.
    """
    weights = links.weights
    if normalised:
        degrees = graph.edge_degrees[links.indices]
        weights = weights / np.sqrt(np.where(degrees > 0, degrees, weights))
    return (weights / weights.sum(axis=1, keepdims=True)).astype(np.float32)


def _filled(rows: NDArray[np.generic], device: str) -> Tensor:
    """The rows with zeros after them, BLOCK in all."""
    block = np.zeros((BLOCK, *rows.shape[1:]), rows.dtype)
    block[: len(rows)] = rows
    return _tensor(block, device)


def _tensor(array: NDArray[np.generic], device: str) -> Tensor:
    return torch.from_numpy(np.array(array)).to(device)

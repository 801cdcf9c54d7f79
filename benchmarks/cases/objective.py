"""The objective of training: continuous structural entropy, from leaves to their gradient."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.case import Rng, Workload, case

# As in the paper's subgraphs: 2,048 vertices and about 14,000 edges in 16 dimensions, at the largest radius.
EDGES_PER_VERTEX = 14_000 / 2_048
N_FEATURES = 16
RADIUS = 0.999


@case(sizes=(512, 2_048), growth="n m", peer="the three-way softmax of Eq. (9) in plain torch", max_growth=120.0)
def cse_gradient(n_vertices: int, rng: Rng) -> Workload:
    """Value and gradient of continuous structural entropy, 7 edges a vertex."""
    return _beside(_plain_cse, "the peer holds its arrays of (edges x vertices x 3)", n_vertices, rng)


@case(sizes=(512, 2_048), growth="n m", peer="the same, chunk by chunk in torch", max_growth=120.0)
def cse_gradient_chunked(n_vertices: int, rng: Rng) -> Workload:
    """`cse_gradient` beside the package's own reference, which takes little memory."""
    from hypcse.neural.losses.cse import cse_loss_reference

    note = "the peer computes its chunks again in the backward pass"
    return _beside(cse_loss_reference, note, n_vertices, rng)


def _beside(peer: Callable[..., Any], note: str, n_vertices: int, rng: Rng) -> Workload:
    """The compiled loss and another form of it on the same random graph."""
    import torch

    from hypcse.neural.losses.cse import cse_loss

    directions = torch.from_numpy(rng.standard_normal((n_vertices, N_FEATURES), np.float32))
    edges, weights = (torch.from_numpy(array) for array in _random_edges(n_vertices, rng))
    given = directions, edges, weights
    return Workload(
        run=lambda: _gradient(cse_loss, *given),
        peer=lambda: _gradient(peer, *given),
        note=f"float32, temperature 1; {note}",
        facts=_facts,
        peer_facts=_facts,
    )


def _plain_cse(leaves: Any, edges: Any, weights: Any, temperature: float) -> Any:
    """Eq. (8) and (9) as one would write them down in torch, all edges at once."""
    import torch

    from hypcse.neural.geometry import lca_depth

    depth, (i, j), n_vertices = lca_depth(leaves), edges, len(leaves)
    volumes = leaves.new_zeros(n_vertices).index_add(0, edges.flatten(), weights.repeat(2))
    joint = depth[i, j].unsqueeze(1).expand(-1, n_vertices)
    shares = torch.softmax(-torch.stack([joint, depth[i], depth[j]], dim=-1) / temperature, dim=-1)[..., 0]
    others = torch.ones_like(shares).scatter(1, edges.T, 0)
    inside = volumes[i] + volumes[j] + (shares * others) @ volumes
    return 2 / volumes.sum() * torch.dot(weights, torch.log2(inside))


def _random_edges(n_vertices: int, rng: Rng) -> tuple[Any, Any]:
    """Different random pairs (2, m), each once, and their weights."""
    n_edges = round(EDGES_PER_VERTEX * n_vertices)
    pairs = rng.choice(n_vertices * (n_vertices - 1) // 2, n_edges, replace=False)
    second = np.floor((1 + np.sqrt(1 + 8.0 * pairs)) / 2).astype(np.int64)
    first = pairs - second * (second - 1) // 2
    return np.stack([first, second]), rng.random(n_edges, np.float32)


def _gradient(loss: Callable[..., Any], directions: Any, edges: Any, weights: Any) -> tuple[float, float]:
    """The loss and the length of its gradient by the directions."""
    from hypcse.neural.geometry import on_sphere

    given = directions.clone().requires_grad_()
    value = loss(on_sphere(given, RADIUS), edges, weights, 1.0)
    value.backward()
    return value.item(), given.grad.norm().item()


def _facts(found: tuple[float, float]) -> dict[str, float]:
    return {"loss": found[0], "gradient": found[1]}

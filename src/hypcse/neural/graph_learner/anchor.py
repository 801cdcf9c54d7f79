"""The anchor graph takes in the learned graph, edge by edge."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from hypcse.neural.graph_learner.learner import draw_events
from hypcse.neural.graphs.tensors import EdgeTensors

Pairs = tuple[Tensor, Tensor]
"""Ends (2, k) and weights (k,) of edges."""


def update_anchor(
    anchor: EdgeTensors,
    parts: Sequence[tuple[Tensor, Pairs]],
    decay: float,
    generator: torch.Generator,
    *,
    rescale: bool = True,
) -> EdgeTensors:
    """E_a <- S_tau(E_a) + S_(1 - tau)(E_l), with tau the `decay` and S_p a sample of edges at rate p.

    Paper: Eq. (13), on average Eq. (28), for the learned graphs of disjoint subgraphs all at once: `parts` holds the
    vertices of each and the `proposed_pairs` of its learned graph. Every edge is drawn by itself: those of the anchor
    stay with probability `decay`, those of a learned graph come in with probability 1 - `decay`. An edge of both is
    drawn once, for one or for the other, so it stays, with the anchor's weight: the expected number of edges is exactly
    tau |E_a| + (1 - tau) |E_l|. Anchor edges that leave a subgraph stay. With `rescale` an inserted edge carries its
    learned weight times the ratio of the two graphs' mean weights; otherwise the learned weight itself. No gradient
    passes. O(m log m).
    """
    home = _part_of_vertex(anchor, [vertices for vertices, _ in parts])
    old, old_weight = anchor.detach().once()
    inside = (home[old[0]] == home[old[1]]) & (home[old[0]] >= 0)
    new = torch.cat([anchor.index[:, :0], *(ends for _, (ends, _) in parts)], dim=1)
    new_weight = torch.cat([old_weight[:0], *(weight.to(old_weight.dtype) for _, (_, weight) in parts)])
    stays = draw_events(decay, old_weight, generator)
    enters = ~draw_events(decay, new_weight, generator)
    if rescale and old_weight.numel():
        new_weight = new_weight * (old_weight.mean() / new_weight.mean())
    old_keys, new_keys = _keys(old, anchor.n_vertices), _keys(new, anchor.n_vertices)
    stays |= ~inside | _among(old_keys, new_keys.sort().values)
    enters &= ~_among(new_keys, old_keys)
    ends = torch.cat([old[:, stays], new[:, enters]], dim=1)
    return EdgeTensors.from_pairs(ends, torch.cat([old_weight[stays], new_weight[enters]]), anchor.n_vertices)


def proposed_pairs(learned: EdgeTensors, vertices: Tensor) -> Pairs:
    """The edges of a learned graph, each once, between vertices of the anchor."""
    pairs, weight = learned.detach().once()
    return vertices[pairs], weight


def _part_of_vertex(anchor: EdgeTensors, vertex_sets: Sequence[Tensor]) -> Tensor:
    """(n,) number of the part that holds each vertex, -1 where none does."""
    home = torch.full((anchor.n_vertices,), -1, device=anchor.index.device)
    for number, vertices in enumerate(vertex_sets):
        home[vertices] = number
    return home


def _keys(ends: Tensor, n_vertices: int) -> Tensor:
    """One number for each pair, whatever its direction."""
    return torch.minimum(ends[0], ends[1]) * n_vertices + torch.maximum(ends[0], ends[1])


def _among(keys: Tensor, ordered: Tensor) -> Tensor:
    """Whether each key is one of the ascending ones; several times faster here than `torch.isin`, which sorts both."""
    if ordered.numel() == 0:
        return torch.zeros_like(keys, dtype=torch.bool)
    place = torch.searchsorted(ordered, keys).clamp(max=ordered.numel() - 1)
    return ordered[place] == keys

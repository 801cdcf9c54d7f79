"""The anchor graph takes in the learned graph, edge by edge."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from hypcse.graph.tensors import EdgeTensors
from hypcse.structure.augment import draw_events


def update_anchor(
    anchor: EdgeTensors, learned: EdgeTensors, decay: float, generator: torch.Generator, *, rescale: bool = True
) -> EdgeTensors:
    """E_a <- S_tau(E_a) + S_(1 - tau)(E_l), with tau the `decay` and S_p a sample of edges at rate p.

    Paper: Eq. (13). Every edge is drawn by itself: those of the anchor stay with probability `decay`, those of the
    learned graph come in with probability 1 - `decay`. An edge of both is drawn once, for one or for the other, so it
    stays, with the anchor's weight: the expected number of edges is exactly tau |E_a| + (1 - tau) |E_l|. With
    `rescale` an inserted edge carries its learned weight times the ratio of the two graphs' mean weights; otherwise
    the learned weight itself. No gradient passes. O(m log m). With `decay` = 1 the anchor itself is returned.
    """
    everyone = torch.arange(anchor.n_vertices, device=anchor.index.device)
    return update_anchor_part(anchor, learned, everyone, decay, generator, rescale=rescale)


def update_anchor_part(
    anchor: EdgeTensors,
    learned: EdgeTensors,
    vertices: Tensor,
    decay: float,
    generator: torch.Generator,
    *,
    rescale: bool = True,
) -> EdgeTensors:
    """`update_anchor` by a learned graph on a subgraph, whose vertex k is vertex `vertices[k]` of the anchor.

    Anchor edges with an end outside the subgraph stay.
    """
    return update_anchor_parts(anchor, [(learned, vertices)], decay, generator, rescale=rescale)


def update_anchor_parts(
    anchor: EdgeTensors,
    parts: Sequence[tuple[EdgeTensors, Tensor]],
    decay: float,
    generator: torch.Generator,
    *,
    rescale: bool = True,
) -> EdgeTensors:
    """`update_anchor_part` by the learned graphs of several disjoint subgraphs, (graph, vertices) each.

    An epoch's subgraphs together cost O(m log m), where one after the other each would copy the whole anchor.
    """
    for learned, vertices in parts:
        if vertices.shape != (learned.n_vertices,):
            raise ValueError(
                f"a learned graph of {learned.n_vertices} vertices came with ids of shape {tuple(vertices.shape)}. "
                "Pass one id of the anchor for each of its vertices."
            )
    pairs = [proposed_pairs(learned, vertices) for learned, vertices in parts]
    return update_anchor_pairs(anchor, pairs, [vertices for _, vertices in parts], decay, generator, rescale=rescale)


def proposed_pairs(learned: EdgeTensors, vertices: Tensor) -> tuple[Tensor, Tensor]:
    """Ends (2, k), as vertices of the anchor, and weights (k,) of the edges of a learned graph, each once."""
    pairs, weight = learned.detach().once()
    return vertices[pairs], weight


def update_anchor_pairs(
    anchor: EdgeTensors,
    pairs: Sequence[tuple[Tensor, Tensor]],
    vertex_sets: Sequence[Tensor],
    decay: float,
    generator: torch.Generator,
    *,
    rescale: bool = True,
) -> EdgeTensors:
    """`update_anchor_parts` by the `proposed_pairs` of each subgraph, and the vertices of each."""
    home = _part_of_vertex(anchor, vertex_sets)
    old, old_weight = anchor.detach().once()
    inside = (home[old[0]] == home[old[1]]) & (home[old[0]] >= 0)
    new = torch.cat([anchor.index[:, :0], *(ends for ends, _ in pairs)], dim=1)
    new_weight = torch.cat([old_weight[:0], *(weight.to(old_weight.dtype) for _, weight in pairs)])
    stays = draw_events("decay", decay, old_weight, generator)
    enters = ~draw_events("decay", decay, new_weight, generator)
    if decay == 1:
        return anchor
    if rescale and old_weight.numel():
        new_weight = new_weight * (old_weight.mean() / new_weight.mean())
    old_keys, new_keys = _keys(old, anchor.n_vertices), _keys(new, anchor.n_vertices)
    kept = stays | ~inside | _among(old_keys, new_keys.sort().values)
    inserted = enters & ~_among(new_keys, old_keys)
    ends = torch.cat([old[:, kept], new[:, inserted]], dim=1)
    return EdgeTensors.from_pairs(ends, torch.cat([old_weight[kept], new_weight[inserted]]), anchor.n_vertices)


def dense_update(anchor: EdgeTensors, learned: EdgeTensors, decay: float) -> Tensor:
    """A_a <- tau A_a + (1 - tau) A_l, (n, n): what the sampled update is on average, for unit weights.

    Paper: Eq. (28). It fills up within a few epochs, so it serves as the reference for small graphs only.
    """
    return decay * anchor.to_dense() + (1 - decay) * learned.to_dense()


def _part_of_vertex(anchor: EdgeTensors, vertex_sets: Sequence[Tensor]) -> Tensor:
    """(n,) number of the part that holds each vertex, -1 where none does."""
    home = torch.full((anchor.n_vertices,), -1, device=anchor.index.device)
    for number, vertices in enumerate(vertex_sets):
        home[vertices] = number
    if sum(vertices.numel() for vertices in vertex_sets) != int((home >= 0).sum()):
        raise ValueError("a vertex appears twice among the subgraphs. Pass disjoint sets of distinct vertices.")
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

"""One epoch: every vertex once, in subgraphs, two views of each."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from hypcse.encoder import Encoder, Projector
from hypcse.graph.tensors import EdgeTensors
from hypcse.hyperbolic.poincare import to_lorentz
from hypcse.objective import LossWeights, centroid_loss, contrastive_loss, cse_loss, total_loss
from hypcse.structure import GraphLearner, drop_edges, learned_graph, mask_features, update_anchor_parts
from hypcse.training.ahead import prefetch
from hypcse.training.config import TrainingConfig

AddedLoss = Callable[[Tensor, Tensor], Tensor | None]
"""A loss of Lorentz points and the vertices they stand for."""


class Networks(nn.Module):
    """The encoder f, the projector h and the graph learner g."""

    def __init__(self, n_features: int, config: TrainingConfig, generator: torch.Generator) -> None:
        super().__init__()
        model = config.model
        self.encoder = Encoder(
            n_features,
            model.hidden_dim,
            model.embed_dim,
            generator,
            dropout=model.dropout,
            aggregation=model.aggregation,
        )
        self.projector = Projector(model.embed_dim, model.projection_dim, generator)
        self.learner = GraphLearner(n_features, model.learner)


@dataclass(frozen=True)
class Losses:
    """Means of the terms of Eq. (17) over an epoch."""

    cse: float
    contrast: float
    centroid: float
    total: float


def train_epoch(
    networks: Networks,
    optimizers: Iterable[torch.optim.Optimizer],
    features: Tensor,
    anchor: EdgeTensors,
    vertex_sets: Iterable[Tensor],
    config: TrainingConfig,
    generator: torch.Generator,
    added: AddedLoss | None = None,
) -> tuple[EdgeTensors, Losses]:
    """Train on each subgraph once and update the anchor; the new anchor and the mean losses.

    `added` is a loss on the points of a subgraph that the total takes in, or None where there is none.

    When a loss or a weight is no longer a number the epoch ends there, the anchor as it was and the losses NaN.
    """
    optimizers = list(optimizers)
    learned_parts: list[tuple[EdgeTensors, Tensor]] = []
    # A GPU is not waited for until the epoch is over.
    later = features.is_cuda
    sums, n_vertices = torch.zeros(4, device=features.device if later else "cpu"), 0
    for vertices, part, own in _parts(features, anchor, vertex_sets):
        terms, learned, points = _losses(networks, own, part, config, generator)
        more = None if added is None else added(points, vertices)
        if more is not None:
            terms = (*terms[:3], terms[3] + more)
        for optimizer in optimizers:
            optimizer.zero_grad(set_to_none=True)
        terms[3].backward()
        for optimizer in optimizers:
            optimizer.step()
        if not later and not _is_finite(networks, terms[3]):
            return anchor, Losses(math.nan, math.nan, math.nan, math.nan)
        sums += vertices.numel() * torch.stack([term.detach() for term in terms]).to(sums.device)
        n_vertices += vertices.numel()
        if learned is not None:
            learned_parts.append((learned.detach(), vertices))
    if later and not _is_finite(networks, sums[3]):
        return anchor, Losses(math.nan, math.nan, math.nan, math.nan)
    structure = config.structure
    if learned_parts and structure.anchor_decay < 1:
        anchor = update_anchor_parts(
            anchor, learned_parts, structure.anchor_decay, generator, rescale=structure.rescale_inserted
        )
    return anchor, Losses(*(sums / n_vertices).tolist())


def _parts(
    features: Tensor, anchor: EdgeTensors, vertex_sets: Iterable[Tensor]
) -> Iterator[tuple[Tensor, EdgeTensors, Tensor]]:
    """Vertices, graph and features of each subgraph; the next is cut out while one is trained on."""

    def cut_out(vertices: Tensor) -> tuple[Tensor, EdgeTensors, Tensor]:
        return vertices, anchor.subgraph(vertices), features[vertices]

    sets = list(vertex_sets)
    if len(sets) == 1 and sets[0].numel() == anchor.n_vertices:
        return iter([(sets[0], anchor, features)])
    return prefetch(cut_out, sets)


def _is_finite(networks: Networks, loss: Tensor) -> bool:
    """Whether the loss and all weights are numbers."""
    sums = torch.stack([loss.detach(), *(parameter.detach().sum() for parameter in networks.parameters())])
    return bool(sums.isfinite().all())


def _losses(
    networks: Networks, features: Tensor, anchor: EdgeTensors, config: TrainingConfig, generator: torch.Generator
) -> tuple[tuple[Tensor, Tensor, Tensor, Tensor], EdgeTensors | None, Tensor]:
    """CSE, contrastive, centroid and total loss of a subgraph, the graph that the learner proposes, and the points."""
    structure, loss = config.structure, config.loss
    learned = _proposed(networks, features, anchor, config)
    points = _encode_view(networks, features, anchor, structure.mask_anchor, config, generator)
    leaves = networks.encoder.leaves(points)
    ends, weights = anchor.normalized().once()
    cse = cse_loss(leaves, ends, weights, loss.cse_temperature)
    centroid = centroid_loss(to_lorentz(leaves))
    contrast = cse.new_zeros(())
    if loss.contrast_weight > 0 and len(features) > 1:
        second = anchor if learned is None else learned
        other = _encode_view(networks, features, second, structure.mask_learner, config, generator)
        contrast = contrastive_loss(
            networks.projector(points, generator),
            networks.projector(other, generator),
            loss.contrast_temperature,
            include_positive=loss.include_positive or len(features) < 3,
        )
    weighting = LossWeights(loss.contrast_weight, loss.centroid_weight)
    return (cse, contrast, centroid, total_loss(cse, contrast, centroid, weighting)), learned, points


def _proposed(networks: Networks, features: Tensor, anchor: EdgeTensors, config: TrainingConfig) -> EdgeTensors | None:
    """The learner's graph; without contrast nothing trains the learner, so no gradient is kept."""
    if not config.structure.learn_graph or len(features) < 2:
        return None
    model = config.model
    with torch.set_grad_enabled(config.loss.contrast_weight > 0):
        embeddings = networks.learner(features, anchor)
        return learned_graph(embeddings, model.learner_neighbors, model.learner_similarity)


def _encode_view(
    networks: Networks,
    features: Tensor,
    edges: EdgeTensors,
    mask: float,
    config: TrainingConfig,
    generator: torch.Generator,
) -> Tensor:
    """Lorentz points of an augmented view: edges dropped, columns masked, inputs dropped."""
    dropped = drop_edges(edges, config.structure.edge_drop, generator).normalized()
    return networks.encoder(mask_features(features, mask, generator), dropped, generator)

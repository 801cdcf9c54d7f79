"""The networks, and the terms of the objective on one subgraph."""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor, nn

from hypcse.encoder import Encoder, Projector
from hypcse.encoder.encoder import RADIUS_LIMITS
from hypcse.graph.matrix import MatrixGraph
from hypcse.graph.tensors import EdgeTensors
from hypcse.hyperbolic.poincare import to_lorentz
from hypcse.objective import LossWeights, centroid_loss, contrastive_loss, cse_loss, total_loss
from hypcse.structure import GraphLearner, drop_edges, learned_graph, mask_features
from hypcse.structure.dense import drop_pairs, learned_matrix
from hypcse.training.config import TrainingConfig

AnyGraph = EdgeTensors | MatrixGraph
# The depth of leaves on the largest radius.
_DEEPEST = 2 * math.atanh(RADIUS_LIMITS[1])


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


class Terms(NamedTuple):
    """CSE, contrastive, centroid and total loss of a subgraph."""

    cse: Tensor
    contrast: Tensor
    centroid: Tensor
    total: Tensor


def losses_of(
    networks: Networks, features: Tensor, anchor: AnyGraph, config: TrainingConfig, generator: torch.Generator
) -> tuple[Terms, AnyGraph | None, Tensor]:
    """The terms on a subgraph, the graph that the learner proposes, in the form of the anchor, and the points."""
    structure, loss = config.structure, config.loss
    learned = _proposed(networks, features, anchor, config)
    points = _encode_view(networks, features, anchor, structure.mask_anchor, config, generator)
    leaves = networks.encoder.leaves(points)
    cse = _entropy(leaves, anchor, loss.cse_temperature)
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
    return Terms(cse, contrast, centroid, total_loss(cse, contrast, centroid, weighting)), learned, points


def _entropy(leaves: Tensor, anchor: AnyGraph, temperature: float) -> Tensor:
    """Continuous structural entropy of the normalised anchor."""
    if isinstance(anchor, EdgeTensors):
        ends, weights = anchor.normalized().once()
        return cse_loss(leaves, ends, weights, temperature)
    from hypcse.objective.fused import entropy_of_rows

    graph = anchor.normalized()
    assert graph.edges is not None
    edges = graph.edges
    return entropy_of_rows(leaves, edges.index, graph.entry_weights(), edges.pointers, temperature, _DEEPEST)


def _proposed(networks: Networks, features: Tensor, anchor: AnyGraph, config: TrainingConfig) -> AnyGraph | None:
    """The learner's graph; without contrast nothing trains the learner, so no gradient is kept."""
    if not config.structure.learn_graph or len(features) < 2:
        return None
    model = config.model
    with torch.set_grad_enabled(config.loss.contrast_weight > 0):
        embeddings = networks.learner(features, anchor)
        form = learned_graph if isinstance(anchor, EdgeTensors) else learned_matrix
        return form(embeddings, model.learner_neighbors, model.learner_similarity)


def _encode_view(
    networks: Networks,
    features: Tensor,
    edges: AnyGraph,
    mask: float,
    config: TrainingConfig,
    generator: torch.Generator,
) -> Tensor:
    """Lorentz points of an augmented view: edges dropped, columns masked, inputs dropped."""
    rate = config.structure.edge_drop
    some = drop_edges(edges, rate, generator) if isinstance(edges, EdgeTensors) else drop_pairs(edges, rate, generator)
    return networks.encoder(mask_features(features, mask, generator), some.normalized(), generator)

"""The networks, the terms of the objective on one subgraph, and the optimizer."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Generic, NamedTuple, TypeVar

import torch
from torch import Tensor, nn

from hypcse.neural.backend import ManifoldParameter, RiemannianAdam
from hypcse.neural.encoder import RADIUS_LIMITS, Encoder, Projector
from hypcse.neural.geometry import to_lorentz
from hypcse.neural.graph_learner import GraphLearner, drop_edges, learned_graph, learned_matrix, mask_features
from hypcse.neural.losses.contrast import centroid_loss, contrastive_loss
from hypcse.neural.losses.cse import cse_loss
from hypcse.neural.tensors import EdgeTensors, MatrixGraph
from hypcse.neural.training.config import TrainingConfig

Value = TypeVar("Value")
AnyGraph = EdgeTensors | MatrixGraph
AddedLoss = Callable[[Tensor, Tensor], Tensor]
"""A loss of Lorentz points and the vertices they stand for."""
Part = tuple[Tensor, EdgeTensors, Tensor]
"""Vertices, graph and features of a subgraph."""
# The depth of leaves on the largest radius.
_DEEPEST = 2 * math.atanh(RADIUS_LIMITS[1])


class Networks(nn.Module):
    """The encoder f, projector h, graph learner g and a loss `added` beside Eq. (17); a call gives the terms."""

    def __init__(self, n_features: int, config: TrainingConfig, generator: torch.Generator) -> None:
        super().__init__()
        sizes = n_features, config.hidden_dim, config.embed_dim
        self.encoder = Encoder(*sizes, generator, dropout=config.dropout, aggregation=config.aggregation)
        self.projector = Projector(config.embed_dim, config.projection_dim, generator)
        self.learner = GraphLearner(n_features, config.learner)
        self.config = config
        self.added: AddedLoss | None = None

    def forward(self, part: Part, generator: torch.Generator) -> tuple[Losses[Tensor], EdgeTensors | None]:
        """The terms on a subgraph, and the graph that the learner proposes."""
        vertices, anchor, features = part
        terms, learned, points = losses_of(self, features, anchor, generator)
        assert learned is None or isinstance(learned, EdgeTensors)
        if self.added is not None:
            terms = terms._replace(total=terms.total + self.added(points, vertices))
        return terms, learned


class Losses(NamedTuple, Generic[Value]):
    """The terms of Eq. (17): tensors on a subgraph, and numbers as means over an epoch."""

    cse: Value
    contrast: Value
    centroid: Value
    total: Value


def values_of(terms: Losses[Tensor]) -> Tensor:
    """The four, (4,), without gradient."""
    return torch.stack([term.detach() for term in terms])


def losses_of(
    networks: Networks, features: Tensor, anchor: AnyGraph, generator: torch.Generator
) -> tuple[Losses[Tensor], AnyGraph | None, Tensor]:
    """The terms on a subgraph, the graph that the learner proposes, in the form of the anchor, and the points.

    Paper: Eq. (17),  L = L_cse + eta_1 L_con + eta_2 L_cen.
    """
    config = networks.config
    learned = _proposed(networks, features, anchor)
    points = _encode_view(networks, features, anchor, config.mask_anchor, config.edge_drop, generator)
    leaves = networks.encoder.leaves(points)
    cse = _entropy(leaves, anchor.normalized(), config.cse_temperature)
    centroid = centroid_loss(to_lorentz(leaves))
    contrast = cse.new_zeros(())
    if config.contrast_weight > 0 and len(features) > 1:
        second = anchor if learned is None else learned
        other = _encode_view(networks, features, second, config.mask_learner, config.edge_drop, generator)
        contrast = contrastive_loss(
            networks.projector(points, generator),
            networks.projector(other, generator),
            config.contrast_temperature,
            include_positive=config.include_positive or len(features) < 3,
        )
    total = cse
    for term, weight in ((contrast, config.contrast_weight), (centroid, config.centroid_weight)):
        # A term of weight 0 is left out; otherwise its NaN would spread.
        if weight > 0:
            total = total + weight * term
    return Losses(cse, contrast, centroid, total), learned, points


def _entropy(leaves: Tensor, graph: AnyGraph, temperature: float) -> Tensor:
    if isinstance(graph, EdgeTensors):
        return cse_loss(leaves, *graph.once(), temperature)
    from hypcse.neural.losses.fused import entropy_of_rows

    assert graph.edges is not None
    edges = graph.edges.scaled(graph.scale)
    return entropy_of_rows(leaves, edges.index, edges.weight, edges.pointers, temperature, _DEEPEST)


def _proposed(networks: Networks, features: Tensor, anchor: AnyGraph) -> AnyGraph | None:
    """The learner's graph; without contrast nothing trains the learner, so it needs no gradient."""
    config = networks.config
    if not config.learn_graph or len(features) < 2:
        return None
    with torch.set_grad_enabled(config.contrast_weight > 0):
        embeddings = networks.learner(features, anchor)
        form = learned_graph if isinstance(anchor, EdgeTensors) else learned_matrix
        return form(embeddings, config.learner_neighbors, config.learner_similarity)


def _encode_view(
    networks: Networks, features: Tensor, graph: AnyGraph, mask: float, rate: float, generator: torch.Generator
) -> Tensor:
    """Lorentz points of an augmented view: edges dropped, columns masked, inputs dropped."""
    edges = drop_edges(graph, rate, generator).normalized()
    return networks.encoder(mask_features(features, mask, generator), edges, generator)


def optimizer_of(parameters: Iterable[Tensor], learning_rate: float, weight_decay: float = 0.0) -> torch.optim.Adam:
    """Riemannian Adam where a parameter lives on a manifold, else Adam: the same steps but for rounding, and faster."""
    weights = list(parameters)
    if any(isinstance(weight, ManifoldParameter) for weight in weights):
        return RiemannianAdam(weights, lr=learning_rate, weight_decay=weight_decay)
    # On a GPU one launch moves all weights; on the CPU the steps stay those of the published figures.
    fused = True if weights and all(weight.is_cuda for weight in weights) else None
    return torch.optim.Adam(weights, lr=learning_rate, weight_decay=weight_decay, fused=fused)

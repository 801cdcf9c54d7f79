"""The graph learner: features in, embeddings out; and the two views of a graph that it learns from."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from hypcse._choices import Learner
from hypcse.neural.graphs.tensors import EdgeTensors, MatrixGraph


class GraphLearner(nn.Module):
    """Two square layers with relu between them, g(X); kind "gcn" smooths over the anchor graph before each.

        mlp : X <- X Theta^T + b
        gcn : X <- (S X) Theta^T + b,    S = D^-1/2 (W + I) D^-1/2, D = row sums of W + I

    Paper: "Graph Structure Learning". Every Theta starts as the identity and every b at 0, so that learning starts
    from the graph of the features themselves.

    >>> anchor = EdgeTensors.from_pairs(torch.tensor([[0], [1]]), torch.ones(1), 2)
    >>> GraphLearner(2, kind="mlp")(torch.tensor([[1.0, 0.5], [0.0, 2.0]]), anchor).tolist()
    [[1.0, 0.5], [0.0, 2.0]]
    """

    def __init__(self, n_features: int, kind: Learner = "gcn") -> None:
        super().__init__()
        self.kind = kind
        self.maps = nn.ModuleList([_identity(n_features) for _ in range(2)])

    def forward(self, x: Tensor, anchor: EdgeTensors | MatrixGraph) -> Tensor:
        """Embeddings (n, d) of features (n, d); the mlp does not look at the anchor."""
        smoothing = anchor.with_loops().normalized() if self.kind == "gcn" else None
        for number, layer in enumerate(self.maps):
            x = x if number == 0 else x.relu()
            x = layer(x if smoothing is None else smoothing.aggregate(x))
        return x


def _identity(width: int) -> nn.Linear:
    # The usual start would draw from the global generator, only to be overwritten.
    layer = nn.utils.skip_init(nn.Linear, width, width, device=torch.get_default_device())
    assert isinstance(layer, nn.Linear)
    with torch.no_grad():
        nn.init.eye_(layer.weight)
        nn.init.zeros_(layer.bias)
    return layer


def drop_edges(graph: EdgeTensors | MatrixGraph, rate: float, generator: torch.Generator) -> EdgeTensors | MatrixGraph:
    """The graph without each of its edges with probability `rate`, both directions together; weights stay.

    For a matrix a number is drawn for every pair.
    """
    if isinstance(graph, EdgeTensors):
        ends, weight = graph.once()
        stays = ~draw_events(rate, weight, generator)
        return EdgeTensors.from_pairs(ends[:, stays], weight[stays], graph.n_vertices)
    if rate == 0:
        return graph
    stays = ~draw_events(rate, graph.matrix, generator).triu(1)
    return MatrixGraph(graph.matrix * (stays & stays.T), graph.scale)


def mask_features(x: Tensor, rate: float, generator: torch.Generator) -> Tensor:
    """x (n, d) with each column set to 0 with probability `rate`.

    >>> mask_features(torch.ones(1, 6), 0.5, torch.Generator().manual_seed(0)).tolist()
    [[0.0, 1.0, 0.0, 0.0, 0.0, 1.0]]
    """
    return x.masked_fill(draw_events(rate, x[0], generator), 0.0)


def draw_events(chance: float, like: Tensor, generator: torch.Generator) -> Tensor:
    """For each entry of `like` whether an event of probability `chance` happened, on its device.

    The generator may live elsewhere: one on the CPU draws the same for every device.
    """
    uniform = torch.rand(like.shape, generator=generator, device=generator.device)
    return (uniform < chance).to(like.device)

"""The graph learner: features in, embeddings out, whose similarities are the learned graph."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from hypcse._choices import Learner
from hypcse.graph.matrix import MatrixGraph
from hypcse.graph.tensors import EdgeTensors


class GraphLearner(nn.Module):
    """Square layers with relu between them, g(X); kind "gcn" smooths over the anchor graph before each.

        mlp : X <- X Theta^T + b
        gcn : X <- (S X) Theta^T + b,    S = D^-1/2 (W + I) D^-1/2, D = row sums of W + I

    Paper: "Graph Structure Learning". Every Theta starts as the identity and every b at 0, so that learning starts
    from the graph of the given features: on features of at least 0, the mlp returns them and the gcn smooths them.

    n_features : width of the features and of every layer.
    kind       : "gcn" or "mlp".
    n_layers   : number of layers; after the last there is no relu.

    >>> anchor = EdgeTensors.from_pairs(torch.tensor([[0], [1]]), torch.ones(1), 2)
    >>> GraphLearner(2, kind="mlp")(torch.tensor([[1.0, 0.5], [0.0, 2.0]]), anchor).tolist()
    [[1.0, 0.5], [0.0, 2.0]]
    """

    def __init__(self, n_features: int, kind: Learner = "gcn", n_layers: int = 2) -> None:
        super().__init__()
        self.kind = kind
        self.maps = nn.ModuleList([_identity(n_features) for _ in range(n_layers)])

    def forward(self, x: Tensor, anchor: EdgeTensors | MatrixGraph) -> Tensor:
        """Embeddings (n, d) of features (n, d); the mlp does not look at the anchor."""
        smoothing = anchor.with_loops().normalized() if self.kind == "gcn" else None
        for number, layer in enumerate(self.maps):
            given = x if number == 0 else x.relu()
            x = layer(given if smoothing is None else smoothing.aggregate(given))
        return x


def _identity(width: int) -> nn.Linear:
    # The usual start would draw from the global generator, only to be overwritten.
    layer = nn.utils.skip_init(nn.Linear, width, width, device=torch.get_default_device())
    assert isinstance(layer, nn.Linear)
    with torch.no_grad():
        nn.init.eye_(layer.weight)
        nn.init.zeros_(layer.bias)
    return layer

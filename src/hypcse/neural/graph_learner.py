"""Graph structure learning: the learner, the graph it proposes, and an anchor that takes it in edge by edge."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable
from torch.nn.functional import normalize

from hypcse._choices import Learner, LearnerSimilarity
from hypcse.neural.backend import kernel_form
from hypcse.neural.tensors import EdgeTensors, MatrixGraph

Form = TypeVar("Form", EdgeTensors, MatrixGraph)
Pairs = tuple[Tensor, Tensor]
"""Ends (2, k) and weights (k,) of edges."""
# The least cosine: a weight must be positive, and a pair at a right angle may still be among the nearest.
LEAST_COSINE = 0.01
# exp(-60) and its inverse are both float32 numbers with room to spare.
MAX_EXPONENT = 60.0
# Similarities held at once: 64 MiB in float32.
BLOCK = 2**24


class GraphLearner(nn.Module):
    """Two square layers with relu between them, g(X); kind "gcn" smooths over the anchor graph before each.

        mlp : X <- X Theta^T + b
        gcn : X <- (S X) Theta^T + b,    S = D^-1/2 (W + I) D^-1/2, D = row sums of W + I

    Paper: "Graph Structure Learning". Every Theta starts as the identity and every b at 0.
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
    """The graph without each of its edges with probability `rate`, both directions together; weights stay."""
    if isinstance(graph, EdgeTensors):
        ends, weight = graph.once()
        stays = ~draw_events(rate, weight, generator)
        return EdgeTensors.from_pairs(ends[:, stays], weight[stays], graph.n_vertices)
    if rate == 0:
        return graph
    stays = ~draw_events(rate, graph.matrix, generator).triu(1)
    return MatrixGraph(graph.matrix * (stays & stays.T), graph.scale)


def mask_features(x: Tensor, rate: float, generator: torch.Generator) -> Tensor:
    """x (n, d) with each column set to 0 with probability `rate`."""
    return x.masked_fill(draw_events(rate, x[0], generator), 0.0)


def draw_events(chance: float, like: Tensor, generator: torch.Generator) -> Tensor:
    """For each entry of `like`, whether an event of probability `chance` happened, on its device."""
    uniform = torch.rand(like.shape, generator=generator, device=generator.device)
    return (uniform < chance).to(like.device)


def learned_graph(embeddings: Tensor, n_neighbors: int, kind: LearnerSimilarity = "cosine") -> EdgeTensors:
    """Each vertex with its `n_neighbors` most similar others, averaged both ways and normalized symmetrically.

    Paper: "Graph Structure Learning", the edge set E_l. With s the similarity, N(i) the nearest others of i and
    A_ij = s_ij for j in N(i),

        S = (A + A^T) / 2,    W = C^-1/2 S C^-1/2,    result D^-1/2 W D^-1/2 with D the row sums of W.

    "cosine"   : s = max(cosine, 0.01), and C_i is the sum of row i and of column i of A, with s_ii on its diagonal.
    "gaussian" : s = exp(-d^2 / 2), after each column has been stretched to the range of the whole array; C = I.

    The neighbors are exact; among equal ones the smaller id wins. The gradient reaches the embeddings through the
    weights, not through the choice. O(n^2 d) time, memory for one block of similarities and O(n p d).
    """
    points = normalize(embeddings) if kind == "cosine" else on_one_range(embeddings)
    fixed = points.detach()
    # x.y ranks by cosine on the unit sphere, x.y - |y|^2 / 2 by distance anywhere.
    penalty = fixed.square().sum(1) / 2 if kind == "gaussian" else fixed.new_zeros(len(fixed))
    ends, share = _neighbor_pairs(fixed, penalty, min(n_neighbors, len(points) - 1))
    graph = EdgeTensors.from_pairs(ends, share, len(points))
    if kind == "gaussian":
        similar = (-graph.gaps(points) / 2).clamp(min=-MAX_EXPONENT).exp()
    else:
        similar = graph.dots(points).clamp(min=LEAST_COSINE)
    return _balanced(graph.with_weight(graph.weight * similar), points, kind)


def on_one_range(embeddings: Tensor) -> Tensor:
    """Columns as wide as the range of the whole array, around their means; constant columns become 0."""
    width, whole = embeddings.amax(0) - embeddings.amin(0), embeddings.max() - embeddings.min()
    # A narrower column would be stretched to infinity.
    wide = width > whole * torch.finfo(width.dtype).tiny
    # Centered, for inner products of large numbers would lose the small distances.
    return torch.where(wide, (embeddings - embeddings.mean(0)) * (whole / torch.where(wide, width, 1.0)), 0.0)


def learned_matrix(embeddings: Tensor, n_neighbors: int, kind: LearnerSimilarity) -> MatrixGraph:
    """`learned_graph` as a matrix of fixed shape: nothing waits for a GPU. O(n^2) memory."""
    if kind == "gaussian":
        points = on_one_range(embeddings)
        gaps: Tensor = _PairGaps.apply(points)
        similar, closeness = (-gaps / 2).clamp(min=-MAX_EXPONENT).exp(), -gaps.detach()
    else:
        points = normalize(embeddings)
        products = points @ points.T
        similar, closeness = products.clamp(min=LEAST_COSINE), products.detach().clone()
    closeness.fill_diagonal_(-torch.inf)
    chosen = largest_in_rows(closeness, min(n_neighbors, len(points) - 1)).to(similar.dtype)
    return _balanced(MatrixGraph(similar * ((chosen + chosen.T) / 2), torch.ones_like(points[:, 0])), points, kind)


def _balanced(graph: Form, points: Tensor, kind: LearnerSimilarity) -> Form:
    """W from S, normalized."""
    if kind == "cosine":
        itself = points.square().sum(1).clamp(min=LEAST_COSINE)
        graph = graph.scaled((2 * (graph.degrees() + itself)).rsqrt())
    return graph.normalized()


def _neighbor_pairs(points: Tensor, penalty: Tensor, n_neighbors: int) -> tuple[Tensor, Tensor]:
    """Ends i < j (2, k) of all pairs of neighbors, and (k,) 1 if they are neighbors both ways, else 1/2."""
    n = len(points)
    lists = []
    for start in range(0, n, max(1, BLOCK // n)):
        closeness = points[start : start + max(1, BLOCK // n)] @ points.T - penalty
        closeness.diagonal(start).fill_(-torch.inf)
        lists.append(_largest(closeness, n_neighbors))
    others, itself = torch.cat(lists), torch.arange(n, device=points.device)[:, None]
    keys, times = torch.unique(torch.minimum(itself, others) * n + torch.maximum(itself, others), return_counts=True)
    return torch.stack([keys // n, keys % n]), times.to(points.dtype) / 2


def _largest(values: Tensor, k: int) -> Tensor:
    """Columns of the k largest values of each row, fewer than there are columns; of equal ones the first columns."""
    top = values.topk(k + 1, dim=1)
    chosen = top.indices[:, :k]
    if k:
        # Only a tie across the border leaves the choice open, and sorting whole rows is dear.
        open_rows = top.values[:, k] == top.values[:, k - 1]
        chosen[open_rows] = values[open_rows].sort(dim=1, descending=True, stable=True).indices[:, :k]
    return chosen


def largest_in_rows(values: Tensor, k: int) -> Tensor:
    """Marks (n, m) of the k largest values of each row; of equal ones the first columns."""
    last = values.topk(k, dim=1, sorted=False).values.amin(1, keepdim=True)
    above, level = values > last, values == last
    left = k - above.sum(1, keepdim=True)
    return above | (level & (level.cumsum(1, dtype=torch.int32) <= left))


class _PairGaps(torch.autograd.Function):
    """|x_i - x_j|^2 of all pairs; with L the Laplacian of G + G^T, the gradient by X is 2 L X."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        if kernel_form(x) == "triton":
            from hypcse.neural.triton.contrast import pair_gaps

            return pair_gaps(x.detach())
        return torch.cdist(x, x, compute_mode="donot_use_mm_for_euclid_dist").square()

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> Tensor:
        (x,) = ctx.saved_tensors
        both = grad + grad.T
        return 2 * (both.sum(1, keepdim=True) * x - both @ x)


def update_anchor(
    anchor: EdgeTensors,
    parts: Sequence[tuple[Tensor, Pairs]],
    decay: float,
    generator: torch.Generator,
    *,
    rescale: bool = True,
) -> EdgeTensors:
    """E_a <- S_tau(E_a) + S_(1 - tau)(E_l), with tau the `decay` and S_p a sample of edges at rate p.

    Paper: Eq. (13), on average Eq. (28), for disjoint subgraphs at once: `parts` has vertices and `proposed_pairs` of
    each. An edge of both stays, with the anchor's weight, and so do edges between subgraphs. With `rescale` inserted
    edges have their learned weight times the ratio of the two graphs' mean weights. O(m log m).
    """
    # The number of the part that holds each vertex, -1 where none does.
    home = torch.full((anchor.n_vertices,), -1, device=anchor.index.device)
    for number, (vertices, _) in enumerate(parts):
        home[vertices] = number
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


def _keys(ends: Tensor, n_vertices: int) -> Tensor:
    """One number for each pair, whatever its direction."""
    return torch.minimum(ends[0], ends[1]) * n_vertices + torch.maximum(ends[0], ends[1])


def _among(keys: Tensor, ordered: Tensor) -> Tensor:
    """Whether each key is one of the ascending ones; several times faster here than `torch.isin`, which sorts both."""
    if ordered.numel() == 0:
        return torch.zeros_like(keys, dtype=torch.bool)
    place = torch.searchsorted(ordered, keys).clamp(max=ordered.numel() - 1)
    return ordered[place] == keys

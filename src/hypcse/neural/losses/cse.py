"""Continuous structural entropy, Eq. (8) and (9): a loss of leaves in the ball, and a module for your own models."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable
from torch.utils.checkpoint import checkpoint

from hypcse.graph import Graph
from hypcse.kernels.losses.lca_volume import adjacency, lca_volume, lca_volume_gradient
from hypcse.neural.backend import kernel_form
from hypcse.neural.geometry import check_points, check_temperature, lca_depth, on_sphere
from hypcse.neural.tensors import EdgeTensors

# Numbers in one array of a chunk of the plain form: few enough for a cache, and on a GPU enough to hide the calls.
_CHUNK, _GPU_CHUNK = 2**20, 2**22

VolumeForm = Callable[[Tensor, Tensor, Tensor, float], Tensor]


def cse_loss(leaves: Tensor, edges: Tensor, weights: Tensor, temperature: float) -> Tensor:
    """Compute the continuous structural entropy, in bits, of a graph on the tree spanned by its leaves.

    Paper: Eq. (8) with the volumes of Eq. (9), divided by the volume V of the graph:

        L = (2 / V) sum over edges of w_ij log2(V_i + V_j + V_hat_ij),
        V_hat_ij = sum over k != i, j of V_k softmax(-(d_ij, d_ik, d_jk) / t)_1,    d_ij = d_o(z_i v z_j).

    Parameters
    ----------
    leaves
        (n, d) points in the ball that share one radius.
    edges
        (2, m) each undirected edge once, no loops.
    weights
        (m,) at least 0; V_i is the sum of those at vertex i. If all are 0, the loss is 0.
    temperature
        The t of the equation, above 0.

    Returns
    -------
    Tensor
        A scalar.

    Notes
    -----
    The gradient by the leaves is correct along the sphere and along a common scaling of them; there is no second
    derivative. The gradient by the weights, which act in the sum and through all volumes, is exact; the compiled forms
    have none, so weights that require it use the plain form on any device. O(n m) time, O(n^2) memory.

    Examples
    --------
    >>> leaves = torch.tensor([[0.9, 0.0], [0.0, 0.9], [-0.9, 0.0]])
    >>> round(float(cse_loss(leaves, torch.tensor([[0, 1], [1, 2]]), torch.ones(2), 1.0)), 3)
    1.69
    """
    form = "torch" if weights.requires_grad else kernel_form(leaves)
    if form == "triton":
        from hypcse.neural.losses.fused import fused_entropy

        return fused_entropy(leaves, edges, weights, temperature)
    return _cse(leaves, edges, weights, temperature, _CompiledVolumes.apply if form == "numba" else _plain_volumes)


def cse_loss_reference(leaves: Tensor, edges: Tensor, weights: Tensor, temperature: float) -> Tensor:
    """`cse_loss` with the three-way softmax of Eq. (9) in plain torch, edges in chunks; any device, all gradients."""
    return _cse(leaves, edges, weights, temperature, _plain_volumes)


def _cse(leaves: Tensor, edges: Tensor, weights: Tensor, temperature: float, form: VolumeForm) -> Tensor:
    """The loss in shares of the volume, in which weights have no unit: log2 V + 2 sum w/V log2(volume / V)."""
    check_points("leaves", leaves)
    check_edges(edges, weights, leaves.shape[0])
    check_temperature(temperature)
    weights, edges = weights.to(leaves.dtype), edges.to(torch.int64)
    volume = 2 * weights.sum()
    if edges.shape[1] == 0 or float(volume.detach()) == 0:
        return (leaves * 0).sum()
    rates = weights / volume
    shares = leaves.new_zeros(leaves.shape[0]).index_add(0, edges.flatten(), rates.repeat(2))
    # An edge of weight 0 may join vertices without volume; its term is 0 whatever stands in the logarithm.
    inside = shares[edges].sum(0) + form(lca_depth(leaves), shares, edges, temperature)
    inside = inside.clamp_min(torch.finfo(inside.dtype).tiny)
    return torch.log2(volume) + 2 * torch.dot(rates, torch.log2(inside))


class _CompiledVolumes(torch.autograd.Function):
    """Eq. (9) by the compiled kernel: differentiable by the depths, not by the volumes."""

    @staticmethod
    def forward(ctx: Any, depth: Tensor, volumes: Tensor, edges: Tensor, temperature: float) -> Tensor:
        first, second = edges.contiguous().numpy()
        rows = adjacency(first, second, depth.shape[0])
        result = lca_volume(depth.contiguous().numpy(), volumes.numpy(), rows, temperature)
        ctx.inputs = result, volumes.numpy(), rows, temperature
        by_edge = depth.new_empty(edges.shape[1])
        # Both directions of an edge hold the same number.
        by_edge[torch.from_numpy(rows.edge)] = torch.from_numpy(result.volume)
        return by_edge

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, upstream: Tensor) -> tuple[Tensor, None, None, None]:
        result, volumes, rows, temperature = ctx.inputs
        rates = lca_volume_gradient(result, volumes, rows, temperature, upstream.contiguous().numpy())
        return torch.from_numpy(rates), None, None, None


def _plain_volumes(depth: Tensor, volumes: Tensor, edges: Tensor, temperature: float) -> Tensor:
    n_edges = max(1, (_GPU_CHUNK if depth.is_cuda else _CHUNK) // depth.shape[0])
    # A chunk is computed again in the backward pass: stored, its arrays would make (edges x vertices x 3) in all.
    parts = [
        checkpoint(_plain_chunk, depth, volumes, some, temperature, use_reentrant=False)
        for some in edges.split(n_edges, dim=1)
    ]
    return torch.cat(parts)


def _plain_chunk(depth: Tensor, volumes: Tensor, edges: Tensor, temperature: float) -> Tensor:
    """Eq. (9) as printed, for a few edges."""
    i, j = edges
    joint = depth[i, j].unsqueeze(1).expand(-1, depth.shape[1])
    shares = torch.softmax(torch.stack([joint, depth[i], depth[j]]) / -temperature, dim=0)[0]
    others = torch.ones_like(shares).scatter(1, edges.T, 0)
    return (shares * others) @ volumes


class StructuralEntropyLoss(nn.Module):
    """Continuous structural entropy of a graph on the tree spanned by its points, in bits: `cse_loss` as a module.

    Add it to the loss of any model that gives each vertex of a graph a point. It has no parameters and works with every
    optimizer. Minimizing it arranges the points in a hierarchy: `decode_single(loss.leaves(points))`.

    Parameters
    ----------
    temperature
        Temperature of the softmax in Eq. (9). Lower follows the current tree more closely; higher is smoother and takes
        in more of the graph.
    radius
        None: the points are leaves in the Poincare ball and must share one radius. A number between 0 and 1: only the
        directions of the points count, and all are put on this radius. Use this for the output of any network; a point
        of zeros takes the first axis and gets no gradient.

    Examples
    --------
    >>> import torch
    >>> from hypcse import Graph
    >>> loss = StructuralEntropyLoss(temperature=1.0, radius=0.9)
    >>> path = Graph.from_edges([0, 1], [1, 2])
    >>> points = torch.tensor([[2.0, 0.0], [0.0, 3.0], [-1.0, 0.0]], requires_grad=True)
    >>> value = loss(points, path)
    >>> round(value.item(), 3)
    1.69
    >>> value.backward()
    >>> points.grad.shape
    torch.Size([3, 2])
    """

    def __init__(self, temperature: float = 1.0, *, radius: float | None = None) -> None:
        super().__init__()
        check_temperature(temperature)
        if radius is not None and not 0 < radius < 1:
            raise ValueError(f"radius={radius} must lie between 0 and 1, inside the Poincare ball, or be None.")
        self.temperature = temperature
        self.radius = radius

    def forward(self, points: Tensor, graph: Graph | EdgeTensors) -> Tensor:
        """The loss, a scalar of the dtype and device of the points.

        Parameters
        ----------
        points
            (n, d) float32 or float64; row i is the point of vertex i.
        graph
            A graph with n vertices; for a mini-batch, `graph.subgraph(vertices)[0]`. As EdgeTensors its weights may
            carry a gradient. Loops do not count, because no tree can cut them.

        Returns
        -------
        Tensor
            The loss, with its gradient. O(n m) time for m edges.
        """
        leaves = self.leaves(points)
        edges, weights = _edges_once(graph, points)
        return cse_loss(leaves, edges, weights, self.temperature)

    def leaves(self, points: Tensor) -> Tensor:
        """The points as the loss sees them, (n, d): leaves in the ball, ready for `decode_single` once detached.

        Parameters
        ----------
        points
            (n, d), one row per vertex.

        Returns
        -------
        Tensor of shape (n, d)
            Leaves in the ball.
        """
        check_points("points", points)
        wrong = ~points.detach().isfinite().all(dim=1)
        # A direction made from them would look like any other.
        if bool(wrong.any()):
            raise ValueError(
                f"{int(wrong.sum())} of {len(points)} rows of points are not finite, row {int(wrong.nonzero()[0])} "
                "first. If training has diverged, lower the learning rate or clip gradients."
            )
        return points if self.radius is None else on_sphere(points, self.radius)

    def extra_repr(self) -> str:
        """The options, for `repr`.

        Returns
        -------
        str
            As the constructor takes them.
        """
        return f"temperature={self.temperature}, radius={self.radius}"


def _edges_once(graph: Graph | EdgeTensors, points: Tensor) -> tuple[Tensor, Tensor]:
    """Vertices and weights of every edge once, on the device of the points."""
    if not isinstance(graph, Graph | EdgeTensors):
        raise TypeError(
            f"graph is of type {type(graph).__name__}; pass a hypcse.Graph, or its to_tensors(). "
            "Graph.subgraph returns a pair; the graph is its first element."
        )
    if graph.n_vertices != points.shape[0]:
        raise ValueError(
            f"there are {points.shape[0]} points for {graph.n_vertices} vertices; each vertex needs one. "
            "For a mini-batch pass graph.subgraph(vertices)[0]."
        )
    tensors = graph.to_tensors(points.device, points.dtype) if isinstance(graph, Graph) else graph.to(points.device)
    return tensors.once()


def check_edges(edges: Tensor, weights: Tensor, n_vertices: int) -> None:
    """Raise unless edges (2, m) join different vertices of 0 .. n - 1 and each has a finite weight of at least 0."""
    check_edge_arrays(edges, weights)
    if edges.shape[1] == 0:
        return
    low, high = (int(vertex) for vertex in torch.aminmax(edges))
    if low < 0 or high >= n_vertices:
        raise ValueError(f"edges name the vertices {low} to {high}, but there are {n_vertices} leaves.")
    if bool((edges[0] == edges[1]).any()):
        raise ValueError("edges holds a loop, which no tree can cut. Omit edges from a vertex to itself.")
    least, most = (float(weight) for weight in torch.aminmax(weights.detach()))
    if not 0 <= least <= most < inf:
        raise ValueError(f"weights range from {least} to {most}; they must be finite and at least 0.")


def check_edge_arrays(edges: Tensor, weights: Tensor) -> None:
    """Raise unless edges are whole numbers (2, m) and weights (m,); reads none of them."""
    if edges.ndim != 2 or edges.shape[0] != 2 or weights.shape != edges.shape[1:]:
        raise ValueError(
            f"edges has shape {tuple(edges.shape)} and weights {tuple(weights.shape)}; (2, m) and (m,) are needed, "
            "each undirected edge once."
        )
    if edges.is_floating_point() or edges.is_complex() or edges.dtype == torch.bool:
        raise TypeError(f"edges is {edges.dtype}; pass integers, the numbers of the vertices.")

"""The losses as modules for your own models: structural entropy, the centroid, and the margin between classes."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from hypcse.graph import Graph
from hypcse.neural.geometry import lorentz
from hypcse.neural.geometry.poincare import on_sphere
from hypcse.neural.graphs.tensors import EdgeTensors
from hypcse.neural.losses.checks import check_finite_points, check_points, check_temperature
from hypcse.neural.losses.cse import cse_loss


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
            The loss, with its gradient.

        Notes
        -----
        O(n m) time for m edges.
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
        check_finite_points("points", points)
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


def centroid_loss(leaves: Tensor) -> Tensor:
    """Distance from the origin to the centroid of the leaves, Lorentz points (n, d + 1) -> scalar.

    Paper: Eq. (16),  L_cen = d_o(sum_j z_j / |‖sum_i z_i‖|).

    Parameters
    ----------
    leaves
        Lorentz points (n, d + 1).

    Returns
    -------
    Tensor
        A scalar.

    Examples
    --------
    >>> import torch
    >>> opposite = lorentz.lift(torch.tensor([[2.0], [-2.0]]))
    >>> centroid_loss(opposite)
    tensor(0.)
    """
    check_points("leaves", leaves)
    return lorentz.distance_to_origin(lorentz.centroid(leaves))


def margin_loss(scores: Tensor, codes: Tensor, margin: float = 1.0) -> Tensor:
    """Mean over labeled points and classes of relu(margin - score of the label + score of the class).

    The label's own class adds the margin to every mean. 0 if no point is labeled.

    scores : (n, n_classes).
    codes  : (n,) the class of each point, -1 where unknown.

    >>> float(margin_loss(torch.tensor([[3.0, 1.0], [0.0, 0.0]]), torch.tensor([0, -1])))
    0.5
    """
    is_labeled = codes >= 0
    if not bool(is_labeled.any()):
        return scores.sum() * 0.0
    own = scores[is_labeled].gather(1, codes[is_labeled].unsqueeze(1))
    return torch.relu(margin - own + scores[is_labeled]).mean()

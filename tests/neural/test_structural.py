"""The module is `cse_loss` on a graph, and goes with other people's models and optimisers."""

from __future__ import annotations

import copy
import pickle

import geoopt
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from graph_strategies import graphs, planted_partition
from hypcse import Graph, StructuralEntropyLoss, cse_loss, structural_entropy
from hypcse.neural.decode import decode_single
from hypcse.neural.geometry import lift, on_sphere, to_poincare
from hypcse.neural.subgraphs import cut_out
from hypcse.neural.tensors import EdgeTensors

PATH = Graph.from_edges([0, 1], [1, 2])
TEMPERATURES = st.sampled_from([0.1, 0.5, 1.0, 1000.0])


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


@st.composite
def cases(draw, dtype=torch.float64):
    """Points of any length and a graph over them, with loops and vertices of no edge."""
    graph = draw(graphs(draw(st.integers(1, 10))))
    return torch.randn(graph.n_vertices, 3, generator=seeded(draw(st.integers(0, 99))), dtype=dtype), graph


def plain_loss(points, graph, temperature, radius):
    i, j, weight = graph.edges()
    edges, weights = torch.from_numpy(np.stack([i, j])), torch.from_numpy(weight).to(points.dtype)
    return cse_loss(on_sphere(points, radius), edges, weights, temperature)


@given(cases() | cases(torch.float32), TEMPERATURES)
def test_value_and_gradient_are_those_of_cse_loss(case, temperature):
    """Through directions, through leaves, and from the graph in either form."""
    points, graph = case
    points.requires_grad_()
    expected = plain_loss(points, graph, temperature, 0.9)
    (slope,) = torch.autograd.grad(expected, points)
    directions, leaves = StructuralEntropyLoss(temperature, radius=0.9), StructuralEntropyLoss(temperature)
    for value in (
        directions(points, graph),
        directions(points, graph.to_tensors(dtype=points.dtype)),
        leaves(on_sphere(points, 0.9), graph),
    ):
        assert value.dtype == points.dtype and value.shape == ()
        assert torch.equal(value, expected)
        assert torch.equal(torch.autograd.grad(value, points)[0], slope)


@given(cases(), TEMPERATURES)
def test_gradients_by_the_points(case, temperature):
    points, graph = case
    loss = StructuralEntropyLoss(temperature, radius=0.8)
    assert torch.autograd.gradcheck(lambda x: loss(x, graph), (points.requires_grad_(),))


def test_weights_may_be_learned():
    points = torch.randn(3, 2, generator=seeded(), dtype=torch.float64)
    ends, weights = torch.tensor([[0, 1], [1, 2]]), torch.tensor([1.0, 3.0], dtype=torch.float64, requires_grad=True)
    value = StructuralEntropyLoss(radius=0.9)(points, EdgeTensors.from_pairs(ends, weights, 3))
    expected = cse_loss(on_sphere(points, 0.9), ends, weights, 1.0)
    slopes = [torch.autograd.grad(loss, weights)[0] for loss in (value, expected)]
    torch.testing.assert_close(*slopes)
    assert (slopes[0] != 0).any()


@given(cases(), st.integers(0, 99))
def test_a_batch_is_a_subgraph(case, seed):
    """The loss of some points on their subgraph sees no other point, in the order of the batch."""
    points, graph = case
    loss = StructuralEntropyLoss(radius=0.9)
    order = torch.randperm(graph.n_vertices, generator=seeded(seed))
    torch.testing.assert_close(loss(points[order], graph.subgraph(order)[0]), loss(points, graph))
    some = order[: 1 + graph.n_vertices // 2]
    by_tensors = cut_out(graph.to_tensors(dtype=points.dtype), [some])[0]
    torch.testing.assert_close(loss(points[some], graph.subgraph(some)[0]), loss(points[some], by_tensors))


def descend(optimizer, points, to_ball=lambda points: points, n_steps=40):
    """Loss and entropy of the decoded tree, before and after."""
    graph, _ = planted_partition(3, 10, 0.6, 0.05)
    loss, result = StructuralEntropyLoss(0.5, radius=0.9), []
    for step in range(n_steps + 1):
        value = loss(to_ball(points), graph)
        if step in (0, n_steps):
            tree = decode_single(loss.leaves(to_ball(points)).detach())
            result.append((value.item(), structural_entropy(tree, graph)))
        optimizer.zero_grad()
        value.backward()
        optimizer.step()
    return result


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize(("kind", "rate"), [(torch.optim.SGD, 10.0), (torch.optim.Adam, 0.05)])
def test_plain_optimisers_lower_loss_and_entropy(kind, rate, dtype):
    points = torch.randn(30, 4, generator=seeded(), dtype=dtype).requires_grad_()
    before, after = descend(kind([points], lr=rate), points)
    assert after[0] < before[0] and after[1] < before[1]


@pytest.mark.parametrize(
    ("manifold", "place", "to_ball"),
    [
        (geoopt.PoincareBall(), lambda x: on_sphere(x, 0.7), lambda points: points),
        (geoopt.Lorentz(), lift, to_poincare),
        (geoopt.Sphere(), lambda x: on_sphere(x, 1.0), lambda points: points),
    ],
    ids=["ball", "lorentz", "sphere"],
)
@pytest.mark.parametrize("kind", [geoopt.optim.RiemannianSGD, geoopt.optim.RiemannianAdam])
def test_manifolds_of_geoopt(kind, manifold, place, to_ball):
    start = place(torch.randn(30, 4, generator=seeded(), dtype=torch.float64))
    points = geoopt.ManifoldParameter(start, manifold=manifold.double())
    before, after = descend(kind([points], lr=0.1), points, to_ball)
    assert after[0] < before[0] and after[1] < before[1]
    assert manifold.check_point_on_manifold(points.detach(), atol=1e-6)


def test_it_is_a_module_without_state():
    loss = StructuralEntropyLoss(0.5, radius=0.95)
    assert not loss.state_dict() and not list(loss.parameters())
    loss.load_state_dict({})
    points = torch.randn(3, 2, generator=seeded())
    for other in (copy.deepcopy(loss), pickle.loads(pickle.dumps(loss)), loss.double()):
        assert torch.equal(other(points, PATH), loss(points, PATH))
    assert set(torch.nn.Sequential(torch.nn.Linear(2, 2), loss).state_dict()) == {"0.weight", "0.bias"}


@pytest.mark.parametrize(
    ("points", "graph", "text"),
    [
        (torch.zeros(3), PATH, "shape \\(3,\\)"),
        (torch.zeros(0, 2), PATH, "at least 1"),
        (torch.eye(3, dtype=torch.float16), PATH, "points.float()"),
        (torch.eye(3, dtype=torch.int64), PATH, "float32 or float64"),
        (torch.tensor([[1.0, 0.0], [torch.nan, 1.0], [0.0, torch.inf]]), PATH, "2 of 3 rows .* row 1 first"),
        (torch.eye(4), PATH, "4 points for 3 vertices"),
        (torch.eye(3), PATH.subgraph([0, 1, 2]), "tuple"),
        (torch.eye(3), PATH.to_scipy(), "csr_array"),
    ],
)
@pytest.mark.parametrize("radius", [None, 0.9])
def test_errors_name_the_value_and_the_way_out(points, graph, text, radius):
    with pytest.raises((ValueError, TypeError), match=text):
        StructuralEntropyLoss(radius=radius)(points, graph)


@pytest.mark.parametrize("points", [torch.eye(3), torch.diag(torch.tensor([0.5, 0.6, 0.7])), torch.zeros(3, 3)])
def test_leaves_off_the_sphere_are_refused_without_a_radius(points):
    with pytest.raises(ValueError, match="radius=0.9"):
        StructuralEntropyLoss()(points, PATH)
    assert StructuralEntropyLoss(radius=0.9)(points, PATH).isfinite()


@pytest.mark.parametrize(
    ("name", "value"), [("temperature", 0.0), ("temperature", torch.inf), ("radius", 0.0), ("radius", 1.0)]
)
def test_options_are_checked_at_once(name, value):
    with pytest.raises(ValueError, match=f"{name}={value}"):
        StructuralEntropyLoss(**{name: value})

"""Continuous structural entropy: the compiled form is the plain one, and both keep their laws."""

from __future__ import annotations

import math

import numba
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from hypcse.neural.geometry import on_sphere
from hypcse.neural.losses.cse import cse_loss, cse_loss_reference

TEMPERATURES = st.sampled_from([0.1, 0.5, 1.0, 10.0, 1000.0])


@st.composite
def cases(draw, dtype=torch.float64, hard=False):
    """Directions (with doubles and opposites where hard), edges of an often disconnected graph, and weights."""
    n, dim = draw(st.integers(2, 12)), draw(st.integers(2, 5))
    rng = torch.Generator().manual_seed(draw(st.integers(0, 999)))
    directions = torch.randn(n, dim, generator=rng, dtype=dtype)
    if hard:
        source, sign = torch.randint(0, n, (n,), generator=rng), torch.randint(0, 2, (n, 1), generator=rng) * 2 - 1
        directions = directions[source] * sign
    pairs = [(i, j) for i in range(n) for j in range(i)]
    edges = torch.tensor(draw(st.lists(st.sampled_from(pairs), min_size=1, max_size=20, unique=True))).T
    return directions, edges, 0.1 + torch.rand(edges.shape[1], generator=rng, dtype=dtype)


def value_and_gradient(loss, directions, edges, weights, temperature, radius=0.9):
    data = directions.clone().requires_grad_()
    value = loss(on_sphere(data, radius), edges, weights, temperature)
    (gradient,) = torch.autograd.grad(value, data)
    return value.detach(), gradient


@given(cases() | cases(torch.float32), TEMPERATURES)
def test_compiled_is_plain(case, temperature):
    value, gradient = value_and_gradient(cse_loss, *case, temperature)
    expected, slope = value_and_gradient(cse_loss_reference, *case, temperature)
    torch.testing.assert_close(value, expected, rtol=1e-5, atol=1e-5)
    tolerance = 1e-4 * float(slope.abs().max()) + 1e-7
    torch.testing.assert_close(gradient, slope, rtol=1e-4, atol=tolerance)


@given(cases(), TEMPERATURES)
def test_gradients_along_the_sphere_and_the_radius(case, temperature):
    directions, edges, weights = case
    radius = torch.tensor(0.8, dtype=torch.float64, requires_grad=True)
    data = directions.requires_grad_()
    assert torch.autograd.gradcheck(lambda x, r: cse_loss(on_sphere(x, r), edges, weights, temperature), (data, radius))


@given(cases(), TEMPERATURES)
def test_gradients_by_the_weights(case, temperature):
    """Through the sum and through the volumes, with the compiled form's own value."""
    directions, edges, weights = case
    leaves = on_sphere(directions, 0.9)
    value = cse_loss(leaves, edges, weights, temperature)
    data = weights.clone().requires_grad_()
    torch.testing.assert_close(cse_loss(leaves, edges, data, temperature), value)
    assert torch.autograd.gradcheck(lambda w: cse_loss(leaves, edges, w, temperature), (data,))


@given(cases(), TEMPERATURES, st.floats(0.01, 100), st.integers(0, 999))
def test_rotations_renumberings_and_units_of_weight(case, temperature, scale, seed):
    directions, edges, weights = case
    leaves = on_sphere(directions, 0.9)
    rng = torch.Generator().manual_seed(seed)
    value = cse_loss(leaves, edges, weights, temperature)
    n, dim = leaves.shape
    turn = torch.linalg.qr(torch.randn(dim, dim, generator=rng, dtype=leaves.dtype))[0]
    torch.testing.assert_close(cse_loss(leaves @ turn, edges, weights, temperature), value)
    order = torch.randperm(n, generator=rng)
    torch.testing.assert_close(
        cse_loss(leaves[order], torch.argsort(order)[edges.flip(0)], weights, temperature), value
    )
    scaled = cse_loss(leaves, edges, weights * scale, temperature)
    torch.testing.assert_close(scaled, value + math.log2(scale))


@given(cases(), TEMPERATURES)
def test_loss_lies_between_pairs_and_the_whole(case, temperature):
    """0 <= V_hat <= V - V_i - V_j, so that each logarithm lies between V_i + V_j and V."""
    directions, edges, weights = case
    degrees = torch.zeros(len(directions), dtype=weights.dtype).index_add(0, edges.flatten(), weights.repeat(2))
    total = degrees.sum()
    value = float(cse_loss(on_sphere(directions, 0.9), edges, weights, temperature))
    least = 2 / total * (weights * torch.log2(degrees[edges].sum(0))).sum()
    assert float(least) - 1e-9 <= value <= float(torch.log2(total)) + 1e-9


@given(
    cases(torch.float32, hard=True),
    st.sampled_from([1e-3, 0.01, 0.1, 1.0, 1e4]),
    st.sampled_from([0.01, 0.9, 0.999]),
)
def test_nothing_is_ever_infinite(case, temperature, radius):
    """Equal leaves, opposite leaves, hot and cold."""
    for loss in (cse_loss, cse_loss_reference):
        value, gradient = value_and_gradient(loss, *case, temperature, radius)
        assert value.isfinite() and gradient.isfinite().all()


def test_threads_do_not_matter():
    rng = torch.Generator().manual_seed(0)
    directions = torch.randn(300, 16, generator=rng)
    edges = torch.randint(0, 150, (2, 900), generator=rng)
    edges[1] += 150
    case = directions, edges, torch.rand(900, generator=rng)
    before, results = numba.get_num_threads(), []
    try:
        for n_threads in (1, min(2, before)):
            numba.set_num_threads(n_threads)
            results.append(value_and_gradient(cse_loss, *case, 1.0, 0.999))
    finally:
        numba.set_num_threads(before)
    for one, two in zip(*results, strict=True):
        assert torch.equal(one, two)


def test_a_graph_of_no_weight_has_loss_zero():
    leaves = on_sphere(torch.eye(3), 0.5).requires_grad_()
    for edges, weights in (
        (torch.zeros(2, 0, dtype=torch.int64), torch.zeros(0)),
        (torch.tensor([[0], [1]]), torch.zeros(1)),
    ):
        value = cse_loss(leaves, edges, weights, 1.0)
        (gradient,) = torch.autograd.grad(value, leaves)
        assert value.item() == 0 and (gradient == 0).all()


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"edges": torch.tensor([[0, 1], [1, 1]])}, "loop"),
        ({"edges": torch.tensor([[0, 1], [1, 3]])}, "3 leaves"),
        ({"edges": torch.tensor([[0, 1, 2]])}, "each undirected edge once"),
        ({"edges": torch.tensor([[0.0, 1.0], [1.0, 2.0]])}, "integers"),
        ({"weights": torch.tensor([1.0, -1.0])}, "at least 0"),
        ({"weights": torch.tensor([1.0, math.nan])}, "finite"),
        ({"temperature": 0.0}, "positive"),
        ({"leaves": torch.eye(3, dtype=torch.float16) / 2}, "float32"),
        ({"leaves": torch.eye(3)}, "on_sphere"),
    ],
)
def test_errors_name_the_value_and_the_way_out(change, text):
    data = {
        "leaves": torch.eye(3) / 2,
        "edges": torch.tensor([[0, 1], [1, 2]]),
        "weights": torch.ones(2),
        "temperature": 1.0,
    }
    with pytest.raises((ValueError, TypeError), match=text):
        cse_loss(**{**data, **change})

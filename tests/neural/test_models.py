"""The Lorentz model and the Poincaré ball against geoopt, and where floats run out."""

from __future__ import annotations

import geoopt
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from hypcse.neural import geometry

LORENTZ = geoopt.Lorentz()
BALL = geoopt.PoincareBall()


@st.composite
def features(draw, dtype=torch.float64):
    """A few points in a few dimensions, from the origin to far out."""
    seed, n, dim = draw(st.integers(0, 999)), draw(st.integers(1, 6)), draw(st.integers(1, 5))
    spread = draw(st.sampled_from([0.01, 1.0, 20.0]))
    return spread * torch.randn(n, dim, generator=torch.Generator().manual_seed(seed), dtype=dtype)


@given(features())
def test_lorentz_is_geoopts(x):
    points = geometry.lift(x)
    torch.testing.assert_close(geometry.inner(points, points), -torch.ones(len(x), dtype=x.dtype), atol=1e-9, rtol=0)
    others = points.flip(0)
    torch.testing.assert_close(
        geometry.inner(points, others), LORENTZ.inner(points, points, others), atol=1e-9, rtol=1e-12
    )
    torch.testing.assert_close(geometry.distance(points, others), LORENTZ.dist(points, others), atol=1e-5, rtol=1e-7)
    torch.testing.assert_close(geometry.distance_to_origin(points), LORENTZ.dist0(points), atol=1e-6, rtol=1e-7)
    torch.testing.assert_close(geometry.project(3 * points), points, rtol=1e-9, atol=1e-9)


@given(features())
def test_all_pairs_are_pairs(x):
    points = geometry.lift(x)
    one_by_one = geometry.distance(points.unsqueeze(1), points.unsqueeze(0))
    result = geometry.arcosh_one_plus(geometry.pairwise_excess(points, points))
    torch.testing.assert_close(result, one_by_one, atol=1e-4, rtol=1e-7)


@given(features())
def test_the_models_agree(x):
    """There and back is the identity, and distances are the same in both."""
    points = geometry.lift(x)
    ball = geometry.to_poincare(points)
    torch.testing.assert_close(geometry.to_lorentz(ball), points, rtol=1e-9, atol=1e-11)
    torch.testing.assert_close(
        BALL.dist(ball, ball.flip(0)), geometry.distance(points, points.flip(0)), rtol=1e-6, atol=1e-6
    )


@given(features())
def test_centroid_is_on_the_hyperboloid_and_turns_with_the_points(x):
    points = geometry.lift(x)
    middle = geometry.centroid(points)
    assert float(geometry.inner(middle, middle)) == pytest.approx(-1)
    turn = torch.linalg.qr(torch.randn(x.shape[1], x.shape[1], dtype=x.dtype))[0]
    torch.testing.assert_close(geometry.centroid(geometry.lift(x @ turn))[1:], middle[1:] @ turn, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("step", [1e-3, 1e-6, 1e-9])
def test_small_distances_keep_their_digits(step):
    close = torch.tensor([[0.3, -0.4], [0.3 + step, -0.4]], dtype=torch.float64)
    x, y = geometry.lift(close)
    length = step * (1 - 0.09 / 1.25) ** 0.5
    assert float(geometry.distance(x, y)) == pytest.approx(length, rel=2 * step + 1e-6)


def test_gradients_at_equal_points_are_finite():
    data = torch.tensor([[0.1, 0.2], [0.1, 0.2], [0.0, 0.0]], requires_grad=True)
    points = geometry.lift(data)
    geometry.distance(points, points.detach().clone()).sum().backward()
    assert data.grad is not None and data.grad.isfinite().all()


@pytest.mark.parametrize("size", [1e-30, 1.0, 1e30])
def test_on_sphere_takes_directions_of_any_length(size):
    data = torch.tensor([[3.0, 4.0], [-1.0, 0.0]]) * size
    data.requires_grad_()
    leaves = geometry.on_sphere(data, 0.5)
    torch.testing.assert_close(leaves, torch.tensor([[0.3, 0.4], [-0.5, 0.0]]))
    leaves.sum().backward()
    assert data.grad is not None and data.grad.isfinite().all()


def test_a_zero_direction_takes_the_first_axis():
    data = torch.zeros(2, 3, requires_grad=True)
    leaves = geometry.on_sphere(data, 0.9)
    torch.testing.assert_close(leaves, torch.tensor([[0.9, 0.0, 0.0]] * 2))
    leaves.sum().backward()
    assert (data.grad == 0).all()


@given(features())
def test_log_at_the_origin_is_geoopts(x):
    """Whose coordinates are those of the ball, where the metric at the origin is twice the Euclidean one."""
    points = BALL.projx(x)
    result = geometry.log_origin(points)
    torch.testing.assert_close(result, 2 * BALL.logmap0(points))
    torch.testing.assert_close(torch.linalg.vector_norm(result, dim=-1), BALL.dist0(points))

"""The contrastive loss, the centroid loss and their sum."""

from __future__ import annotations

import geoopt
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

from hypcse.neural import geometry
from hypcse.neural.losses.contrast import centroid_loss, contrastive_loss


@st.composite
def views(draw, dtype=torch.float64):
    """Two noisy views of a few points."""
    n, dim = draw(st.integers(2, 8)), draw(st.integers(1, 4))
    rng = torch.Generator().manual_seed(draw(st.integers(0, 999)))
    first = torch.randn(n, dim, generator=rng, dtype=dtype)
    return first, first + draw(st.sampled_from([0.01, 1.0])) * torch.randn(n, dim, generator=rng, dtype=dtype)


@given(views(), st.sampled_from([0.1, 1.0, 1000.0]), st.booleans())
def test_contrast_is_its_definition(pair, temperature, include_positive):
    """Eq. (15) term by term, with geoopt's distances; symmetric in the views, blind to rotations."""
    first, second = (geometry.lift(x) for x in pair)
    similarity = torch.exp(-geoopt.Lorentz().dist(first.unsqueeze(1), second.unsqueeze(0)) / temperature)
    rest = similarity if include_positive else similarity - torch.diag(similarity.diagonal())
    terms = torch.log(rest.sum(0)) + torch.log(rest.sum(1)) - 2 * torch.log(similarity.diagonal())
    value = float(contrastive_loss(first, second, temperature, include_positive))
    assert value == approx(float(terms.mean()) / 2, rel=1e-5, abs=1e-5)
    assert value == approx(float(contrastive_loss(second, first, temperature, include_positive)))
    turn = torch.linalg.qr(torch.randn(pair[0].shape[1], pair[0].shape[1], dtype=torch.float64))[0]
    turned = [geometry.lift(x @ turn) for x in pair]
    assert value == approx(float(contrastive_loss(*turned, temperature, include_positive)), rel=1e-6, abs=1e-6)
    if include_positive:
        assert value >= 0


@given(views(), st.booleans())
def test_gradients_of_the_contrast(pair, include_positive):
    data = [x.requires_grad_() for x in pair]
    assert torch.autograd.gradcheck(
        lambda x, y: contrastive_loss(geometry.lift(x), geometry.lift(y), 0.7, include_positive), data, atol=1e-4
    )


@pytest.mark.parametrize("temperature", [0.05, 1.0, 1000.0])
@pytest.mark.parametrize("include_positive", [True, False])
@pytest.mark.parametrize("n", [2, 5, 300])
def test_the_compiled_contrast_is_the_plain_one(n, include_positive, temperature):
    """Values and gradients in single precision, against torch in double."""
    rng = torch.Generator().manual_seed(n)
    spread = torch.randn(n, 3, generator=rng, dtype=torch.float64)
    result = []
    for dtype in (torch.float32, torch.float64):
        data = [(spread + shift).to(dtype).requires_grad_() for shift in (0.0, 0.3)]
        value = contrastive_loss(*map(geometry.lift, data), temperature, include_positive)
        value.backward()
        result.append((value.item(), torch.cat([x.grad.double() for x in data])))
    assert result[0][0] == approx(result[1][0], rel=1e-5, abs=1e-6)
    assert (result[0][1] - result[1][1]).norm() <= 1e-4 * result[1][1].norm() + 1e-5


@pytest.mark.parametrize("temperature", [1e-3, 1.0, 1e4])
@pytest.mark.parametrize("include_positive", [True, False])
def test_equal_views_and_equal_points_have_finite_gradients(temperature, include_positive):
    data = torch.tensor([[1.0, 2.0], [1.0, 2.0], [30.0, -40.0]], requires_grad=True)
    points = geometry.lift(data)
    value = contrastive_loss(points, points, temperature, include_positive)
    value.backward()
    assert value.isfinite() and data.grad is not None and data.grad.isfinite().all()


def test_views_that_do_not_match_are_refused():
    points = geometry.lift(torch.ones(3, 2))
    with pytest.raises(ValueError, match="same vertex"):
        contrastive_loss(points, points[:2], 1.0)
    with pytest.raises(ValueError, match="at least 2"):
        contrastive_loss(points[:1], points[:1], 1.0, include_positive=False)
    with pytest.raises(ValueError, match="temperature=-1"):
        contrastive_loss(points, points, -1)


@given(views(), st.sampled_from([torch.float32, torch.float64]))
def test_centroid_loss(pair, dtype):
    """Zero for points with their opposites, the radius for copies of one point, a gradient everywhere."""
    x = pair[0].to(dtype)
    assert float(centroid_loss(geometry.lift(torch.cat([x, -x])))) == approx(0, abs=1e-5)
    copies = geometry.lift(x[:1].expand(4, -1))
    assert float(centroid_loss(copies)) == approx(float(geometry.distance_to_origin(copies[0])), rel=1e-4)
    data = torch.cat([x, -x]).requires_grad_()
    centroid_loss(geometry.lift(data)).backward()
    assert data.grad is not None and data.grad.isfinite().all()


@given(views())
def test_gradients_of_the_centroid_loss(pair):
    assert torch.autograd.gradcheck(lambda x: centroid_loss(geometry.lift(x)), (pair[0].requires_grad_(),), atol=1e-4)

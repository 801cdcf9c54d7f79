"""Depth of lowest common ancestors: its definition, its symmetries and its edges."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from hypcse.neural import geometry
from hypcse.neural.geometry import lca_depth

RADII = st.sampled_from([0.01, 0.3, 0.9, 0.999])


def directions(seed: int, n: int, dim: int, dtype: torch.dtype = torch.float64) -> Tensor:
    return torch.randn(n, dim, generator=torch.Generator().manual_seed(seed), dtype=dtype)


def depth_by_reflections(x: Tensor, y: Tensor) -> Tensor:
    """Eq. (6) with its two misprints put right: artanh|o_ref|, and x reflected at the line through y_inv."""

    def inverted(point: Tensor, center: Tensor) -> Tensor:
        away = point - center
        return (center.square().sum() - 1) / away.square().sum() * away + center

    center = x / x.square().sum()
    line = inverted(y, center)
    return torch.atanh(torch.linalg.vector_norm(inverted(2 * (x @ line) / (line @ line) * line - x, center)))


@given(st.integers(0, 999), st.integers(2, 8), st.integers(2, 5), RADII)
def test_it_is_the_reflections(seed, n, dim, radius):
    leaves = geometry.on_sphere(directions(seed, n, dim), radius)
    depth = lca_depth(leaves)
    i, j = torch.triu_indices(n, n, offset=1)
    reflected = torch.stack([depth_by_reflections(leaves[a], leaves[b]) for a, b in zip(i, j, strict=True)])
    torch.testing.assert_close(depth[i, j], reflected, rtol=1e-10, atol=1e-10)
    torch.testing.assert_close(depth, depth.T, rtol=1e-12, atol=1e-12)
    leaf_depth = 2 * torch.atanh(torch.tensor(radius, dtype=torch.float64))
    torch.testing.assert_close(depth.diagonal(), leaf_depth.expand(n), rtol=1e-7, atol=1e-7)
    assert (depth >= 0).all() and (depth <= leaf_depth * (1 + 1e-9)).all()


@given(st.integers(0, 999), st.integers(2, 5), RADII)
def test_a_rotation_changes_no_depth(seed, dim, radius):
    leaves = geometry.on_sphere(directions(seed, 6, dim), radius)
    turn = torch.linalg.qr(directions(seed + 1, dim, dim))[0]
    torch.testing.assert_close(lca_depth(leaves @ turn), lca_depth(leaves), rtol=1e-9, atol=1e-9)


@given(st.integers(0, 999), RADII)
def test_gradients_along_the_sphere_and_along_the_radius(seed, radius):
    data = directions(seed, 4, 3).requires_grad_()
    size = torch.tensor(radius, dtype=torch.float64, requires_grad=True)
    i, j = torch.triu_indices(4, 4, offset=1)
    assert torch.autograd.gradcheck(lambda x, r: lca_depth(geometry.on_sphere(x, r))[i, j], (data, size), atol=1e-4)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("radius", [0.01, 0.999])
def test_equal_and_opposite_leaves_have_finite_gradients(dtype, radius):
    data = torch.tensor([[1, 2, 3], [1, 2, 3], [-1, -2, -3], [1, 2, 3.0001]], dtype=dtype, requires_grad=True)
    leaves = geometry.on_sphere(data, radius)
    depth = lca_depth(leaves)
    assert depth.isfinite().all() and (depth >= 0).all()
    (gradient,) = torch.autograd.grad(depth.sum(), data)
    assert gradient.isfinite().all()


def test_leaves_of_two_radii_are_refused():
    with pytest.raises(ValueError, match="on_sphere"):
        lca_depth(torch.tensor([[0.5, 0.0], [0.0, 0.6]]))
    with pytest.raises(ValueError, match="below 1"):
        lca_depth(torch.tensor([[1.0, 0.0], [0.0, 1.0]]))

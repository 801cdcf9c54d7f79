"""Kernels over pairs of points and over whole rows, against NumPy in double precision."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from hypcse.kernels.losses.all_pairs import exp_in_place, log_in_place
from hypcse.kernels.points.rows import pair_dots, pair_gaps
from hypcse.neural.geometry import _CompiledPairDepth, plain_depth


@given(st.integers(0, 1000), st.integers(1, 70), st.integers(1, 40), st.sampled_from([np.float32, np.float64]))
def test_pairs_are_numpys_and_the_same_both_ways(seed, n_features, n_points, dtype):
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=(2, n_points, n_features)).astype(dtype)
    i, j = rng.integers(0, n_points, (2, 1500))
    tolerance = {"rtol": 1e-5, "atol": 1e-5} if dtype == np.float32 else {"rtol": 1e-12, "atol": 1e-12}
    wide = x.astype(np.float64)
    assert_allclose(pair_dots(i, j, x, y), (wide[i] * y[j].astype(np.float64)).sum(1), **tolerance)
    assert_allclose(pair_gaps(i, j, x), np.square(wide[i] - wide[j]).sum(1), **tolerance)
    assert_array_equal(pair_dots(i, j, x, x), pair_dots(j, i, x, x))
    assert_array_equal(pair_gaps(i, j, x), pair_gaps(j, i, x))


def test_exponential_of_rows():
    x = np.concatenate([np.linspace(-87, 0, 100_001), -np.geomspace(1e-30, 1, 1001)]).astype(np.float32)
    found = x.copy()
    exp_in_place(found, np.empty(x.size, np.int32))
    assert_allclose(found, np.exp(x.astype(np.float64)), rtol=2.5e-7)


def test_exponential_ends_at_the_least_normal_number():
    found = np.array([-88.0, -1e30, -np.inf], np.float32)
    exp_in_place(found, np.empty(3, np.int32))
    assert ((found > 0) & (found < 2e-38)).all()


def test_logarithm_of_rows():
    x = np.concatenate([np.geomspace(1e-37, 1e38, 100_001), 1 + np.linspace(-0.02, 0.02, 10_001)]).astype(np.float32)
    found = x.copy()
    log_in_place(found)
    assert_allclose(found, np.log(x.astype(np.float64)), rtol=2.5e-7)


@pytest.mark.parametrize("radius", [0.01, 0.5, 0.999])
@pytest.mark.parametrize("n_points", [1, 2, 37, 300])
def test_compiled_depths_and_gradients_are_the_plain_ones(radius, n_points):
    """With equal and opposite leaves among them; in float32, against torch in float64."""
    rng = np.random.default_rng(n_points)
    given_points = rng.normal(size=(n_points, 3))
    if n_points > 2:
        given_points[1], given_points[2] = given_points[0], -given_points[0]
    rates = torch.from_numpy(rng.normal(size=(n_points, n_points)))
    # At equal and at opposite leaves a slope is as large as rounding lets it be: there only finiteness is asked for.
    found = _depth_and_gradients(_CompiledPairDepth.apply, given_points, radius, rates, torch.float32)
    wanted = _depth_and_gradients(plain_depth, given_points, radius, rates, torch.float64)
    for ours, plain, tolerance in zip(found, wanted, (2e-3, 2e-2, 2e-2), strict=True):
        assert np.isfinite(ours).all()
        assert_allclose(ours, plain, atol=tolerance * float(np.abs(plain).max() + 1e-6))


def _depth_and_gradients(form, points, radius, rates, dtype):
    free = torch.from_numpy(points).to(dtype).requires_grad_()
    length = torch.tensor(radius, dtype=dtype, requires_grad=True)
    depth = form(torch.nn.functional.normalize(free), length)
    away = ~torch.eye(len(points), dtype=torch.bool)
    if len(points) > 2:
        away[:3, :3] = False
    (depth * rates.to(dtype) * away).sum().backward()
    return (depth * away).detach().double().numpy(), free.grad.double().numpy(), length.grad.double().numpy()

"""The kernel of Eq. (9) against its definition, in all three ranges of depth over temperature."""

from __future__ import annotations

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypcse.kernels.losses.lca_volume import adjacency, lca_volume, lca_volume_gradient


@st.composite
def cases(draw, dtype=np.float64):
    """Symmetric depths from 0 to 8 with ties, volumes some of which are 0, and edges, some of them double."""
    n = draw(st.integers(2, 12))
    rng = np.random.default_rng(draw(st.integers(0, 999)))
    depth = np.round(rng.uniform(0, 8, (n, n)), draw(st.sampled_from([0, 6])))
    volumes = rng.random(n) * (rng.random(n) < 0.8)
    pairs = [(i, j) for i in range(n) for j in range(i)]
    first, second = np.array(draw(st.lists(st.sampled_from(pairs), min_size=1, max_size=20))).T.astype(np.int64)
    return ((depth + depth.T) / 2).astype(dtype), volumes.astype(dtype), first, second


def volume_by_definition(depth, volumes, i, j, temperature):
    """Eq. (9) with a softmax whose largest exponent is 0, in double precision."""
    total = 0.0
    for k in set(range(len(volumes))) - {i, j}:
        exponents = -np.array([depth[i, j], depth[i, k], depth[j, k]], np.float64) / temperature
        shares = np.exp(exponents - exponents.max())
        total += volumes[k] * shares[0] / shares.sum()
    return total


TEMPERATURES = st.sampled_from([1e-3, 0.02, 0.5, 1.0, 1e4])


@given(cases() | cases(np.float32), TEMPERATURES)
def test_volume_is_its_definition(case, temperature):
    depth, volumes, first, second = case
    rows = adjacency(first, second, len(volumes))
    found = lca_volume(depth, volumes, rows, temperature)
    expected = [volume_by_definition(depth, volumes, i, j, temperature) for i, j in zip(first, second, strict=True)]
    tolerance = 1e-5 if depth.dtype == np.float32 else 1e-10
    assert found.volume.dtype == depth.dtype
    np.testing.assert_allclose(found.volume, np.array(expected)[rows.edge], rtol=tolerance, atol=tolerance)
    others = volumes.sum() - volumes[first] - volumes[second]
    assert (found.volume >= 0).all() and (found.volume <= others[rows.edge] * (1 + 1e-6) + 1e-6).all()


@given(cases(), TEMPERATURES.filter(lambda t: t >= 0.5), st.integers(0, 999))
def test_gradient_is_the_slope(case, temperature, seed):
    """Central differences along a random symmetric direction."""
    depth, volumes, first, second = case
    rng = np.random.default_rng(seed)
    rows = adjacency(first, second, len(volumes))
    upstream = rng.standard_normal(first.size)
    way = rng.standard_normal(depth.shape)
    way += way.T
    gradient = lca_volume_gradient(lca_volume(depth, volumes, rows, temperature), volumes, rows, temperature, upstream)

    def value(step):
        found = lca_volume(depth + step * way, volumes, rows, temperature)
        return np.dot(found.volume, upstream[rows.edge]) / 2

    step = 1e-5 * min(temperature, 10)
    assert (gradient * way).sum() == pytest.approx((value(step) - value(-step)) / (2 * step), rel=1e-5, abs=1e-8)


@given(cases(np.float32), st.sampled_from([1e-3, 0.02, 0.5, 1e4]))
def test_single_precision_is_double_precision(case, temperature):
    """Values and gradients, also where single precision alone would underflow."""
    depth, volumes, first, second = case
    rows = adjacency(first, second, len(volumes))
    upstream = np.ones(first.size, np.float32)
    found = []
    for kind in (np.float32, np.float64):
        forward = lca_volume(depth.astype(kind), volumes.astype(kind), rows, temperature)
        backward = lca_volume_gradient(forward, volumes.astype(kind), rows, temperature, upstream.astype(kind))
        found.append((forward.volume, backward * temperature))
    for single, double in zip(*found, strict=True):
        assert single.dtype == np.float32 and np.isfinite(single).all()
        np.testing.assert_allclose(single, double, rtol=1e-4, atol=1e-5)


@given(cases())
def test_safe_form_is_the_fast_form(case):
    """One far pair outside all edges changes the range, hence the form, and no answer but by its own share."""
    depth, volumes, first, second = case
    n = len(volumes)
    wide = np.full((n + 2, n + 2), 8.0)
    wide[:n, :n] = depth
    wide[n, n + 1] = wide[n + 1, n] = 2000.0
    padded = np.append(volumes, [0.0, 0.0])
    upstream = np.arange(1.0, first.size + 1)
    results = []
    for given_depth, given_volumes in ((depth, volumes), (wide, padded)):
        rows = adjacency(first, second, len(given_volumes))
        found = lca_volume(given_depth, given_volumes, rows, 1.0)
        gradient = lca_volume_gradient(found, given_volumes, rows, 1.0, upstream)
        results.append((found.safe, found.volume, gradient[:n, :n]))
    assert [safe for safe, _, _ in results] == [False, True]
    np.testing.assert_allclose(results[0][1], results[1][1], rtol=1e-10)
    np.testing.assert_allclose(results[0][2], results[1][2], rtol=1e-9, atol=1e-12)


def test_both_directions_and_any_number_of_threads_give_the_same_bits():
    rng = np.random.default_rng(0)
    n, m = 300, 900
    depth = rng.uniform(0, 8, (n, n)).astype(np.float32)
    depth = (depth + depth.T) / 2
    first = rng.integers(0, n - 1, m)
    second = first + 1 + rng.integers(0, n - 1 - first)
    rows = adjacency(first, second, n)
    volumes, upstream = rng.random(n, np.float32), rng.random(m, np.float32)
    before, results = numba.get_num_threads(), []
    try:
        for n_threads in (1, min(2, before)):
            numba.set_num_threads(n_threads)
            found = lca_volume(depth, volumes, rows, 1.0)
            results.append((found.volume, lca_volume_gradient(found, volumes, rows, 1.0, upstream)))
    finally:
        numba.set_num_threads(before)
    for one, two in zip(*results, strict=True):
        np.testing.assert_array_equal(one, two)
    by_edge = np.empty(m, np.float32)
    by_edge[rows.edge] = results[0][0]
    np.testing.assert_array_equal(by_edge[rows.edge], results[0][0])

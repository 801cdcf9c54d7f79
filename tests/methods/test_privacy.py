"""Noise scales, against the exact laws of the distributions and against all that a changed edge can do."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import chi2, laplace, norm

from hypcse.methods.spectral.privacy import (
    Budget,
    gaussian_scale,
    laplace_bound,
    laplace_scale,
    low_rank_sensitivity,
    projection_width,
)

EPSILON = st.floats(0.01, 50)
DELTA = st.floats(1e-12, 0.1)


@given(epsilon=EPSILON, delta=DELTA, sensitivity=st.floats(0.1, 100))
def test_gaussian_noise_keeps_its_promise(epsilon, delta, sensitivity):
    """The exact delta of Gaussian noise (Balle and Wang, 2018) is not above the one promised."""
    ratio = sensitivity / gaussian_scale(sensitivity, epsilon, delta)
    log_second = epsilon + norm.logcdf(-ratio / 2 - epsilon / ratio)
    assert norm.cdf(ratio / 2 - epsilon / ratio) - np.exp(log_second) <= delta


@given(epsilon=EPSILON, sensitivity=st.floats(0.1, 10), place=st.floats(-30, 30))
def test_laplace_noise_keeps_its_promise(epsilon, sensitivity, place):
    scale = laplace_scale(sensitivity, epsilon)
    at = place * scale
    moved = laplace.logpdf(at, scale=scale) - laplace.logpdf(at, loc=sensitivity, scale=scale)
    assert abs(moved) <= epsilon * (1 + 1e-9)


@given(scale=st.floats(0.1, 100), delta=DELTA)
def test_laplace_bound_is_exceeded_as_often_as_said(scale, delta):
    assert laplace.sf(laplace_bound(scale, delta), scale=scale) == pytest.approx(delta)


@given(DELTA)
def test_projection_is_wide_enough(delta):
    width = projection_width(delta)
    assert chi2.sf(2 * width, width) <= delta


@given(n=st.integers(12, 40), k=st.integers(1, 4), seed=st.integers(0, 10_000))
def test_low_rank_part_moves_no_further_than_said(n, k, seed):
    """Block matrices with a gap after k eigenvalues, and any edge changed by any weight."""
    rng = np.random.default_rng(seed)
    block = np.arange(n) % k
    A = np.where(block[:, None] == block, 0.9, 0.1) * rng.uniform(0.5, 1, (n, n))
    A = np.triu(A, 1) + np.triu(A, 1).T
    values = np.linalg.eigvalsh(A)[::-1]
    gap = values[k - 1] - values[k]
    assume(gap > 2.05)
    i, j = rng.choice(n, 2, replace=False)
    B = A.copy()
    B[i, j] = B[j, i] = rng.choice([0.0, 1.0, rng.random()])
    moved = np.linalg.norm(_rank(A, k) - _rank(B, k))
    assert moved <= low_rank_sensitivity(abs(values[k - 1]), gap)


def _rank(A, k):
    values, vectors = np.linalg.eigh(A)
    return (vectors[:, -k:] * values[-k:]) @ vectors[:, -k:].T


@pytest.mark.parametrize(("epsilon", "delta"), [(0.0, 1e-6), (-1.0, 1e-6), (1.0, 0.0), (1.0, 0.5)])
def test_errors(epsilon, delta):
    with pytest.raises(ValueError, match="epsilon=|delta="):
        Budget(epsilon, delta)

"""The learned graph against dense matrices."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest
import torch
from edge_strategies import is_sound, seeded
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from torch.testing import assert_close

from graph_strategies import dense
from hypcse._choices import LearnerSimilarity
from hypcse.neural import graph_learner
from hypcse.neural.graph_learner import learned_graph

KINDS = get_args(LearnerSimilarity)


@st.composite
def embeddings(draw):
    """Few values, so that ties, copies, rows of zeros and constant columns are common; or all their bits."""
    n, d = draw(st.integers(1, 12)), draw(st.integers(1, 4))
    elements = draw(st.sampled_from([st.sampled_from([-1.0, 0.0, 1.0, 2.0]), st.floats(-3, 3)]))
    return torch.from_numpy(draw(arrays(np.float64, (n, d), elements=elements)))


def dense_similarity(x, kind):
    if kind == "cosine":
        unit = torch.nn.functional.normalize(x)
        return (unit @ unit.T).clamp(min=0.01)
    low, high = x.amin(0), x.amax(0)
    scaled = (x - low) / torch.where(high > low, high - low, 1) * (x.max() - x.min()) + x.min()
    return torch.exp(-torch.cdist(scaled, scaled, compute_mode="donot_use_mm_for_euclid_dist").square() / 2)


def dense_graph(x, chosen, kind):
    """The formula of the docstring, for the chosen neighbors, a (n, n) mask."""
    s = dense_similarity(x, kind)
    A = torch.where(chosen, s, 0)
    with_self = A + s.diagonal().diag()
    C = with_self.sum(0) + with_self.sum(1) if kind == "cosine" else torch.ones(len(x), dtype=x.dtype)
    W = (A + A.T) / 2 * C.rsqrt()[:, None] * C.rsqrt()
    root = W.sum(1).rsqrt().nan_to_num(posinf=0)
    return root[:, None] * W * root


@pytest.mark.parametrize("kind", KINDS)
@given(embeddings(), st.integers(1, 14))
@example(torch.tensor([[2.2e-309, 1.0], [0.0, 0.0]], dtype=torch.float64), 1)
def test_sound_and_each_vertex_has_its_neighbors(kind, x, p):
    """Symmetric, positive, no loops; at least p neighbors, the best among them, however many blocks are used."""
    graph = learned_graph(x, p, kind)
    n, p = len(x), min(p, len(x) - 1)
    assert is_sound(graph)
    assert (graph.pointers.diff() >= p).all()
    s = dense_similarity(x, kind).fill_diagonal_(-1)
    linked = dense(graph) > 0
    for i in range(n):
        worst = s[i].sort(descending=True).values[p - 1] if p else 2.0
        # Whoever is strictly better than the p-th is linked; rounding aside.
        assert linked[i][s[i] > worst + 1e-9].all()
    assert linked.sum() <= 2 * n * p


@pytest.mark.parametrize("kind", KINDS)
@given(st.integers(2, 12), st.integers(1, 12), st.integers(0, 100))
def test_weights_are_the_dense_formula(kind, n, p, seed):
    """Without ties, the top p of each row of the dense matrix, averaged with its transpose and normalized."""
    x = torch.randn(n, 3, generator=seeded(seed), dtype=torch.float64)
    # Floored cosines would tie.
    x = x.abs() if kind == "cosine" else x
    s = dense_similarity(x, kind).fill_diagonal_(-1)
    chosen = torch.zeros(n, n, dtype=torch.bool).scatter(1, s.topk(min(p, n - 1), dim=1).indices, True)
    assert_close(dense(learned_graph(x, p, kind)), dense_graph(x, chosen, kind), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
@given(n=st.integers(5, 30), seed=st.integers(0, 99))
def test_blocks_do_not_matter(kind, n, seed):
    """Without ties: a product of one row may round otherwise than one of many, and so break them otherwise."""
    x = torch.randn(n, 3, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    whole = learned_graph(x, 3, kind)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(graph_learner, "BLOCK", 1)
        rows = learned_graph(x, 3, kind)
    assert_close(dense(rows), dense(whole))


def test_the_smaller_id_wins_a_tie():
    x = torch.ones(6, 2)
    assert learned_graph(x, 2).once()[0].T.tolist() == [[0, k] for k in range(1, 6)] + [[1, k] for k in range(2, 6)]


@pytest.mark.parametrize("kind", KINDS)
def test_gradient(kind):
    """Of the weights by the embeddings, neighbors fixed: those of a point in general position."""
    x = torch.rand(6, 3, generator=seeded(), dtype=torch.float64).requires_grad_()
    assert torch.autograd.gradcheck(lambda x: learned_graph(x, 2, kind).weight, (x,))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_extreme_embeddings_stay_finite(kind, scale):
    """Float32, points far apart, with copies, a row of zeros and a constant column."""
    x = torch.randn(40, 3, generator=seeded()) * scale
    x[:5], x[5], x[:, 2] = x[6], 0.0, 1.0
    x.requires_grad_()
    graph = learned_graph(x, 4, kind)
    assert is_sound(graph) and graph.weight.isfinite().all()
    (gradient,) = torch.autograd.grad(graph.weight.square().sum(), x)
    assert gradient.isfinite().all()

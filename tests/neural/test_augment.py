"""Dropped edges and masked features."""

from __future__ import annotations

import torch
from edge_strategies import edge_tensors, is_sound, pairs, seeded
from hypothesis import given
from hypothesis import strategies as st

from graph_strategies import dense
from hypcse.graph import Graph
from hypcse.neural.graph_learner import drop_edges, mask_features


@given(edge_tensors(), st.sampled_from([0.0, 0.4, 1.0]), st.integers(0, 9))
def test_dropping_keeps_the_weights_of_the_rest(edges, rate, seed):
    left = drop_edges(edges, rate, seeded(seed))
    assert is_sound(left) and pairs(left) <= pairs(edges)
    assert torch.equal(dense(left), torch.where(dense(left) > 0, dense(edges), 0.0))
    assert rate > 0 or pairs(left) == pairs(edges)
    assert rate < 1 or not pairs(left)


def test_share_of_dropped_edges_and_their_gradient():
    i, j = torch.triu_indices(100, 100, 1).tolist()
    edges = Graph.from_edges(i, j).to_tensors()
    weight = edges.weight.clone().requires_grad_()
    left = drop_edges(edges.with_weight(weight), 0.3, seeded())
    # Six standard deviations of a share of 4,950 edges.
    assert abs(left.weight.numel() / weight.numel() - 0.7) < 6 * (0.21 / 4950) ** 0.5
    left.weight.sum().backward()
    assert weight.grad.sum() == left.weight.numel()


@given(st.integers(1, 5), st.integers(1, 30), st.floats(0, 1), st.integers(0, 9))
def test_masked_columns_are_zero_and_others_as_they_were(n, d, rate, seed):
    x = torch.rand(n, d, generator=seeded(seed)) + 1
    masked = mask_features(x, rate, seeded(seed))
    zero = (masked == 0).all(0)
    assert torch.equal(masked[:, ~zero], x[:, ~zero])
    assert torch.equal(mask_features(x, 0.0, seeded(seed)), x)
    assert not mask_features(x, 1.0, seeded(seed)).any()


def test_few_columns_are_masked_at_the_asked_rate():
    """The released code masks int(13 * 0.05) = 0 columns."""
    generator, x = seeded(), torch.ones(1, 13)
    masked = sum((mask_features(x, 0.05, generator) == 0).sum().item() for _ in range(2000))
    assert abs(masked / 26_000 - 0.05) < 6 * (0.05 / 26_000) ** 0.5


def test_the_generator_alone_decides():
    x = torch.rand(3, 50, generator=seeded())
    torch.manual_seed(1)
    first = mask_features(x, 0.5, seeded(3))
    assert torch.equal(first, mask_features(x, 0.5, seeded(3)))
    assert not torch.equal(first, mask_features(x, 0.5, seeded(4)))

"""The graph learner starts at the features it is given."""

from __future__ import annotations

import pytest
import torch
from edge_strategies import edge_tensors, seeded
from hypothesis import given
from torch.testing import assert_close

from graph_strategies import dense
from hypcse.graph import Graph
from hypcse.neural.graph_learner import GraphLearner


def dense_smoothing(anchor):
    W = dense(anchor) + torch.eye(anchor.n_vertices, dtype=anchor.weight.dtype)
    root = W.sum(1).rsqrt()
    return root[:, None] * W * root


@given(edge_tensors())
def test_identity_start(anchor):
    """On features of at least 0 the mlp returns them and the gcn S^2 x; between layers, signs meet the relu."""
    x = torch.rand(anchor.n_vertices, 4, generator=seeded(), dtype=torch.float64)
    mlp = GraphLearner(4, "mlp").double()
    assert torch.equal(mlp(x, anchor), x)
    assert torch.equal(mlp(-x, anchor), torch.zeros_like(x))
    smoothing = dense_smoothing(anchor)
    assert_close(GraphLearner(4, "gcn").double()(x, anchor), smoothing @ smoothing @ x)


@given(edge_tensors())
def test_gcn_is_the_dense_formula(anchor):
    """With any parameters: S relu(S X A^T + a) B^T + b."""
    learner = GraphLearner(3).double()
    with torch.no_grad():
        for parameter in learner.parameters():
            parameter.normal_(generator=seeded(1))
    (A, a), (B, b) = ((layer.weight, layer.bias) for layer in learner.maps)
    x = torch.randn(anchor.n_vertices, 3, generator=seeded(2), dtype=torch.float64)
    S = dense_smoothing(anchor)
    assert_close(learner(x, anchor), S @ (S @ x @ A.T + a).relu() @ B.T + b)


@pytest.mark.parametrize("kind", ["gcn", "mlp"])
def test_every_parameter_learns(kind):
    anchor = Graph.from_edges(range(3), range(1, 4)).to_tensors()
    learner = GraphLearner(2, kind)
    learner(torch.rand(4, 2, generator=seeded()), anchor).square().sum().backward()
    assert all(parameter.grad.abs().sum() > 0 for parameter in learner.parameters())


def test_the_global_generator_is_left_alone():
    before = torch.get_rng_state()
    GraphLearner(5)
    assert torch.equal(torch.get_rng_state(), before)

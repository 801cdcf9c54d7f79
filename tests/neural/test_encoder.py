"""The Lorentz layers: on the hyperboloid, invariant to the order of vertices, without a global seed."""

from __future__ import annotations

import math

import pytest
import torch
from pytest import approx

from graph_strategies import dense
from hypcse import Graph
from hypcse.neural.encoder import AttentionAggregation, Encoder, LorentzLinear, Projector, mean_aggregation
from hypcse.neural.geometry import inner, lift, project
from hypcse.neural.tensors import EdgeTensors


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def points(n=12, dim=4, seed=0):
    return torch.randn(n, dim, generator=seeded(seed))


def ring(n=12):
    ends = torch.arange(n)
    return Graph.from_edges(ends.numpy(), ((ends + 1) % n).numpy(), torch.rand(n, generator=seeded(1)).numpy() + 0.1, n)


def on_hyperboloid(x):
    return torch.allclose(inner(x, x), torch.full(x.shape[:-1], -1.0), rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("activate", [False, True])
def test_linear_layer_is_eq_10(activate):
    layer = LorentzLinear(4, 3, seeded(), activate=activate)
    assert (layer.weight[:, 0] == 0).all()
    x = lift(points())
    y = layer(x)
    assert on_hyperboloid(y)
    plain = torch.nn.functional.linear(x.relu() if activate else x, layer.weight, layer.bias)
    moved = plain[:, 1:].norm(dim=1) > 0
    assert y[moved, 0].tolist() == approx((plain[moved, 0].sigmoid() * 10 + 1.1).tolist(), rel=1e-5)
    cosine = torch.nn.functional.cosine_similarity(y[moved, 1:], plain[moved, 1:])
    assert cosine.tolist() == approx([1.0] * int(moved.sum()), abs=1e-5)
    assert layer.log_scale.item() == approx(math.log(10))


def test_mean_aggregation_is_the_projected_sum():
    x = lift(points())
    edges = ring().to_tensors()
    assert torch.allclose(mean_aggregation(x, edges), project(dense(edges) @ x), atol=1e-5)
    alone = EdgeTensors.from_pairs(torch.tensor([[0], [1]]), torch.ones(1), 12)
    assert torch.allclose(mean_aggregation(x, alone)[2:], x[2:], atol=1e-5)


def test_attention_weights_sum_to_one():
    """A vertex whose neighbors coincide is moved to them; every output lies on the hyperboloid."""
    layer = AttentionAggregation(4, seeded())
    x = lift(points())
    edges = ring().to_tensors()
    assert on_hyperboloid(layer(x, edges))
    same = x[:1].expand(12, -1)
    assert torch.allclose(layer(same, edges), same, atol=1e-4)
    layer(x, edges).sum().backward()
    assert all(p.grad is not None and torch.isfinite(p.grad).all() for p in layer.parameters())


@pytest.mark.parametrize("aggregation", ["mean", "attention"])
def test_encoder_does_not_depend_on_the_order_of_vertices(aggregation):
    encoder = Encoder(4, 8, 3, seeded(), aggregation=aggregation)
    x, graph = points(), ring()
    order = torch.randperm(12, generator=seeded(5))
    moved = graph.subgraph(order.numpy())[0]
    one = encoder(x, graph.to_tensors())
    two = encoder(x[order], moved.to_tensors())
    assert on_hyperboloid(one)
    assert torch.allclose(one[order], two, atol=1e-4)
    leaves = encoder.leaves(one)
    assert leaves.norm(dim=1).tolist() == approx([0.999] * 12, rel=1e-5)


@pytest.mark.parametrize("aggregation", ["mean", "attention"])
def test_a_new_vertex_with_the_links_of_an_old_one_is_encoded_alike(aggregation):
    """Whatever factor its weights have in common, and whoever is encoded with it."""
    encoder = Encoder(4, 8, 3, seeded(), aggregation=aggregation)
    x, edges = points(), ring().to_tensors().normalized()
    everyone = encoder(x, edges)
    index, weight = edges.index[1].reshape(12, 2), edges.weight.reshape(12, 2)
    sources = encoder.sources(x, edges)
    assert [len(sent) for sent in sources] == [12] * 3
    result = encoder.extend(sources, x, index, weight)
    assert on_hyperboloid(result)
    assert torch.allclose(result, everyone, atol=1e-4)
    assert torch.allclose(encoder.extend(sources, x[3:5], index[3:5], 7 * weight[3:5]), everyone[3:5], atol=1e-4)


def test_randomness_comes_from_generators_alone():
    torch.manual_seed(0)
    first = Encoder(4, 8, 3, seeded(2), dropout=0.5)
    torch.manual_seed(1)
    second = Encoder(4, 8, 3, seeded(2), dropout=0.5)
    x, edges = points(), ring().to_tensors()
    assert torch.equal(first(x, edges), second(x, edges))
    assert torch.equal(first(x, edges, seeded(3)), second(x, edges, seeded(3)))
    assert not torch.equal(first(x, edges, seeded(3)), first(x, edges))


def test_radius_stays_within_its_limits():
    encoder = Encoder(4, 8, 3, seeded())
    with torch.no_grad():
        encoder.radius.fill_(5.0)
    z = encoder(points(), ring().to_tensors())
    assert encoder.leaves(z).norm(dim=1).max().item() == approx(0.999, rel=1e-5)


def test_projector():
    projector = Projector(3, 5, seeded())
    assert on_hyperboloid(projector(lift(points(dim=3))))
    assert projector(lift(points(dim=3))).shape == (12, 6)

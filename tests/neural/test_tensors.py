"""EdgeTensors against dense matrices and SciPy."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from graph_strategies import dense, graphs
from hypcse.graph import Graph
from hypcse.neural.tensors import EdgeTensors

cases = st.integers(1, 9).flatmap(graphs)


def features(graph, d=3):
    return torch.from_numpy(np.random.default_rng(0).normal(size=(graph.n_vertices, d)))


@given(cases)
def test_round_trip(graph):
    """Graph -> EdgeTensors -> Graph loses the diagonal only."""
    edges = graph.to_tensors(dtype=torch.float64)
    assert edges.to_graph() == graph.without_loops()
    assert graph.to_tensors().weight.dtype == torch.float32
    assert edges.n_vertices == graph.n_vertices
    assert_array_equal(dense(edges), graph.without_loops().to_scipy().toarray())


@given(cases)
def test_edges_once_and_back(graph):
    edges = graph.to_tensors(dtype=torch.float64)
    ends, weight = edges.once()
    i, j, w = graph.edges()
    assert_array_equal(ends, np.stack([i, j]))
    assert_array_equal(weight, w)
    again = EdgeTensors.from_pairs(ends.flip(0), weight, edges.n_vertices)
    assert torch.equal(again.index, edges.index) and torch.equal(again.weight, edges.weight)


@given(cases)
def test_layout(graph):
    """Entries are in the order of (row, column), and `reverse` exchanges the two directions."""
    edges = graph.to_tensors(dtype=torch.float64)
    keys = edges.index[0] * edges.n_vertices + edges.index[1]
    assert (keys.diff() > 0).all()
    assert torch.equal(edges.index[:, edges.reverse], edges.index.flip(0))
    assert_array_equal(edges.pointers, graph.indptr)


@given(cases)
def test_aggregate_is_scipys_product(graph):
    edges, x = graph.to_tensors(dtype=torch.float64), features(graph)
    W = graph.without_loops().to_scipy()
    assert_allclose(edges.aggregate(x), W @ x.numpy(), atol=1e-12)
    assert_allclose(edges.degrees(), graph.edge_degrees)
    looped = edges.with_loops()
    assert_allclose(looped.aggregate(x), W @ x.numpy() + x.numpy(), atol=1e-12)
    assert_array_equal(looped.to_graph().self_weights, np.ones(graph.n_vertices))


@given(cases)
def test_normalized_is_the_dense_formula(graph):
    """D^-1/2 W D^-1/2, equal both ways to the last bit, and vertices without edges stay so."""
    edges = graph.to_tensors()
    W = dense(edges).double()
    root = W.sum(1).rsqrt().nan_to_num(posinf=0)
    result = edges.normalized()
    assert_allclose(dense(result), root[:, None] * W * root, rtol=1e-5)
    assert torch.equal(result.weight, result.weight[result.reverse])


@given(st.integers(1, 6).flatmap(graphs))
def test_gradients(graph):
    """Of the product, of degrees and of the normalization, by x and by each entry of the weights."""
    edges = graph.to_tensors(dtype=torch.float64)
    x = features(graph, 2).requires_grad_()
    weight = edges.weight.clone().requires_grad_()
    assert torch.autograd.gradcheck(lambda w, x: edges.with_weight(w).aggregate(x), (weight, x))
    assert torch.autograd.gradcheck(lambda w: edges.with_weight(w).normalized().weight, (weight,))
    assert torch.autograd.gradcheck(lambda x: edges.aggregate(x), (x,))
    assert torch.autograd.gradcheck(edges.dots, (x,))
    assert torch.autograd.gradcheck(edges.gaps, (x,))


@given(cases)
def test_dots_and_gaps_of_entries(graph):
    edges, x = graph.to_tensors(dtype=torch.float64), features(graph)
    i, j = edges.index
    assert_allclose(edges.dots(x), (x[i] * x[j]).sum(1), atol=1e-12)
    assert_allclose(edges.gaps(x), (x[i] - x[j]).square().sum(1), atol=1e-12)


@given(cases)
def test_gradient_of_one_sided_weights(graph):
    """Attention has other weights one way than the other."""
    edges = graph.to_tensors(dtype=torch.float64)
    weight = torch.rand(edges.weight.shape, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    x = features(graph).requires_grad_()
    one_sided = edges.with_weight(weight)
    (result,) = torch.autograd.grad(one_sided.aggregate(x).square().sum(), x)
    (wanted,) = torch.autograd.grad((dense(one_sided) @ x).square().sum(), x)
    assert_allclose(result, wanted, atol=1e-10)


def test_light_weights_stay_edges_and_heavy_ones_are_named():
    light = Graph.from_edges([0, 1], [1, 2], [1e-100, 1.0]).to_tensors()
    assert (light.weight > 0).all() and light.normalized().weight.isfinite().all()
    heavy = Graph.from_edges([0], [1], [1e200])
    with pytest.raises(ValueError, match="1e[+]200 is beyond the limit of .*float32"):
        heavy.to_tensors()
    assert heavy.to_tensors(dtype=torch.float64).weight[0] == 1e200


def test_the_graph_layer_loads_without_torch():
    code = "import sys, hypcse.graph; print('torch' in sys.modules)"
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
        == "False"
    )

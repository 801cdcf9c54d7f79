"""A graph as a matrix is the graph of its edges, and subgraphs cut out at once are those cut out one by one."""

from __future__ import annotations

import pytest
import torch

from graph_strategies import dense
from hypcse.neural.subgraphs import cut_out
from hypcse.neural.tensors import EdgeTensors, MatrixGraph


def draw(n: int, n_edges: int, seed: int = 0) -> EdgeTensors:
    """A random graph whose last vertices have no edges."""
    rng = torch.Generator().manual_seed(seed)
    pairs = torch.combinations(torch.arange(n - 3))
    ends = pairs[torch.randperm(len(pairs), generator=rng)[:n_edges]].T
    return EdgeTensors.from_pairs(ends, 0.1 + torch.rand(ends.shape[1], generator=rng), n)


def padded(edges: EdgeTensors, room: int) -> EdgeTensors:
    """The same graph with entries of weight 0 at (0, 0) behind its last row."""
    index = torch.cat([edges.index, edges.index.new_zeros(2, room)], dim=1)
    result = EdgeTensors(index, torch.cat([edges.weight, edges.weight.new_zeros(room)]), edges.n_vertices)
    result.__dict__["pointers"] = edges.pointers
    return result


@pytest.mark.parametrize("room", [0, 7])
def test_a_matrix_is_the_graph_of_its_edges(room: int) -> None:
    edges = draw(20, 40)
    graph, x = MatrixGraph.from_edges(padded(edges, room)), torch.randn(20, 3)
    torch.testing.assert_close(graph.degrees(), edges.degrees())
    assert torch.equal(graph.lonely, edges.lonely) and graph.lonely.any()
    for one, other in ((graph, edges), (graph.normalized(), edges.normalized())):
        torch.testing.assert_close(one.aggregate(x), other.aggregate(x))
        assert torch.equal(one.to_edges().index, other.index)
        torch.testing.assert_close(one.to_edges().weight, other.weight)
    loops = graph.with_loops().normalized().aggregate(x)
    torch.testing.assert_close(loops, edges.with_loops().normalized().aggregate(x))
    weights = graph.edges.scaled(graph.normalized().scale).weight
    torch.testing.assert_close(weights[: len(edges.weight)], edges.normalized().weight)
    assert (weights[len(edges.weight) :] == 0).all()


def test_the_gradient_of_a_normalised_product() -> None:
    edges, x = draw(15, 30), torch.randn(15, 2)
    matrix = dense(edges).requires_grad_()
    weight = edges.weight.clone().requires_grad_()
    one = MatrixGraph(matrix, torch.ones(15)).normalized().aggregate(x).square().sum()
    other = edges.with_weight(weight).normalized().aggregate(x).square().sum()
    (by_matrix,), (by_weight,) = torch.autograd.grad(one, matrix), torch.autograd.grad(other, weight)
    torch.testing.assert_close(by_matrix[edges.index[0], edges.index[1]], by_weight, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("sizes", [(20,), (7, 13), (5, 1, 8), (3, 3)])
def test_subgraphs_cut_out_at_once(sizes: tuple[int, ...]) -> None:
    """Also where some vertices are in none."""
    edges = draw(20, 60, seed=1)
    parts = list(torch.randperm(20, generator=torch.Generator().manual_seed(2))[: sum(sizes)].split(sizes))
    for part, result in zip(parts, cut_out(edges, parts), strict=True):
        assert result.to_graph() == edges.to_graph().subgraph(part.numpy())[0]
        rows = torch.arange(len(part) + 1)
        assert torch.equal(result.pointers, torch.searchsorted(result.index[0].contiguous(), rows))

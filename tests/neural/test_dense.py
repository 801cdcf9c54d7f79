"""The learned graph as a matrix is the one over edges, ties among neighbors included."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from hypcse.neural.graph_learner import drop_edges, largest_in_rows, learned_graph, learned_matrix
from hypcse.neural.tensors import EdgeTensors, MatrixGraph


def value_and_slope(form, x: Tensor, kind: str, k: int) -> tuple[EdgeTensors, Tensor]:
    """The graph, and the gradient of a number that all its weights act on."""
    data = x.clone().requires_grad_()
    graph = form(data, k, kind)
    factors = torch.linspace(1, 2, len(x))[:, None]
    (slope,) = torch.autograd.grad(graph.aggregate(factors * torch.ones(1, 2)).square().sum(), data)
    return graph.to_edges() if isinstance(graph, MatrixGraph) else graph, slope


@pytest.mark.parametrize("kind", ["gaussian", "cosine"])
@pytest.mark.parametrize(("n", "k"), [(2, 1), (30, 4), (12, 20)])
def test_it_is_the_graph_over_edges(kind: str, n: int, k: int) -> None:
    x = torch.rand(n, 5, generator=torch.Generator().manual_seed(n)) + 0.1
    result, slope = value_and_slope(learned_matrix, x, kind, k)
    expected, by_edges = value_and_slope(learned_graph, x, kind, k)
    assert torch.equal(result.index, expected.index)
    torch.testing.assert_close(result.weight, expected.weight, rtol=1e-5, atol=1e-6)
    torch.testing.assert_close(slope, by_edges, rtol=1e-3, atol=1e-4 * float(by_edges.abs().max()) + 1e-6)


def test_equal_values_go_to_the_first_columns() -> None:
    values = torch.tensor([[1.0, 2.0, 2.0, 2.0, 0.0], [3.0, 3.0, 3.0, 3.0, 3.0], [0.0, -torch.inf, 5.0, 1.0, 1.0]])
    marks = largest_in_rows(values, 2)
    assert marks.nonzero()[:, 1].tolist() == [1, 2, 0, 1, 2, 3]


def test_pairs_are_dropped_both_ways_and_at_the_rate() -> None:
    ones = torch.ones(200, 200).fill_diagonal_(0)
    graph = MatrixGraph(ones, torch.ones(200))
    rest = drop_edges(graph, 0.3, torch.Generator().manual_seed(0)).matrix
    assert torch.equal(rest, rest.T)
    assert abs(float(rest.sum() / ones.sum()) - 0.7) < 0.02
    assert drop_edges(graph, 0.0, torch.Generator()) is graph

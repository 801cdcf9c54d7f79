"""UFit: its ultrametric against all paths, SciPy and Higra, its loss against the definition, and how it stops."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx
from scipy.cluster.hierarchy import cophenet, linkage
from scipy.spatial.distance import pdist

import hypcse
from brute import members
from hypcse import Graph, Tree, methods
from hypcse._progress import Progress
from hypcse.paper.methods.ufit import single_linkage, ultrametric_loss


@st.composite
def weighted_edges(draw, max_vertices=8):
    """Edges of a graph, often disconnected, with values and lengths that are all different."""
    n = draw(st.integers(2, max_vertices))
    pairs = [(i, j) for i in range(n) for j in range(i + 1, n)]
    chosen = sorted(draw(st.lists(st.sampled_from(pairs), unique=True, min_size=1)))
    rng = np.random.default_rng(draw(st.integers(0, 999)))
    ends = tuple(np.array(side, dtype=np.int64) for side in zip(*chosen, strict=True))
    return ends, rng.permutation(len(chosen)) / 7 + 0.1, rng.random(len(chosen)), n


def least_largest(ends, values, n):
    """The least, over all paths, of the largest value on the path: Floyd and Warshall."""
    D = np.full((n, n), np.inf)
    D[ends[0], ends[1]] = D[ends[1], ends[0]] = values
    for k in range(n):
        D = np.minimum(D, np.maximum(D[:, [k]], D[[k], :]))
    return D[ends[0], ends[1]]


@given(weighted_edges())
def test_the_ultrametric_is_the_least_largest_step(case):
    ends, values, lengths, n = case
    result = single_linkage(ends, values, lengths, n)
    assert values[result.edge][result.meeting] == approx(least_largest(ends, values, n))


@given(st.integers(2, 30), st.integers(0, 999))
def test_on_all_pairs_it_is_scipys_single_linkage(n, seed):
    X = np.random.default_rng(seed).normal(size=(n, 2))
    ends = tuple(side.astype(np.int64) for side in np.triu_indices(n, 1))
    result = single_linkage(ends, pdist(X), pdist(X), n)
    assert pdist(X)[result.edge][result.meeting] == approx(cophenet(linkage(X, "single")))


@given(st.integers(2, 30), st.integers(0, 999))
def test_on_a_connected_graph_it_is_higras(n, seed):
    """The same nodes in the same order, and the same ultrametric (there called saliency) on every edge."""
    higra = pytest.importorskip("higra", reason="higra is not installed")
    rng = np.random.default_rng(seed)
    i, j = (side.astype(np.int64) for side in np.triu_indices(n, 1))
    chosen = (rng.random(i.size) < 0.3) | (j == i + 1)
    ends, values = (i[chosen], j[chosen]), rng.random(int(chosen.sum()))
    graph = higra.UndirectedGraph(n)
    graph.add_edges(*ends)
    tree, heights = higra.bpt_canonical(graph, values)
    result = single_linkage(ends, values, values, n)
    assert np.array_equal(result.parent[:-1], tree.parents()[:-1])
    assert np.array_equal(values[result.edge][result.meeting], higra.saliency(tree, heights))


@given(weighted_edges(), st.sampled_from([0.0, 1.0, 3.0]), st.integers(0, 4))
def test_the_loss_is_its_definition(case, size_weight, top_nodes):
    """Both means term by term, from the sets of leaves under every node."""
    ends, values, lengths, n = case
    result = single_linkage(ends, values, lengths, n)
    u = least_largest(ends, values, n)
    tree = Tree(result.parent, np.r_[np.zeros(n), np.arange(1, result.parent.size - n + 1)])
    sets, meeting = members(tree), tree.lca(*ends)
    low = n + result.edge.size - top_nodes if top_nodes else n
    ratios = [
        u[e] / min(len(sets[child]) for child in np.flatnonzero(tree.parent == node))
        for e, node in enumerate(meeting)
        if node >= low
    ]
    expected = np.mean((u - lengths) ** 2) + size_weight * np.mean(ratios)
    data = torch.from_numpy(values), torch.from_numpy(lengths)
    assert float(ultrametric_loss(*data, result, size_weight=size_weight, top_nodes=top_nodes)) == approx(expected)


@given(weighted_edges(5))
def test_gradient_of_the_loss(case):
    """Values differ by more than the step of the check, so that the linkage stays; it is made anew for each value."""
    ends, values, lengths, n = case

    def loss(values):
        result = single_linkage(ends, values.detach().numpy(), lengths, n)
        return ultrametric_loss(values, torch.from_numpy(lengths), result)

    assert torch.autograd.gradcheck(loss, [torch.from_numpy(values).requires_grad_()])


def blobs(seed=0, n=40):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 3)) + 6 * rng.integers(0, 3, size=(n, 1))


def test_descent_lowers_the_loss():
    steps: list[Progress] = []
    methods.run("ufit", blobs(), callback=steps.append)
    assert steps[-1].value < steps[0].loss
    assert [s.done for s in steps] == list(range(1, len(steps) + 1))


def test_one_epoch_is_single_linkage():
    """The start is the subdominant ultrametric, so the first tree and its heights are those of single linkage."""
    X = blobs()
    start, expected = methods.run("ufit", X, n_epochs=1, scale="none"), methods.run("single-linkage", X, scale="none")
    assert hypcse.robinson_foulds(start, expected) == 0
    assert np.sort(start.height) == approx(np.sort(expected.height))


def test_stops_when_told_and_when_time_is_up():
    steps: list[Progress] = []
    tree = methods.run("ufit", blobs(), callback=lambda step: steps.append(step) or step.done == 3)
    assert len(steps) == 3 and tree.n_leaves == 40
    steps.clear()
    assert methods.run("ufit", blobs(), max_seconds=1e-9, callback=steps.append).is_binary
    assert len(steps) == 1


def test_few_points_copies_and_graphs():
    for n in (1, 2, 3):
        assert methods.run("ufit", blobs(n=n)).n_leaves == n
    copies = methods.run("ufit", np.repeat(np.eye(3), 4, axis=0))
    assert hypcse.dendrogram_purity(copies, np.repeat([0, 1, 2], 4)) == 1
    # Two triangles that nothing joins, a lone vertex, and no edges at all.
    graph = Graph.from_edges([0, 0, 1, 3, 3, 4], [1, 2, 2, 4, 5, 5], [1.0, 0.5, 0.4, 1.0, 0.6, 0.5], n=7)
    tree = methods.run("ufit", graph=graph)
    assert tree.n_leaves == 7 and tree.is_binary
    assert hypcse.dendrogram_purity(tree, [0, 0, 0, 1, 1, 1, 2]) == 1
    assert methods.run("ufit", graph=Graph.from_edges([], [], n=4)).n_leaves == 4
    assert methods.run("ufit", graph=Graph.from_edges([], [], n=1)).n_leaves == 1


@pytest.mark.parametrize(
    ("option", "value"),
    [("n_neighbors", 0), ("size_weight", -1), ("top_nodes", -1), ("learning_rate", 0), ("max_seconds", 0)],
)
def test_errors(option, value):
    with pytest.raises(ValueError, match=f"{option}={value}"):
        methods.run("ufit", blobs(), **{option: value})

"""HypHC: its loss against the definition and Dasgupta's cost, its similarities against all pairs, and the laws."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

import brute
import hypcse
from hypcse import Graph, Tree, methods
from hypcse._progress import Progress
from hypcse.kernels.losses.triples import triple_slopes
from hypcse.neural.decode import decode_single
from hypcse.neural.geometry import lca_depth, on_sphere
from hypcse.paper.methods.hyphc import cosine_dasgupta, random_triples, unit_rows
from strategies import trees


def triplet_loss(leaves, triples, similarities, temperature):
    """The loss by autograd: mean over triples (i, j, k) of the similarity that is split first."""
    rows = leaves[triples.flatten()]
    first = torch.arange(0, len(rows), 3).unsqueeze(1) + torch.tensor([0, 0, 1])
    second = torch.arange(0, len(rows), 3).unsqueeze(1) + torch.tensor([1, 2, 2])
    depth = depth_of_pairs(rows, first, second)
    joined = (similarities * torch.softmax(depth / temperature, dim=1)).sum(1)
    return (similarities.sum(1) - joined).mean()


def depth_of_pairs(leaves, first, second):
    """`lca_depth` of pairs, by differences of leaves: precise for equal ones too, which triples hold."""
    lengths = torch.linalg.vector_norm(leaves, dim=-1)
    directions, radius = leaves / lengths[:, None], lengths.mean()
    half_cosine = torch.linalg.vector_norm(directions[first] + directions[second], dim=-1) / 2
    half_sine = torch.linalg.vector_norm(directions[first] - directions[second], dim=-1) / 2
    top, sech = 2 * radius / (1 + radius.square()), (1 - radius) * (1 + radius) / (1 + radius.square())
    return torch.log1p(top * half_cosine) - torch.log(sech.square() + (top * half_sine).square()) / 2


def circle(n, seed, radius):
    rng = torch.Generator().manual_seed(seed)
    return on_sphere(torch.randn(n, 2, generator=rng, dtype=torch.float64), radius)


def all_similarities(rows):
    return (1 + rows @ rows.T) / 2


def pair_similarities(S, triples):
    return np.stack([S[triples[:, a], triples[:, b]] for a, b in ((0, 1), (0, 2), (1, 2))], axis=1)


@given(st.integers(3, 9), st.integers(0, 999), st.sampled_from([0.01, 0.5, 0.99]), st.sampled_from([0.01, 0.1, 1.0]))
def test_the_loss_is_its_definition(n, seed, radius, temperature):
    leaves = circle(n, seed, radius)
    triples = random_triples(n, 20, np.random.default_rng(seed))
    s = np.random.default_rng(seed).random((20, 3))
    depth = lca_depth(leaves).numpy()
    terms = []
    for (i, j, k), three in zip(triples, s, strict=True):
        e = np.exp((np.array([depth[i, j], depth[i, k], depth[j, k]]) - depth.max()) / temperature)
        terms.append(three.sum() - three @ e / e.sum())
    loss = triplet_loss(leaves, torch.from_numpy(triples), torch.from_numpy(s), temperature)
    assert float(loss) == approx(np.mean(terms), abs=1e-6)


@given(st.integers(3, 6), st.integers(0, 999), st.sampled_from([0.1, 1.0]))
def test_gradient_of_the_loss(n, seed, temperature):
    """By directions and by the radius that they share."""
    rng = np.random.default_rng(seed)
    triples = torch.from_numpy(random_triples(n, 5, rng))
    s = torch.from_numpy(rng.random((5, 3)))
    directions = torch.from_numpy(rng.normal(size=(n, 2))).requires_grad_()
    radius = torch.tensor(0.6, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(
        lambda z, r: triplet_loss(on_sphere(z, r), triples, s, temperature), [directions, radius]
    )


@given(
    st.integers(3, 8),
    st.integers(1, 4),
    st.integers(0, 999),
    st.sampled_from([0.01, 0.5, 0.999]),
    st.sampled_from([0.01, 0.1, 10.0]),
)
def test_the_compiled_loss_is_the_plain_one(n, dim, seed, radius, temperature):
    """Value and slopes, with leaves that coincide and leaves that lie opposite each other."""
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(n, dim)) * rng.choice([1e-3, 1.0, 50.0], size=(n, 1))
    z[1], z[2] = z[0], -z[0] if seed % 2 else z[2]
    triples, s = random_triples(n, 30, rng), rng.random((30, 3))
    directions = torch.from_numpy(z).requires_grad_()
    shared = torch.tensor(radius, dtype=torch.float64, requires_grad=True)
    loss = triplet_loss(on_sphere(directions, shared), torch.from_numpy(triples), torch.from_numpy(s), temperature)
    loss.backward()
    result = triple_slopes(z, radius, triples, s, temperature)
    assert result.loss == approx(float(loss.detach()), rel=1e-9)
    size = np.abs(directions.grad.numpy()).max()
    assert result.by_direction == approx(directions.grad.numpy(), rel=1e-6, abs=1e-6 * size + 1e-7)
    assert result.by_radius == approx(float(shared.grad), rel=1e-6, abs=1e-9)


@given(st.integers(3, 8), st.integers(0, 999))
def test_cold_triples_add_up_to_dasguptas_cost(n, seed):
    """Over all triples the loss is the cost of the decoded tree, less twice the sum of the similarities."""
    rng = np.random.default_rng(seed)
    # On a wide gap the depths at which pairs meet follow the tree: double the gap from leaf to leaf.
    angles = rng.permutation(np.cumsum(2.0 ** np.arange(n))) / 2.0**n * np.pi / 2
    leaves = torch.from_numpy(0.9 * np.stack([np.cos(angles), np.sin(angles)], axis=1))
    S = all_similarities(unit_rows(rng.normal(size=(n, 4))))
    triples = np.array(list(combinations(range(n), 3)))
    s = pair_similarities(S, triples)
    loss = triplet_loss(leaves, torch.from_numpy(triples), torch.from_numpy(s), 1e-6)
    graph = Graph.from_scipy(S - np.diag(np.diag(S)))
    cost = hypcse.dasgupta_cost(decode_single(leaves.numpy()), graph) / 2
    assert float(loss) * len(triples) == approx(cost - 2 * graph.edges()[2].sum())


@given(trees(min_leaves=2), st.integers(0, 999))
def test_cost_without_pairs(tree, seed):
    """The cost from sums of rows is that of the complete graph, on multiway trees too."""
    rows = unit_rows(np.random.default_rng(seed).normal(size=(tree.n_leaves, 3)))
    S = all_similarities(rows)
    np.fill_diagonal(S, 0)
    # A similarity of 0 is no edge, and adds nothing.
    expected = brute.dasgupta(tree, Graph.from_scipy(np.maximum(S, 0)))
    assert cosine_dasgupta(tree, rows) == approx(expected, abs=1e-9)


@given(st.integers(2, 20), st.integers(0, 999))
def test_decoding_is_splitting_at_the_widest_gap(n, seed):
    """Top down as in the paper, two cuts of the circle and then the widest gap of each arc, or bottom up: one tree."""
    leaves = circle(n, seed, 0.7).numpy()
    angles = np.arctan2(leaves[:, 1], leaves[:, 0])
    order = np.argsort(angles)
    gaps = np.diff(np.append(angles[order], angles[order[0]] + 2 * np.pi))
    first = int(np.argmax(gaps)) + 1
    order, gaps = np.roll(order, -first), np.roll(gaps, -first)[:-1]

    def split(low, high):
        if high - low == 1:
            return int(order[low])
        cut = low + int(np.argmax(gaps[low : high - 1])) + 1
        return (split(low, cut), split(cut, high))

    assert hypcse.robinson_foulds(decode_single(leaves), brute.nested_to_tree(split(0, n), n)) == 0


@given(st.integers(3, 6), st.integers(0, 99))
def test_triples_are_different_points(n, seed):
    triples = random_triples(n, 3000, np.random.default_rng(seed))
    assert triples.min() == 0 and triples.max() == n - 1
    assert (np.diff(np.sort(triples, axis=1)) > 0).all()
    counts = np.unique(triples, axis=0, return_counts=True)[1]
    assert counts.size == n * (n - 1) * (n - 2)


def blobs(n=30):
    rng = np.random.default_rng(0)
    y = np.arange(n) % 3
    return 8 * np.eye(3)[y] + rng.normal(size=(n, 3)), y


FEW = {"n_triples": 2000, "n_epochs": 4}


def test_training_lowers_loss_and_cost():
    steps: list[Progress] = []
    X, y = blobs()
    tree = methods.run("hyphc", X, callback=steps.append, n_triples=5000, n_epochs=10)
    assert steps[-1].loss < steps[0].loss and len(steps) == 10
    assert hypcse.dendrogram_purity(tree, y) > 0.9
    assert cosine_dasgupta(tree, unit_rows(X)) == approx(steps[-1].value)


def test_on_few_points_it_finds_the_best_of_all_binary_trees():
    """Never better; a circle can miss the best, but rarely does, and is then close to it."""
    n, n_best = 6, 0
    every = [brute.nested_to_tree(nested, n) for nested in brute.all_binary(tuple(range(n)))]
    for seed in range(10):
        X = np.random.default_rng(seed).normal(size=(n, 4))
        tree = methods.run("hyphc", X, n_epochs=20, n_triples=2000, random_state=seed)
        rows = unit_rows(X)
        cost, least = cosine_dasgupta(tree, rows), min(cosine_dasgupta(other, rows) for other in every)
        assert least * (1 - 1e-12) <= cost <= 1.01 * least
        n_best += cost <= least * (1 + 1e-12)
    assert n_best >= 8


def test_same_seed_same_tree_at_any_number_of_threads():
    X, _ = blobs()
    first = methods.run("hyphc", X, random_state=3, **FEW)
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        assert methods.run("hyphc", X, random_state=3, **FEW) == first
    finally:
        torch.set_num_threads(before)
    assert methods.run("hyphc", X, random_state=4, **FEW) != first


def test_stops_when_told_and_when_time_is_up():
    steps: list[Progress] = []
    X, _ = blobs()
    assert methods.run("hyphc", X, callback=lambda s: steps.append(s) or s.done == 2, **FEW).n_leaves == 30
    assert len(steps) == 2
    steps.clear()
    assert methods.run("hyphc", X, max_seconds=1e-9, callback=steps.append, **FEW).is_binary
    assert len(steps) == 1


def test_few_points_and_copies():
    X, _ = blobs()
    for n in (1, 2, 3):
        assert methods.run("hyphc", X[:n], **FEW).n_leaves == n
    assert methods.run("hyphc", np.ones((5, 2)), **FEW).n_leaves == 5
    assert isinstance(methods.run("hyphc", X, temperature=0.05, **FEW), Tree)


@pytest.mark.parametrize(
    ("option", "value"),
    [("temperature", 0), ("n_triples", 0), ("n_epochs", 0)],
)
def test_errors(option, value):
    with pytest.raises(ValueError, match=f"{option}={value}"):
        methods.run("hyphc", blobs()[0], **{option: value})


def test_a_graph_alone_is_not_enough():
    with pytest.raises(ValueError, match="features are needed"):
        methods.run("hyphc", graph=Graph.from_edges([0], [1]))

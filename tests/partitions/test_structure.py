"""Whether data hold more than chance."""

import itertools
import tracemalloc

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.spatial.distance import pdist, squareform
from scipy.stats import spearmanr
from sklearn.datasets import make_blobs, make_moons

from hypcse import Graph, HypCSE, Structure, beyond_chance, graph_linkage
from hypcse.graph.neighbors.search import unit_rows
from hypcse.partitions.nested_levels import levels_and_main
from hypcse.partitions.significance import shuffle_edges
from hypcse.partitions.tables import classical_coordinates, cloud_like


def from_networkx(graph):
    return Graph.from_networkx(graph)


def found(tables, **options):
    return sum(beyond_chance(table, random_state=seed, **options).found for seed, table in enumerate(tables))


NOISE = {
    "uniform": lambda rng, n, d: rng.uniform(size=(n, d)),
    "normal": lambda rng, n, d: rng.normal(size=(n, d)),
    "t of 2 degrees": lambda rng, n, d: rng.standard_t(2, size=(n, d)),
    "lognormal": lambda rng, n, d: np.exp(rng.normal(size=(n, d))),
    "exponential": lambda rng, n, d: rng.exponential(size=(n, d)),
    "Cauchy": lambda rng, n, d: rng.standard_cauchy(size=(n, d)),
    "sphere": lambda rng, n, d: unit_rows(rng.normal(size=(n, d + 1))),
    "factors": lambda rng, n, d: rng.normal(size=(n, 2)) @ rng.normal(size=(2, d)) + 0.5 * rng.normal(size=(n, d)),
    "Likert": lambda rng, n, d: rng.integers(1, 6, size=(n, d + 3)).astype(float),
    "every row twice": lambda rng, n, d: np.repeat(rng.uniform(size=(n // 2, d)), 2, axis=0),
    "rounded": lambda rng, n, d: np.round(10 * rng.normal(size=(n, d))),
}


@pytest.mark.parametrize("kind", NOISE)
def test_noise_has_no_structure(kind):
    """At most one false alarm in 30, whatever the shape: in 12 draws at most 1."""
    rng = np.random.default_rng(0)
    shapes = itertools.product((100, 300, 1000), (1, 2, 4, 8))
    assert found(NOISE[kind](rng, n, d) for n, d in shapes) <= 1


@settings(max_examples=15, deadline=None)
@given(
    shares=st.sampled_from([(0.2,), (0.1,), (0.05,), (0.02,), (0.05, 0.05), (0.1, 0.02)]),
    n_columns=st.integers(2, 10),
    n=st.sampled_from([1000, 3000]),
    seed=st.integers(0, 10_000),
)
def test_far_minorities_are_structure(shares, n_columns, n, seed):
    """Of 2 % or more, 8 standard deviations away in every column: some ten of 1,000 sampled points show it."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, n_columns))
    begin = 0
    for k, share in enumerate(shares):
        end = begin + round(n * share)
        X[begin:end] += 8 * (1 - 2 * k)
        begin = end
    assert beyond_chance(X, random_state=seed).word == "clear"


@settings(max_examples=10, deadline=None)
@given(
    n_columns=st.integers(2, 12),
    levels=st.lists(st.integers(2, 4), min_size=1, max_size=2),
    seed=st.integers(0, 10_000),
)
def test_columns_of_few_values_are_no_structure_but_are_named(n_columns, levels, seed):
    rng = np.random.default_rng(seed)
    coins = [rng.integers(level, size=600) for level in levels]
    X = np.column_stack([rng.normal(size=(600, n_columns)), *coins])
    structure = beyond_chance(X, random_state=seed)
    assert structure.word == "none"
    assert structure.rests_on == tuple(range(n_columns, n_columns + len(levels)))
    assert str(n_columns) in str(structure)


@settings(max_examples=10, deadline=None)
@given(n_columns=st.integers(2, 8), coin=st.booleans(), seed=st.integers(0, 10_000))
def test_one_column_of_many_values_is_structure_and_is_named(n_columns, coin, seed):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(600, n_columns)), columns=[f"x{k}" for k in range(n_columns)])
    if coin:
        X["sex"] = rng.integers(1, 3, size=600)
    X["x1"] += 10 * (rng.random(600) < 0.4)
    structure = beyond_chance(X, random_state=seed)
    assert structure.word == "clear" and structure.rests_on == ("x1",)


def test_columns_that_agree_are_structure_without_resting_on_one():
    rng = np.random.default_rng(0)
    group = rng.integers(2, size=(600, 1))
    assert beyond_chance(rng.normal(size=(600, 4)) + 8 * group).rests_on == ()
    profiles = np.where(rng.random((600, 12)) < 0.9, group, 1 - group)
    structure = beyond_chance(profiles)
    assert structure.word == "clear" and structure.rests_on == ()


def test_a_single_column_is_structure_with_two_modes():
    rng = np.random.default_rng(0)
    values = np.round(10 * np.concatenate([rng.normal(size=300), rng.normal(8, size=200)]))
    structure = beyond_chance(values[:, None])
    assert structure.word == "clear" and structure.rests_on == (0,)


@given(seed=st.integers(0, 1000), d=st.integers(1, 4))
@settings(max_examples=20, deadline=None)
def test_noise_has_the_columns_of_a_table_and_one_mode(seed, d):
    """Medians, few values and rank correlations are kept; the gap between two groups is filled."""
    rng = np.random.default_rng(seed)
    groups = 12 * (rng.random((2000, 1)) < 0.5)
    X = np.column_stack(
        [np.exp(rng.normal(size=(2000, d))), rng.normal(size=2000) + groups[:, 0], rng.integers(3, size=2000)]
    )
    X[:, 0] = X[:, -2] + rng.normal(size=2000)
    noise = cloud_like(X).draw(2000, rng)
    assert np.allclose(np.median(noise[:, 1:d], axis=0), np.median(X[:, 1:d], axis=0), rtol=0.25)
    assert set(noise[:, -1]) == {0, 1, 2}
    assert spearmanr(noise[:, 0], noise[:, -2]).statistic > 0.7
    assert np.mean(np.abs(noise[:, -2] - 6) < 2) > 0.1 > np.mean(np.abs(X[:, -2] - 6) < 2)


def test_blobs_well_apart_have():
    blobs = [make_blobs(300, centers=4, n_features=4, random_state=seed)[0] for seed in range(10)]
    assert found(blobs) == 10
    assert beyond_chance(blobs[0]).word == "clear"


def test_moons_have():
    assert found(make_moons(300, noise=0.05, random_state=seed)[0] for seed in range(5)) == 5


def test_small_clusters_are_found_where_a_sample_would_thin_them_out():
    rng = np.random.default_rng(0)
    X = (rng.uniform(size=(2000, 1, 4)) + rng.normal(size=(2000, 10, 4)) * 0.005).reshape(-1, 4)
    assert beyond_chance(X).word == "clear"


@pytest.mark.parametrize("degree", [3, 10])
def test_random_regular_graphs_have_no_structure(degree):
    graphs = [from_networkx(nx.random_regular_graph(degree, 300, seed=seed)) for seed in range(10)]
    assert found(graphs) <= 1


@pytest.mark.parametrize("graph", [nx.complete_graph(40), nx.star_graph(40), nx.path_graph(40)])
def test_graphs_that_no_exchange_changes_have_none(graph):
    assert beyond_chance(from_networkx(graph)).word == "none"


def test_planted_groups_and_the_karate_club_have():
    assert beyond_chance(from_networkx(nx.planted_partition_graph(5, 30, 0.4, 0.05, seed=0))).word == "clear"
    assert beyond_chance(from_networkx(nx.karate_club_graph())).found
    assert beyond_chance(from_networkx(nx.les_miserables_graph())).found


def test_weights_alone_can_be_structure():
    i, j = np.triu_indices(60, 1)
    inside = i // 20 == j // 20
    assert beyond_chance(Graph.from_edges(i, j, np.where(inside, 3.0, 1.0))).word == "clear"


def test_distances_say_what_the_points_say():
    blobs = make_blobs(100, centers=3, random_state=1)[0]
    noise = np.random.default_rng(0).uniform(size=(100, 3))
    for X, word in ((blobs, "clear"), (noise, "none")):
        condensed = pdist(X)
        assert beyond_chance(condensed, metric="precomputed").word == word
        assert beyond_chance(squareform(condensed), metric="precomputed").word == word
    assert beyond_chance(csr_array(squareform(condensed)), metric="precomputed").word == "untested"


@pytest.mark.parametrize("unit", [1e-200, 1e-45, 1e100, 1e160, 1e300])
def test_distances_have_no_unit(unit):
    condensed = pdist(make_blobs(100, centers=3, random_state=1)[0])
    assert beyond_chance(condensed * unit, metric="precomputed").score == pytest.approx(
        beyond_chance(condensed, metric="precomputed").score, rel=0.01
    )


def test_points_that_are_one():
    assert beyond_chance(np.zeros((40, 40)), metric="precomputed").word == "none"
    assert beyond_chance(np.ones((40, 3))).word == "none"


@pytest.mark.parametrize("unit", [1e-30, 3e38])
def test_features_may_be_as_large_as_single_precision_goes(unit):
    X = make_blobs(100, centers=3, n_features=5, random_state=1)[0].astype(np.float32)
    X /= np.abs(X).max()
    assert beyond_chance(X * np.float32(unit), scale="none").score == pytest.approx(
        beyond_chance(X, scale="none").score, rel=0.01
    )


def test_wrong_distances_are_named():
    square = squareform(pdist(np.random.default_rng(0).uniform(size=(30, 2))))
    wrong = {
        "not symmetric": np.triu(square),
        "negative": -square,
        "not finite": np.where(square > 0.5, np.nan, square),
        "square": square[:, :20],
    }
    for text, distances in wrong.items():
        with pytest.raises(ValueError, match=text):
            beyond_chance(distances, metric="precomputed")


def test_condensed_distances_are_not_spread_out(monkeypatch):
    n = 2000
    condensed = np.random.default_rng(0).uniform(1, 2, size=n * (n - 1) // 2).astype(np.float32)
    monkeypatch.setattr("hypcse.graph.neighbors.exact.BLOCK_BYTES", 2**20)
    monkeypatch.setattr("hypcse.partitions.tables.MAX_POINTS", 50)
    tracemalloc.start()
    points = classical_coordinates(condensed, np.random.default_rng(0))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(points) == n and peak < 4 * n * n


def test_coordinates_have_the_distances_also_of_points_that_are_no_landmarks(monkeypatch):
    monkeypatch.setattr("hypcse.partitions.tables.MAX_POINTS", 40)
    condensed = pdist(np.random.default_rng(0).normal(size=(200, 3)))
    points = classical_coordinates(condensed, np.random.default_rng(1))
    assert points.shape == (200, 3)
    ratio = pdist(points) / condensed
    np.testing.assert_allclose(ratio, ratio[0])


def test_directions():
    rng = np.random.default_rng(0)
    noise = rng.normal(size=(300, 3))
    assert beyond_chance(noise, scale="none", metric="cosine").word == "none"
    bundles = np.repeat(np.eye(3), 100, axis=0) + rng.normal(size=(300, 3)) * 0.1
    lengths = rng.uniform(0.1, 9, size=(300, 1))
    assert beyond_chance(bundles * lengths, scale="none", metric="cosine").word == "clear"


def test_too_few_to_tell():
    untested = beyond_chance(np.arange(19.0)[:, None])
    assert untested.word == "untested" and untested.found
    assert beyond_chance(Graph.from_edges([0], [1])).word == "untested"
    assert "untested" in str(untested)


def test_words():
    assert str(Structure("none", 0.42, 0.1)) == "no structure beyond chance (0.4 standard deviations)"
    assert str(Structure("clear", 12.0, 3.0)) == "clear structure beyond chance (12.0 standard deviations)"


def test_one_seed_one_answer():
    X = make_moons(200, noise=0.1, random_state=0)[0]
    assert beyond_chance(X, random_state=1) == beyond_chance(X, random_state=1)
    assert beyond_chance(X, random_state=1) != beyond_chance(X, random_state=2)


def test_bad_metric():
    with pytest.raises(ValueError, match="metric='cosin'"):
        beyond_chance(np.ones((30, 2)), metric="cosin")


def test_shuffles_keep_degrees_weights_and_loops():
    i, j = np.array(nx.gnm_random_graph(50, 200, seed=0).edges()).T
    graph = Graph.from_edges([*i, 7], [*j, 7], [*np.arange(1.0, 201), 5.0])
    other = shuffle_edges(graph, np.random.default_rng(0))
    assert np.array_equal(np.diff(other.indptr), np.diff(graph.indptr))
    assert np.allclose(other.degrees, graph.degrees, rtol=0.01)
    assert np.array_equal(other.self_weights, graph.self_weights)
    before, after = (set(zip(*map(np.ndarray.tolist, g.edges()[:2]), strict=True)) for g in (graph, other))
    assert len(before & after) < 60


def test_heavy_loops_leave_the_edges_of_shuffles_alone():
    i, j = np.array(nx.gnm_random_graph(50, 200, seed=0).edges()).T
    loops = np.arange(50)
    weights = np.append(np.arange(1.0, 201), np.full(50, 1e18))
    graph = Graph.from_edges(np.append(i, loops), np.append(j, loops), weights)
    other = shuffle_edges(graph, np.random.default_rng(0))
    assert np.allclose(other.edge_degrees, graph.edge_degrees, rtol=0.01)


def test_without_structure_the_main_level_is_one_cluster():
    graph = from_networkx(nx.random_regular_graph(4, 60, seed=0))
    tree = graph_linkage(graph)
    given = levels_and_main(tree, graph).labels
    doubtful = levels_and_main(tree, graph, structure=Structure("none", 0.0, 0.0))
    assert doubtful.flat.max() == 0 and doubtful.main > 0
    assert all(map(np.array_equal, doubtful.labels[1:], given))


def test_the_estimator_says_so():
    noise = np.random.default_rng(0).uniform(size=(200, 3))
    model = HypCSE(n_epochs=0).fit(noise)
    assert model.structure_.word == "none" and model.labels_.max() == 0
    assert HypCSE(3, n_epochs=0).fit(noise).labels_.max() == 2
    blobs = make_blobs(150, centers=3, random_state=1)[0]
    assert HypCSE(n_epochs=0).fit(blobs).structure_.found
    assert (
        not HypCSE(n_epochs=0).fit(blobs, graph=from_networkx(nx.random_regular_graph(4, 150, seed=0))).structure_.found
    )

"""Components joined by features or distances: the entropy stays, the top is average linkage, and the rest of the search
keeps it."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest import approx
from scipy import sparse
from scipy.cluster.hierarchy import cophenet, linkage
from scipy.spatial.distance import cdist, pdist, squareform
from sklearn.metrics import adjusted_rand_score

import hypcse
from graph_strategies import graphs_with_trees
from hypcse import (
    Graph,
    Tree,
    graph_linkage,
    join_components,
    refine,
    search_tree,
    similarity_graph,
    structural_entropy,
)
from hypcse.kernels.linkage.merges import number_merges
from hypcse.kernels.linkage.rounds import mean_merges
from hypcse.search import join as parts
from hypcse.search.leaving import joined_by_distance


def separate_groups(n_groups=6, size=12, seed=0, d=3):
    """Groups so far apart that the neighbor graph has a component for each; features, labels."""
    rng = np.random.default_rng(seed)
    centers = rng.normal(size=(n_groups, d)) * 100
    y = np.repeat(np.arange(n_groups), size)
    return centers[y] + rng.normal(size=(y.size, d)), y


def searched(X, **options):
    graph = similarity_graph(X, bandwidth="median", **options)
    return graph, refine(graph_linkage(graph), graph)


@given(graphs_with_trees(min_leaves=1, max_leaves=12), st.integers(1, 3), st.integers(0, 2**32 - 1))
def test_inside_components_the_tree_stays_and_entropy_never_rises(case, n_columns, seed):
    graph, tree = case
    X = np.random.default_rng(seed).normal(size=(tree.n_leaves, n_columns))
    joined = join_components(tree, graph, X)
    components = graph.components()
    assert structural_entropy(joined, graph) <= structural_entropy(tree, graph) + 1e-9
    for k in range(components.max() + 1):
        inside, before = joined.prune(components == k), tree.prune(components == k)
        assert inside.n_nodes == before.n_nodes and hypcse.robinson_foulds(inside, before) == 0
    if components.max() > 0:
        # Every component is a node, and everything above them is higher than everything inside.
        top = nodes_of(joined, components)
        for k, node in enumerate(top):
            assert joined.leaves(node).tolist() == np.flatnonzero(components == k).tolist()
        above = [joined.parent[node] for node in top]
        assert joined.height[above].min() >= joined.height[top].max()
    again = join_components(joined, graph, X)
    assert again.n_nodes == joined.n_nodes and hypcse.robinson_foulds(again, joined) == 0


@given(st.integers(2, 9), st.integers(1, 3), st.integers(0, 2**32 - 1))
def test_single_points_are_joined_by_average_linkage_of_squared_distances(n, d, seed):
    X = np.random.default_rng(seed).normal(size=(n, d)).astype(np.float32)
    graph = Graph.from_edges([], [], [], n)
    joined = join_components(graph_linkage(graph), graph, X, scale="none")
    expected = cophenet(linkage(pdist(X.astype(np.float64), "sqeuclidean"), "average"))
    found = joined.height[joined.lca(*np.triu_indices(n, 1))] ** 2
    assert found / found.max() == approx(expected / expected.max(), rel=1e-6)


@given(st.integers(2, 8), st.integers(0, 2**32 - 1))
def test_average_linkage_of_sizes_is_that_of_the_points(n, seed):
    """Clusters that begin with sizes merge like the points themselves, once these are together."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 5, n)
    D = squareform(rng.random(n * (n - 1) // 2) + 0.5)
    owner = np.repeat(np.arange(n), sizes)
    points = D[owner][:, owner]
    whole = cophenet(linkage(squareform(points, checks=False), "average"))
    first = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    parts = cophenet(number_merges(*mean_merges(D.copy(), sizes.astype(np.float64))))
    assert parts == approx(squareform(squareform(whole)[np.ix_(first, first)]))


def test_groups_far_apart_have_the_order_of_their_distances():
    X, y = separate_groups()
    graph, tree = searched(X)
    assert graph.components().max() + 1 == 6
    joined = join_components(tree, graph, X)
    assert structural_entropy(joined, graph) == approx(structural_entropy(tree, graph), abs=1e-12)
    groups = [X[y == k] for k in range(6)]
    means = np.array([[cdist(first, second, "sqeuclidean").mean() for first in groups] for second in groups])
    np.fill_diagonal(means, 0)
    plain = join_components(tree, graph, X, scale="none")
    tops = np.sort(plain.height[joined_by_distance(plain, graph)])
    expected = np.sqrt(linkage(squareform(means, checks=False), "average")[:, 2])
    assert tops / tops[-1] == approx(expected / expected[-1], rel=1e-4)


def test_distances_do_what_features_do():
    X, _ = separate_groups(seed=3)
    graph, tree = searched(X)
    expected = join_components(tree, graph, X, scale="none")
    for given_distances in (pdist(X), squareform(pdist(X)), sparse.csr_array(squareform(pdist(X)))):
        assert hypcse.robinson_foulds(join_components(tree, graph, distances=given_distances), expected) == 0


def test_sparse_distances_that_are_not_known_count_as_far():
    X, y = separate_groups(n_groups=3, seed=1)
    graph, tree = searched(X)
    D = squareform(pdist(X))
    nearest = np.argsort([D[y == a][:, y == b].mean() for a, b in ((0, 1), (0, 2), (1, 2))])[0]
    a, b = ((0, 1), (0, 2), (1, 2))[nearest]
    known = np.where(np.isin(y, (a, b))[:, None] & np.isin(y, (a, b)), D, 0) + np.where(y[:, None] == y, D, 0)
    joined = join_components(tree, graph, distances=sparse.csr_array(known))
    assert adjusted_rand_score(np.isin(y, (a, b)), joined.cut(n_clusters=2)) == 1
    with pytest.warns(hypcse.HypcseWarning, match="3 components"):
        join_components(tree, graph, distances=sparse.csr_array(np.where(y[:, None] == y, D, 0)))


def test_a_graph_alone_is_left_with_a_warning():
    X, _ = separate_groups()
    graph, tree = searched(X)
    with pytest.warns(hypcse.HypcseWarning, match="6 components.*arbitrary"):
        assert join_components(tree, graph) is tree
    connected = similarity_graph(X, len(X))
    assert join_components(graph_linkage(connected), connected) == graph_linkage(connected)


@given(st.integers(2, 7), st.integers(1, 4), st.integers(0, 2**32 - 1))
def test_every_join_is_seen_whatever_the_weights(n_groups, n_alone, seed):
    """Cliques of unit weights, copies and single points: no height of a join is taken for one of a volume."""
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.repeat(np.arange(n_groups), 4), n_groups + np.arange(n_alone)])
    X = rng.integers(0, 3, size=(y.max() + 1, 2))[y].astype(float)
    i, j = np.nonzero(np.triu(y[:, None] == y, 1))
    graph = Graph.from_edges(i, j, None, y.size)
    joined = join_components(graph_linkage(graph), graph, X)
    assert joined_by_distance(joined, graph).sum() == y.max()
    refined = refine(joined, graph)
    tops, kept = (np.sort(tree.height[joined_by_distance(tree, graph)]) for tree in (joined, refined))
    assert kept.tolist() == tops.tolist()
    for k in range(1, y.size + 1):
        assert hypcse.best_cut(joined, graph, n_clusters=k).max() + 1 == k


def test_refinement_keeps_the_top():
    X, _ = separate_groups(n_groups=9, seed=2)
    graph = similarity_graph(X, bandwidth="median")
    joined = join_components(graph_linkage(graph, "paris"), graph, X)
    refined = refine(joined, graph, starts=[graph_linkage(graph)])
    assert structural_entropy(refined, graph) <= structural_entropy(joined, graph) + 1e-12
    tops = joined_by_distance(refined, graph)
    assert tops.sum() == 8
    assert refined.height[tops] == approx(joined.height[joined_by_distance(joined, graph)])
    for k in range(2, 9):
        assert refined.cut(n_clusters=k).tolist() == joined.cut(n_clusters=k).tolist()


def test_many_components_are_joined_in_rounds(monkeypatch):
    """The same search on components as points finds the planted groups, and copies and single points are fine."""
    monkeypatch.setattr(parts, "MAX_EXACT", 20)
    rng = np.random.default_rng(0)
    groups = rng.normal(size=(8, 4)) * 50
    y = rng.integers(8, size=600)
    X = groups[y] + rng.normal(size=(600, 4))
    X[:30], y[:30] = X[0], y[0]
    order = np.argsort(y, kind="stable")
    pairs = np.stack([order[:-1:2], order[1::2]])
    pairs = pairs[:, y[pairs[0]] == y[pairs[1]]][:, :150]
    for graph in (Graph.from_edges([], [], [], 600), Graph.from_edges(*pairs, None, 600)):
        joined = join_components(graph_linkage(graph), graph, X, scale="none")
        assert graph.components().max() > 400
        assert hypcse.dendrogram_purity(joined, y) == 1


@pytest.mark.parametrize("n", [1, 2, 3])
def test_small_and_constant(n):
    graph = Graph.from_edges([], [], [], n)
    tree = graph_linkage(graph)
    assert join_components(tree, graph, np.ones((n, 2))).n_leaves == n


def test_far_groups_among_many_points_at_one_place():
    """More components than are joined at once, of very different density: near ones are still joined first."""
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(600), 5)
    X = np.concatenate([rng.normal(size=(3000, 3)) * 0.01, (rng.normal(size=(600, 3)) * 100)[groups]])
    X[3000:] += rng.normal(size=(3000, 3)) * 0.5
    graph = Graph.from_edges([], [], [], len(X))
    far = join_components(graph_linkage(graph), graph, X, scale="none").prune(np.arange(3000, 6000))
    assert hypcse.dendrogram_purity(far, groups) > 0.99


def test_cuts_into_numbers_around_that_of_the_parts_are_nested():
    """Six cliques in a chain, and five pairs: finer cuts lie inside the parts, coarser ones join whole parts."""
    i, j = np.triu_indices(8, 1)
    first, second = (np.concatenate([end + 8 * k for k in range(6)]) for end in (i, j))
    pairs = 48 + 2 * np.arange(5)
    chain = 8 * np.arange(5)
    graph = Graph.from_edges([*first, *chain, *pairs], [*second, *(chain + 8), *(pairs + 1)], None, 58)
    X = np.concatenate([np.repeat([[0.0]], 48, 0), np.repeat(100.0 + 10 * np.arange(5), 2)[:, None]])
    tree = join_components(refine(graph_linkage(graph), graph), graph, X)
    for numbers in ([6, 7], [5, 6, 8], [3, 6, 8]):
        found = hypcse.levels(tree, graph, n_clusters=numbers)
        assert [labels.max() + 1 for labels in found] == numbers
        for coarse, fine in pairwise(found):
            assert len(set(zip(fine.tolist(), coarse.tolist(), strict=True))) == fine.max() + 1
    assert np.bincount(hypcse.best_cut(tree, graph, n_clusters=6, max_size=30)).max() <= 30


def test_weak_bridges_are_joined_by_features_and_strong_ones_are_not():
    """Two far groups tied to the wrong partner by one feather-light edge, out of thousands."""
    rng = np.random.default_rng(0)
    centers = np.array([[0.0, 0], [10, 0], [100, 0], [110, 0]])
    y = np.repeat(np.arange(4), 100)
    X = centers[y] + rng.normal(size=(400, 2))
    i, j, w = similarity_graph(X, bandwidth="median").edges()
    light, strong = (Graph.from_edges([*i, 0, 100], [*j, 200, 300], [*w, bridge, bridge], 400) for bridge in (1e-4, 30))
    for graph, apart in ((light, True), (strong, False)):
        tree = refine(graph_linkage(graph), graph)
        plain, joined = join_components(tree, graph, X), join_components(tree, graph, X, bridges=True)
        assert adjusted_rand_score(y // 2, plain.cut(n_clusters=2)) < 0.1
        assert (adjusted_rand_score(y // 2, joined.cut(n_clusters=2)) == 1) == apart
        assert structural_entropy(joined, graph) <= structural_entropy(plain, graph) + 1e-4


@settings(max_examples=25)
@given(st.integers(0, 2**32 - 1), st.integers(2, 6))
def test_fewer_clusters_than_parts_are_those_of_least_squares(seed, n_clusters):
    """best_cut by brute force: of all cuts of the top into so many, the one with the least squared distances inside."""
    rng = np.random.default_rng(seed)
    X, y = separate_groups(n_groups=7, size=int(rng.integers(3, 9)), seed=seed)
    first = np.flatnonzero(y[1:] == y[:-1])
    graph = Graph.from_edges(first, first + 1, None, y.size)
    joined = join_components(graph_linkage(graph), graph, X, scale="none")
    labels = hypcse.best_cut(joined, graph, n_clusters=n_clusters)
    assert labels.max() + 1 == n_clusters
    tops = np.flatnonzero(joined_by_distance(joined, graph))
    costs = {node: loss(joined, int(node), tops) for node in range(joined.n_nodes)}
    found = sum(costs[node] for node in nodes_of(joined, labels))
    assert found <= min(costs_of_cuts(joined, costs, tops, n_clusters)) + 1e-9 * max(costs.values())
    assert all(len(set(labels[y == k])) == 1 for k in range(7))


def loss(tree: Tree, node: int, tops: np.ndarray) -> float:
    """Sum of |a| |b| d^2 over the joins at and under a node, over its size."""
    under = [top for top in tops if set(tree.leaves(int(top))) <= set(tree.leaves(node))]
    pairs = 0.0
    for top in under:
        a, b = np.flatnonzero(tree.parent == top)
        pairs += tree.sizes[a] * tree.sizes[b] * tree.height[top] ** 2
    return pairs / tree.sizes[node]


def nodes_of(tree: Tree, labels: np.ndarray) -> list[int]:
    found = []
    for k in range(labels.max() + 1):
        leaves = np.flatnonzero(labels == k)
        found.append(max(int(tree.lca(leaves[0], other)) for other in leaves))
    return found


def costs_of_cuts(tree: Tree, costs: dict[int, float], tops: np.ndarray, n_clusters: int) -> list[float]:
    """Costs of all cuts into so many clusters that split nodes of the top alone."""
    found, stack = [], [([tree.root], 0)]
    while stack:
        nodes, start = stack.pop()
        if len(nodes) == n_clusters:
            found.append(sum(costs[node] for node in nodes))
            continue
        for place in range(start, len(nodes)):
            if nodes[place] in tops:
                children = np.flatnonzero(tree.parent == nodes[place]).tolist()
                stack.append((nodes[:place] + children + nodes[place + 1 :], place))
    return found


def test_errors():
    X, _ = separate_groups()
    graph, tree = searched(X)
    with pytest.raises(ValueError, match="X has 71 rows, but the graph has 72 vertices"):
        join_components(tree, graph, X[:-1])
    with pytest.raises(ValueError, match="not finite"):
        join_components(tree, graph, np.where(X > 0, np.nan, X))
    with pytest.raises(ValueError, match="between 71 points, but the graph has 72 vertices"):
        join_components(tree, graph, distances=pdist(X[:-1]))
    with pytest.raises(ValueError, match="Pass one of them"):
        join_components(tree, graph, X, pdist(X))
    with pytest.raises(ValueError, match="metric='cosinus' is not known"):
        join_components(tree, graph, X, metric="cosinus")
    with pytest.raises(ValueError, match="the graph has 72 vertices"):
        join_components(Tree.from_linkage([[0, 1, 1, 2]]), graph, X)


@pytest.mark.parametrize("linkage", ["average", "paris", None])
@pytest.mark.parametrize("effort", ["fast", "thorough", None])
def test_search_tree_is_linkage_refinement_and_joining(linkage, effort):
    """The recipe is its three steps, with the trees to start from first."""
    graph, X = _apart()
    start = graph_linkage(graph, "single")
    for starts in ([], [start]):
        trees = [*starts, *([] if linkage is None else [graph_linkage(graph, linkage)])]
        if not trees:
            continue
        tree = trees[0] if effort is None else refine(trees[0], graph, effort=effort, starts=trees[1:], random_state=3)
        expected = join_components(tree, graph, X, bridges=True)
        assert search_tree(graph, X, linkage=linkage, effort=effort, starts=starts, random_state=3) == expected


def test_search_tree_needs_a_start():
    graph, X = _apart()
    with pytest.raises(ValueError, match="Pass a linkage, or starts"):
        search_tree(graph, X, linkage=None)


def _apart() -> tuple[Graph, np.ndarray]:
    """Three groups that no edge joins."""
    X = np.random.default_rng(0).normal(size=(60, 2)) + np.repeat([0.0, 20.0, 30.0], 20)[:, None]
    return similarity_graph(X, n_neighbors=5), X

"""The tree as a value: checks, ancestors, cuts, orders, parts and forms."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from scipy import sparse
from scipy.cluster.hierarchy import fcluster, is_valid_linkage, leaves_list, linkage

import brute
from hypcse import Graph, Tree, robinson_foulds
from hypcse.metrics import cophenetic_correlation
from strategies import trees

THREE = Tree([3, 3, 4, 4, -1], [0, 0, 0, 1, 2])


def same_partition(a, b):
    """Whether two labelings group alike."""
    pairs = set(zip(a.tolist(), b.tolist(), strict=True))
    return len(pairs) == len(set(a.tolist())) == len(set(b.tolist()))


def chain(n: int) -> Tree:
    parent = np.concatenate([[n], np.arange(n, 2 * n - 1), np.arange(n + 1, 2 * n - 1), [-1]])
    return Tree(parent, np.concatenate([np.zeros(n), np.arange(1.0, n)]))


@given(trees())
def test_ancestors_and_leaves(tree):
    """LCA of all pairs of nodes, and the leaves of each node, are those of the sets."""
    sets = brute.members(tree)
    ids = np.arange(tree.n_nodes)
    found = tree.lca(ids[:, None], ids[None, :])
    for a in ids:
        assert tree.leaves(int(a)).tolist() == sorted(sets[a])
        for b in ids:
            both = sets[a] | sets[b]
            expected = max(a, b) if a == b else next(k for k in ids if both <= sets[k] and k >= max(a, b))
            assert found[a, b] == expected


@given(st.integers(2, 400), st.integers(0, 5))
def test_ancestors_across_blocks(n, seed):
    """Ranges longer than a block of the index, on random trees and chains."""
    rng = np.random.default_rng(seed)
    tree = Tree.from_linkage(linkage(rng.normal(size=(n, 2)), "single")) if seed else chain(n)
    i, j = rng.integers(n, size=(2, 50))
    for a, b, found in zip(i, j, tree.lca(i, j), strict=True):
        path = {int(a)}
        node = int(a)
        while node != -1:
            path.add(node)
            node = int(tree.parent[node])
        node = int(b)
        while node not in path:
            node = int(tree.parent[node])
        assert found == node


@given(trees(min_leaves=2))
def test_linkage_and_back(tree):
    """Tree -> linkage -> Tree is the identity for binary trees, and keeps every cluster of a multiway one."""
    Z = tree.to_linkage()
    assert is_valid_linkage(Z)
    again = Tree.from_linkage(Z, tree.names)
    if tree.is_binary:
        assert again == tree
    kept = {frozenset(s) for s in brute.members(again)}
    assert {frozenset(s) for s in brute.members(tree)} <= kept
    assert np.array_equal(again.to_linkage(), Z)


@pytest.mark.parametrize("method", ["single", "average", "ward"])
def test_linkage_is_kept_to_the_bit(method):
    rng = np.random.default_rng(0)
    Z = linkage(rng.integers(0, 5, size=(60, 2)).astype(float), method)
    tree = Tree.from_linkage(Z)
    assert np.array_equal(tree.to_linkage(), Z)
    assert tree.leaf_order().tolist() == leaves_list(Z).tolist()
    for height in (0.5, 1.0, 2.0):
        assert same_partition(tree.cut(height=height), fcluster(Z, height, "distance"))
    for k in (1, 2, 7, 60):
        assert tree.cut(n_clusters=k).max() == k - 1


def test_falling_heights_are_lifted():
    tree = Tree.from_linkage([[0, 1, 2.0, 2], [2, 3, 1.0, 3]])
    assert tree.height.tolist() == [0, 0, 0, 2, 2]


@given(trees(), st.data())
def test_cuts(tree, data):
    """Cuts are nested, labels number clusters by smallest leaf, and every cluster is a node."""
    sets = {frozenset(s) for s in brute.members(tree)}
    k = data.draw(st.integers(1, tree.n_leaves))
    size = data.draw(st.integers(1, tree.n_leaves))
    height = data.draw(st.sampled_from(tree.height.tolist()))
    for labels in (tree.cut(n_clusters=k), tree.cut(max_size=size), tree.cut(height=height)):
        firsts = [int(np.flatnonzero(labels == c)[0]) for c in range(labels.max() + 1)]
        assert firsts == sorted(firsts)
        for c in range(labels.max() + 1):
            assert frozenset(np.flatnonzero(labels == c).tolist()) in sets
    counts = [tree.cut(n_clusters=c).max() + 1 for c in range(1, tree.n_leaves + 1)]
    assert counts == sorted(counts) and all(c <= k for k, c in enumerate(counts, 1))
    if tree.is_binary:
        assert counts == list(range(1, tree.n_leaves + 1))
    assert np.bincount(tree.cut(max_size=size)).max() <= size
    assert tree.cut(max_size=tree.n_leaves).max() == 0


def test_cut_asks_for_one_rule():
    with pytest.raises(ValueError, match="exactly one"):
        THREE.cut()
    with pytest.raises(ValueError, match="exactly one"):
        THREE.cut(n_clusters=2, height=1.0)
    with pytest.raises(ValueError, match="n_clusters=4 must be between 1 and 3"):
        THREE.cut(n_clusters=4)
    with pytest.raises(TypeError, match="must be an integer"):
        THREE.cut(n_clusters=2.0)


@given(trees(max_leaves=10), st.data())
def test_prune_keeps_what_it_can(tree, data):
    """The sets of the pruned tree are the traces of the old ones, at the least height that holds them."""
    keep = sorted(data.draw(st.sets(st.integers(0, tree.n_leaves - 1), min_size=1)))
    small = tree.prune(keep)
    traces = {frozenset(keep.index(k) for k in s & set(keep)) for s in brute.members(tree)} - {frozenset()}
    assert {frozenset(s) for s in brute.members(small)} == traces
    i, j = np.triu_indices(len(keep), 1)
    old = tree.height[tree.lca(np.array(keep)[i], np.array(keep)[j])]
    assert np.array_equal(small.height[small.lca(i, j)], old)


def test_subtree_keeps_names():
    tree = Tree(THREE.parent, THREE.height, ("x", "y", "z"))
    assert tree.subtree(3).names == ("x", "y")
    assert tree.subtree(4) == tree
    assert tree.subtree(2).n_leaves == 1
    assert tree.prune([2, 0]).names == ("x", "z")


@pytest.mark.parametrize("seed", range(3))
def test_leaf_orders_respect_the_tree(seed):
    X = np.random.default_rng(seed).normal(size=(60, 2))
    tree = Tree.from_linkage(linkage(X, "average"))
    place = np.argsort(tree.leaf_order())
    for leaves in brute.members(tree):
        spots = place[list(leaves)]
        assert spots.max() - spots.min() + 1 == len(leaves)


def test_equality_ignores_numbers_of_inner_nodes():
    one = Tree.from_linkage([[0, 1, 1, 2], [2, 3, 1, 2], [4, 5, 2, 4]])
    two = Tree.from_linkage([[2, 3, 1, 2], [0, 1, 1, 2], [4, 5, 2, 4]])
    assert one == two
    assert one != Tree.from_linkage([[0, 2, 1, 2], [1, 3, 1, 2], [4, 5, 2, 4]])
    assert one != Tree.from_linkage([[0, 1, 1, 2], [2, 3, 1, 2], [4, 5, 3, 4]])
    assert one != "tree"


@given(trees(names=True))
def test_networkx_is_the_same_tree(tree):
    pytest.importorskip("networkx", reason="networkx, of the extra `networkx`, is not installed")
    graph = tree.to_networkx()
    assert sorted(graph.edges) == sorted((int(p), k) for k, p in enumerate(tree.parent[:-1]))
    assert [graph.nodes[k]["height"] for k in range(tree.n_nodes)] == tree.height.tolist()
    assert [graph.nodes[k]["name"] for k in range(tree.n_leaves)] == list(tree.names)


@pytest.mark.parametrize(
    ("parent", "height", "text"),
    [
        ([], [], "at least one node"),
        ([1, 2], [0, 1], "last node must be the root"),
        ([2, 0, -1], [0, 0, 1], "node 1 has parent 0"),
        ([2, 2, -1], [0, 0.5, 1], "leaf 1 has height 0.5"),
        ([3, 3, 4, 4, -1], [0, 0, 0, 2, 1], "must not decrease upwards"),
        ([2, 2, 3, -1], [0, 0, 1, 1], "one child"),
        ([2, 2, -1], [0, 0, np.nan], "not finite"),
        ([2, 2, -1], [0, 0], "there are 3 nodes"),
        ([2, 4, 4, 4, -1], [0, 0, 0, 0, 1], "must be nodes 0"),
    ],
)
def test_malformed_trees(parent, height, text):
    with pytest.raises(ValueError, match=text):
        Tree(np.array(parent, dtype=int), np.array(height, dtype=float))


@pytest.mark.parametrize(
    ("Z", "text"),
    [
        ([[0, 1, 1]], None),
        ([[0, 0, 1, 2]], "joins node 0 2 times"),
        ([[0, 5, 1, 2]], "only ids 0 .. 1"),
        ([[0, 1, -1, 2]], "heights start at 0"),
        ([[0, 0.5, 1, 2]], "only ids 0 .. 1"),
        ([[0, 1]], "shape"),
        ([[0, 1, np.nan, 2]], "not finite"),
        ([[0, 1, -np.inf, 2]], "not finite"),
        ([[0, np.inf, 1, 2]], "not finite"),
    ],
)
def test_malformed_linkage(Z, text):
    if text is None:
        assert Tree.from_linkage(Z).n_leaves == 2
        return
    with pytest.raises(ValueError, match=text):
        Tree.from_linkage(Z)


def test_values_are_frozen_and_inputs_checked():
    with pytest.raises(ValueError, match="read-only"):
        THREE.parent[0] = 4
    with pytest.raises(TypeError, match="integers"):
        Tree([0.5, -1], [0, 0])
    with pytest.raises(ValueError, match="nodes are 0 .. 4"):
        THREE.lca([0], [9])
    with pytest.raises(ValueError, match="one name per leaf"):
        Tree(THREE.parent, THREE.height, ("a",))
    with pytest.raises(TypeError, match="names are strings"):
        THREE.to_newick(["a", "b", 3])
    assert repr(THREE) == "Tree(3 leaves, 5 nodes, binary, height 2)"


def test_nobody_else_can_change_a_tree():
    """Arrays are copied, also behind a read-only view, but not those of another tree."""
    parent, height = np.array([3, 3, 4, 4, -1]), np.array([0.0, 0, 0, 1, 2])
    view = parent.view()
    view.flags.writeable = False
    trees = [Tree(parent, height), Tree(view, height)]
    parent[0], height[4] = 4, 9
    assert all(tree == THREE for tree in trees)
    assert Tree(THREE.parent, THREE.height).parent is THREE.parent
    assert parent.flags.writeable


def test_one_id_for_two_ids():
    found = THREE.lca(0, 1)
    assert isinstance(found, np.int64) and found == 3
    assert THREE.leaves(found).tolist() == [0, 1]
    assert THREE.subtree(found).n_leaves == 2
    assert THREE.lca(0, [1, 2]).tolist() == [3, 4]


def test_prune_takes_marks():
    assert THREE.prune(np.array([True, False, True])) == THREE.prune([0, 2])
    with pytest.raises(ValueError, match=r"keep has shape \(2,\), but there are 3 leaves"):
        THREE.prune([True, False])
    with pytest.raises(ValueError, match="keep is empty"):
        THREE.prune([False, False, False])
    with pytest.raises(ValueError, match="keep is empty"):
        THREE.prune([])
    with pytest.raises(ValueError, match="keep names 4, but leaves are 0 .. 2"):
        THREE.prune([4])


@given(trees(), st.randoms())
def test_reordered_moves_leaves_by_name(tree, random):
    names = [f"leaf {k}" for k in range(tree.n_leaves)]
    order = list(range(tree.n_leaves))
    random.shuffle(order)
    named = Tree(tree.parent, tree.height, names)
    moved = named.reordered([names[k] for k in order])
    assert moved.names == tuple(names[k] for k in order)
    sets = [{order[k] for k in members} for members in brute.members(moved)]
    assert sets[tree.n_leaves :] == brute.members(tree)[tree.n_leaves :]
    assert np.array_equal(moved.height, tree.height)
    assert moved.reordered(names) == named
    assert tree.reordered(list(map(str, order))).reordered(list(map(str, range(tree.n_leaves)))).parent.tolist() == (
        tree.parent.tolist()
    )


def test_reordered_takes_underscores_for_blanks_where_that_is_clear():
    tree = Tree(THREE.parent, THREE.height, ("a 1", "a 2", "b"))
    moved = tree.reordered(["b", "a_2", "a_1"])
    assert moved.names == ("b", "a_2", "a_1") and moved.lca(1, 2) == 3
    both = Tree(THREE.parent, THREE.height, ("a_1", "a 1", "b"))
    assert both.reordered(["b", "a 1", "a_1"]).names == ("b", "a 1", "a_1")
    with pytest.raises(ValueError, match="names leaf 'b_', but the tree has 'a_1', 'a 1', 'b'"):
        both.reordered(["b_", "a 1", "a_1"])
    with pytest.raises(ValueError, match="the given order names leaf 'b' twice"):
        both.reordered(["b", "b", "a_1"])
    with pytest.raises(ValueError, match="the tree names leaf 'b' twice"):
        Tree(THREE.parent, THREE.height, ("b", "b", "c")).reordered(["a", "b", "c"])
    with pytest.raises(ValueError, match="2 names for 3 leaves"):
        both.reordered(["b", "a 1"])
    with pytest.raises(ValueError, match="names leaf 'x', but the tree has '0', '1', '2'"):
        THREE.reordered(["x", "0", "1"])


def test_names_are_no_single_string():
    for make in (lambda: Tree.from_linkage([[0, 1, 1, 2], [2, 3, 2, 3]], names="abc"), lambda: THREE.reordered("012")):
        with pytest.raises(TypeError, match="is one string"):
            make()


def test_networkx_may_be_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(ImportError, match=r'pip install "hypcse\[networkx\]"'):
        THREE.to_networkx()


def test_a_chain_of_a_million_goes_through_everything():
    """No walk is recursive: forms, cuts, parts, orders, comparisons (Newick has a test of its own)."""
    n = 1_000_000
    tree = chain(n)
    assert Tree.from_linkage(tree.to_linkage()) == tree
    assert Tree.from_json(tree.to_json()) == tree
    assert tree.subtree(n + n // 2).n_leaves == n // 2 + 2
    assert tree.leaves(n + n // 2).tolist() == list(range(n // 2 + 2))
    assert tree.prune(np.arange(0, n, 2)).n_leaves == n // 2
    assert tree.cut(max_size=10).max() == n - 10
    assert tree.cut(height=9.0).max() == n - 10
    assert tree.cut(n_clusters=10).max() == 9
    assert np.array_equal(np.sort(tree.leaf_order()), np.arange(n))
    assert tree.lca(np.arange(n - 1), np.arange(1, n)).tolist() == list(range(n, 2 * n - 1))


def test_two_chains_of_a_million_are_compared():
    n = 1_000_000
    tree, reversed_names = chain(n), list(map(str, range(n - 1, -1, -1)))
    other = tree.reordered(reversed_names)
    other = Tree(other.parent, other.height)
    assert robinson_foulds(tree, tree) == 0
    assert robinson_foulds(tree, other, normalized=True) == 1
    assert cophenetic_correlation(tree, tree, n_pairs=10_000) == pytest.approx(1)
    # Heights are max(i, j) and n - 1 - min(i, j): for the larger and the smaller of two uniform draws, that is -1/2.
    assert cophenetic_correlation(tree, other, n_pairs=100_000) == pytest.approx(-0.5, abs=0.02)


@given(st.lists(st.floats(0, 1e308), min_size=1, max_size=6), st.integers(1, 3))
def test_infinite_heights_become_finite_above_the_rest(finite, n_infinite):
    """Merges at infinity stay above all others, and level with each other."""
    heights = [*sorted(finite), *[np.inf] * n_infinite]
    n = len(heights) + 1
    Z = [[0 if k == 0 else n + k - 1, k + 1, height, k + 2] for k, height in enumerate(heights)]
    tree = Tree.from_linkage(Z)
    above, below = tree.height[-n_infinite:], tree.height[n:-n_infinite]
    assert np.isfinite(tree.height).all() and np.ptp(above) == 0 and above.min() > below.max()
    assert tree.cut(n_clusters=n_infinite + 1).max() == n_infinite


def test_dendrograms_of_disconnected_graphs_by_another_library():
    """scikit-network's Paris joins components at infinity."""
    hierarchy = pytest.importorskip("sknetwork.hierarchy")
    graph = Graph.from_edges([0, 1, 3, 4, 6], [1, 2, 4, 5, 7])
    tree = Tree.from_linkage(hierarchy.Paris().fit_transform(sparse.csr_matrix(graph.to_scipy())))
    assert_array_equal(tree.cut(n_clusters=3), graph.components())

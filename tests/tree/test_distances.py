"""Distances between the parts that a tree joins."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypcse import Tree
from hypcse.tree.nodes import merge_distances
from strategies import trees


def by_pairs(tree: Tree, X: np.ndarray) -> np.ndarray:
    """The same from all pairs of leaves, lifted node by node."""
    i, j = np.triu_indices(tree.n_leaves, 1)
    meeting = tree.lca(i, j)
    squared = ((X[i] - X[j]) ** 2).sum(axis=1)
    sums, counts = np.bincount(meeting, squared, tree.n_nodes), np.bincount(meeting, minlength=tree.n_nodes)
    found = np.sqrt(sums / np.maximum(counts, 1))
    for node in range(tree.n_nodes - 1):
        found[tree.parent[node]] = max(found[tree.parent[node]], found[node])
    return found


@given(trees(), st.integers(1, 4), st.integers(0, 2**32 - 1), st.sampled_from([0.0, 1e6]))
def test_moments_give_the_mean_over_all_pairs(tree: Tree, n_columns: int, seed: int, offset: float) -> None:
    X = np.random.default_rng(seed).normal(size=(tree.n_leaves, n_columns)) + offset
    found = merge_distances(tree, X)
    assert found == pytest.approx(by_pairs(tree, X), rel=1e-6, abs=1e-9)
    assert (found[tree.parent[:-1]] >= found[:-1]).all() and not found[: tree.n_leaves].any()


def test_copies_are_at_distance_zero() -> None:
    tree = Tree.from_newick("((0,1),(2,3));")
    assert merge_distances(tree, np.array([[7.0], [7.0], [9.0], [9.0]])).tolist() == [0, 0, 0, 0, 0, 0, 2]


def test_rows_must_be_leaves() -> None:
    with pytest.raises(ValueError, match="X has 2 rows, but the tree has 3 leaves"):
        merge_distances(Tree.from_newick("((0,1),2);"), np.zeros((2, 1)))

"""The top of a tree down to the clusters of a cut."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from hypcse.tree import Tree
from hypcse.tree.nodes import outline
from strategies import trees


@settings(max_examples=30)
@given(trees(min_leaves=2), st.data())
def test_an_outline_is_the_top_of_its_tree(tree, data):
    """Its leaves are the clusters of the cut, its joins are joins of the tree, and nothing is lost."""
    clusters = tree.cut(n_clusters=data.draw(st.integers(1, tree.n_leaves)))
    top, node = outline(tree, clusters)
    assert top.n_leaves == clusters.max() + 1
    assert tree.sizes[node[: top.n_leaves]].sum() == tree.n_leaves
    for k in range(top.n_leaves):
        assert (clusters[tree.leaves(int(node[k]))] == k).all()
    assert (tree.parent[node[:-1]] == node[top.parent[:-1]]).all()


@settings(max_examples=30)
@given(trees(min_leaves=3), st.data())
def test_strays_and_outliers_are_left_out(tree, data):
    """A few leaves in no cluster, or in one that they do not lie beside, do not change what the clusters are."""
    clusters = tree.cut(n_clusters=data.draw(st.integers(1, tree.n_leaves)))
    marked = data.draw(arrays(np.bool_, tree.n_leaves))
    marked[np.unique(clusters, return_index=True)[1]] = False
    top, node = outline(tree, np.where(marked, -1, clusters))
    whole, _ = outline(tree, clusters)
    assert top == whole
    for k in range(top.n_leaves):
        assert set(np.flatnonzero((clusters == k) & ~marked)) <= set(tree.leaves(int(node[k])).tolist())
    sizes = np.bincount(clusters)
    stray = int(np.argmax(sizes[clusters]))
    largest = clusters[stray]
    rest = np.flatnonzero(sizes > 1)
    if top.n_leaves > 2 and rest.size > 1:
        moved = clusters.copy()
        moved[stray] = next(k for k in rest if k != largest)
        assert outline(tree, moved).tree.n_leaves == top.n_leaves


def test_clusters_that_are_no_nodes_are_refused():
    with pytest.raises(ValueError, match="not nodes of the tree"):
        outline(Tree.from_newick("((0,1),(2,3));"), np.array([0, 1, 1, 0]))

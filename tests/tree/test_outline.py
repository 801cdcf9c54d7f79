"""The top of a tree down to the clusters of a cut."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hypcse.tree import Tree
from hypcse.tree.outline import outline
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


def test_clusters_that_are_no_nodes_are_refused():
    with pytest.raises(ValueError, match="not nodes of the tree"):
        outline(Tree.from_newick("((0,1),(2,3));"), np.array([0, 1, 1, 0]))

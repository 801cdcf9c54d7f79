"""What heights measure, and from where on distances joined: every copy and format that can hold it keeps it."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hypcse
from hypcse import Tree
from hypcse.search.binary import binary_form
from hypcse.storage.values import TREE
from strategies import trees

SAYS = st.tuples(st.sampled_from(["volume", "distance", None]), st.just(math.inf) | st.floats(0, 1e6))


def says(tree):
    return tree.unit, tree.joined_from


@given(trees(min_leaves=2, names=True), SAYS, st.data())
def test_every_copy_says_what_the_tree_says(tree, said, data):
    tree = replace(tree, unit=said[0], joined_from=said[1], names=tuple(f"leaf {k}" for k in range(tree.n_leaves)))
    leaf = data.draw(st.integers(0, tree.n_leaves - 1))
    copies = [
        tree.with_names(None),
        tree.reordered(tree.names[::-1]),
        tree.canonical(),
        tree.prune([leaf]),
        tree.subtree(tree.parent[leaf]),
        tree.attach([leaf], ["new"]),
        binary_form(tree),
        hypcse.compress(tree, hypcse.Graph.from_edges([0], [1], None, tree.n_leaves), n_levels=2),
        Tree.from_json(tree.to_json()),
        Tree.from_newick(tree.to_newick()),
        TREE.decode(TREE.encode(tree)),
    ]
    assert [says(copy) for copy in copies] == [said] * len(copies)
    joined = np.flatnonzero(tree.joined_by_distance)
    assert set(joined) == {v for v in range(tree.n_leaves, tree.n_nodes) if tree.height[v] >= said[1]}


def test_trees_of_earlier_versions_say_nothing():
    text = json.dumps({"format": "hypcse-tree", "version": 1, "parent": [2, 2, -1], "height": [0, 0, 1], "names": None})
    arrays = {"parent": np.array([2, 2, -1]), "height": np.array([0.0, 0, 1]), "names": None}
    for tree in (Tree.from_json(text), TREE.decode(arrays), Tree.from_newick("(a:1,b:1)[a comment];")):
        assert says(tree) == (None, math.inf) and not tree.joined_by_distance.any()


def test_searches_and_linkages_say_what_their_heights_are():
    X = np.array([[0.0], [1], [2], [90], [91], [92]])
    graph = hypcse.Graph.from_edges([0, 1, 3, 4], [1, 2, 4, 5])
    tree = hypcse.search_tree(graph, X)
    assert tree.unit == "volume" and np.flatnonzero(tree.joined_by_distance).tolist() == [tree.root]
    assert says(hypcse.graph_linkage(graph)) == ("volume", math.inf)
    assert says(hypcse.methods.run("ward", X)) == ("distance", math.inf)


@pytest.mark.parametrize(
    ("said", "error", "text"),
    [
        ({"unit": "meters"}, ValueError, "Choose one of 'volume', 'distance'"),
        ({"joined_from": -1}, ValueError, "joined_from=-1 must be finite and at least 0"),
        ({"joined_from": math.nan}, ValueError, "joined_from=nan"),
        ({"joined_from": "top"}, TypeError, "must be a number"),
    ],
)
def test_what_no_tree_can_say_is_refused(said, error, text):
    with pytest.raises(error, match=text):
        Tree([2, 2, -1], [0, 0, 1], **said)

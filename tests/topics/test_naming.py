"""Words of nodes: the sums over a sparse matrix against a plain loop, and planted words found."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer

import hypcse
from corpus import FIELDS, make_corpus
from hypcse.topics import name_nodes, node_words
from hypcse.tree.nodes import node_layers
from strategies import trees


def plain_words(tree, counts, node, other_leaves):
    """The definition, one word at a time."""
    inside = counts[tree.leaves(node)].sum(axis=0)
    outside = counts[other_leaves].sum(axis=0)
    scores = Counter()
    for word, (a, b) in enumerate(zip(inside, outside, strict=True)):
        if a > 0:
            weight = math.log(1 + (inside.sum() + outside.sum()) / 2 / (a + b))
            scores[word] = (a / inside.sum() - b / max(outside.sum(), 1)) * weight
    return {word: score for word, score in scores.items() if score > 1e-12}


@given(trees(min_leaves=2, max_leaves=12), st.integers(0, 1000))
def test_scores_are_those_of_the_definition(tree, seed):
    counts = np.random.default_rng(seed).poisson(0.7, (tree.n_leaves, 5))
    texts = [" ".join(letter * 2 for letter, n in zip("vwxyz", row, strict=True) for _ in range(n)) for row in counts]
    counting = CountVectorizer(vocabulary=[letter * 2 for letter in "vwxyz"])
    result = node_words(tree, texts, min_size=2, vectorizer=counting)
    assert set(result) == set(range(tree.n_leaves, tree.n_nodes - 1))
    for node, best in result.items():
        wanted = plain_words(tree, counts, node, np.setdiff1d(tree.leaves(tree.parent[node]), tree.leaves(node)))
        stored = {word: score for word, score in best if score > 1e-12}
        assert stored == pytest.approx({"vwxyz"[word] * 2: score for word, score in wanted.items()})
        assert [score for _, score in best] == sorted((score for _, score in best), reverse=True)


@given(trees(min_leaves=2, max_leaves=15), st.integers(1, 6))
def test_every_chosen_node_knows_the_nearest_above_it(tree, min_size):
    layers = list(node_layers(tree, min_size=min_size))
    chosen = set(np.concatenate([layer.node for layer in layers]).tolist())
    assert chosen == {v for v in range(tree.n_nodes) if tree.sizes[v] >= min_size or v == tree.root}
    for depth, layer in enumerate(layers):
        for row, (node, above) in enumerate(zip(layer.node.tolist(), layer.above.tolist(), strict=True)):
            path, up = [], tree.parent[node]
            while up >= 0:
                path += [up] if up in chosen else []
                up = tree.parent[up]
            assert depth == len(path) and (not path or layers[depth - 1].node[above] == path[0])
            assert layer.members.toarray()[row].nonzero()[0].tolist() == tree.leaves(node).tolist()


def test_planted_words_name_the_planted_nodes():
    """Of each field its words, of each subject its words and not those of the field."""
    texts, subjects = make_corpus(400)
    tree = planted_tree(subjects)
    names = name_nodes(tree, texts, [subjects // 3, subjects])
    fields = {frozenset(field.split()) for field in FIELDS}
    for number in range(9):
        inside = [set(names[node].split(", ")) for node in names if set(subjects[tree.leaves(node)]) == {number}]
        assert len(inside) == 1 and inside[0] <= set([s for three in FIELDS.values() for s in three][number].split())
    for number in range(3):
        wanted = set(range(3 * number, 3 * number + 3))
        inside = [set(names[node].split(", ")) for node in names if set(subjects[tree.leaves(node)]) == wanted]
        assert len(inside) == 1 and any(inside[0] <= field for field in fields)
    assert tree.root not in names


def planted_tree(subjects):
    """Fields over subjects over texts, each node with as many children as there are."""
    n = subjects.size
    parent = np.concatenate([n + subjects, n + 9 + np.arange(9) // 3, np.full(3, n + 12), [-1]])
    return hypcse.Tree(parent, np.repeat([0.0, 1.0, 2.0, 3.0], [n, 9, 3, 1]))


def test_a_chain_of_many_leaves_is_walked_without_recursion():
    n = 3000
    parent = np.concatenate([[n], np.arange(n, 2 * n - 1), np.arange(n + 1, 2 * n - 1), [-1]])
    tree = hypcse.Tree(parent, np.concatenate([np.zeros(n), np.arange(1.0, n)]))
    names = name_nodes(tree, [f"w{k % 7}" for k in range(n)], min_size=2900)
    assert len(names) <= 100


def test_small_nodes_and_empty_texts_have_no_name():
    tree = hypcse.Tree.from_newick("(((0,1),(2,3)),(4,5));")
    assert name_nodes(tree, ["", "", "", "", "kite", ""], min_size=2) == {8: "kite"}
    assert name_nodes(tree, ["a kite"] * 6, min_size=2) == {}


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"texts": ["a"]}, "for 4 leaves"),
        ({"levels": [[0, 1, 0, 1]]}, "not nodes of the tree"),
        ({"levels": [[0, 1]]}, "for 4 leaves"),
        ({"n_words": 0}, "n_words=0"),
    ],
)
def test_errors_name_the_way_out(options, text):
    tree = hypcse.Tree.from_newick("((0,1),(2,3));")
    with pytest.raises(ValueError, match=text):
        node_words(tree, **{"texts": ["kite", "boat", "kite", "tree"], **options})
    with pytest.raises(TypeError, match="a Tree or a fitted model"):
        name_nodes("((0,1));", ["a"])

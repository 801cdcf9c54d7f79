"""Decoding against SciPy's single linkage, and by laws."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster.hierarchy import linkage

from hypcse import Tree, dendrogram_purity, robinson_foulds, similarity_graph, structural_entropy
from hypcse.neural.decode import decode_graph, decode_single


def leaves_on_the_sphere(n, dim, seed, radius=0.999):
    points = np.random.default_rng(seed).normal(size=(n, dim))
    return radius * points / np.linalg.norm(points, axis=1, keepdims=True)


@given(st.integers(1, 60), st.integers(2, 6), st.integers(0, 99))
def test_single_is_single_linkage(n, dim, seed):
    """Deepest LCA first: with one radius that is SciPy's single linkage of the points, and of the LCA depths."""
    leaves = leaves_on_the_sphere(n, dim, seed)
    tree = decode_single(leaves)
    assert tree.n_leaves == n
    if n > 1:
        assert robinson_foulds(tree, Tree.from_linkage(linkage(leaves, "single"))) == 0
        cosine = np.clip(leaves @ leaves.T / 0.999**2, -1, 1)
        reach = 2 * np.arctanh(0.999)
        depth = np.arctanh(np.tanh(reach) * np.sqrt((1 + cosine) / 2))
        below = Tree.from_linkage(linkage((reach - depth)[np.triu_indices(n, 1)], "single"))
        assert np.sort(tree.height) == pytest.approx(np.sort(below.height), abs=1e-5)


def test_leaves_must_share_a_radius():
    leaves = leaves_on_the_sphere(5, 2, 0)
    leaves[3] *= 0.5
    with pytest.raises(ValueError, match="radii from 0.4995 to 0.999; all must share one radius"):
        decode_single(leaves)


def test_graph_aware_decoding_uses_both():
    """Groups that the graph blurs and the embedding separates are found, at lower entropy than alone."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 30)
    X = rng.normal(size=(90, 4)) + 2 * y[:, None]
    angle = 2 * np.pi * y / 3 + rng.normal(size=90) * 0.1
    leaves = 0.999 * np.column_stack([np.cos(angle), np.sin(angle)])
    graph = similarity_graph(X)
    both, alone = decode_graph(leaves, graph), decode_single(leaves)
    assert dendrogram_purity(both, y) > 0.95
    assert structural_entropy(both, graph) < structural_entropy(alone, graph)


def test_coincident_leaves_leave_the_graph_as_it_is():
    graph = similarity_graph(np.random.default_rng(0).normal(size=(30, 3)))
    leaves = np.tile([[0.999, 0.0]], (30, 1))
    assert decode_graph(leaves, graph).n_leaves == 30

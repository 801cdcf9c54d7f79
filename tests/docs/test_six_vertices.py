"""The example of docs/concepts/entropy.md: its arithmetic, and that no tree does better than the best one there."""

from __future__ import annotations

from math import log2

import pytest

import hypcse
from brute import all_trees, nested_to_tree

ENDS = ([0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5])


def test_no_tree_over_six_vertices_does_better():
    graph = hypcse.Graph.from_edges(*ENDS, [1] * 7, 6)
    trees = [nested_to_tree(nested, 6) for nested in all_trees(tuple(range(6)))]
    assert min(hypcse.structural_entropy(tree, graph) for tree in trees) == pytest.approx(1.469, abs=5e-4)


def test_the_arithmetic_of_the_page():
    star = 4 * 2 / 14 * log2(14 / 2) + 2 * 3 / 14 * log2(14 / 3)
    triangles = star - 6 / 7
    assert [star, triangles, star - 2 / 7, triangles - 2 / 7 * log2(7 / 4)] == pytest.approx(
        [2.557, 1.700, 2.271, 1.469], abs=1e-3
    )

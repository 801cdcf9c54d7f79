"""Searches in leaves and in the lists of neighbors, against sums over all points."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from hypcse.kernels.points.kdtree import build_tree
from hypcse.kernels.points.leaves import search_leaves
from hypcse.kernels.points.links import joined_links, links_back, measured_links


def squares(A, B):
    return ((A[:, None] - B[None]) ** 2).sum(axis=-1)


@pytest.mark.parametrize("n", [1, 63, 700])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_all_leaves_hold_the_nearest(n, dtype):
    """Small integers, whose squares have no rounding, and many ties."""
    rng = np.random.default_rng(n)
    X, queries = rng.integers(-3, 4, (n, 5)).astype(dtype), rng.integers(-5, 6, (150, 5)).astype(dtype)
    tree, blocks = build_tree(X), build_tree(queries)
    ids, squared = search_leaves(tree, blocks.points, blocks.start, 1.0, tree.start.size, 9)
    expected = squares(blocks.points, tree.points)
    k = min(n, 9)
    assert_array_equal(squared[:, :k], np.sort(expected, axis=1)[:, :k])
    assert_array_equal(np.take_along_axis(expected, ids[:, :k].astype(int), axis=1), squared[:, :k])
    assert (ids[:, k:] == -1).all()


@pytest.mark.parametrize("n_tasks", [1, 3, 7])
def test_points_that_list_a_point(n_tasks):
    """The first by (place in the list, point), whatever the number of tasks."""
    rng = np.random.default_rng(n_tasks)
    X = rng.normal(size=(90, 3)).astype(np.float32)
    links = measured_links(X, np.stack([rng.permutation(90)[:6] for _ in X]))
    listed = [
        [i for _, i in sorted((list(links.ids[i]).index(j), i) for i in range(90) if j in links.ids[i])]
        for j in range(90)
    ]
    expected = [[i for i in row if i not in links.ids[j]][:4] for j, row in enumerate(listed)]
    back, new = links_back(links, 4, n_tasks)
    assert [[i for i in row if i >= 0] for row in back.tolist()] == expected
    assert_array_equal(new, back >= 0)


def test_neighbors_of_neighbors_lead_everywhere():
    """From points at random to the true neighbors; a round without new links changes nothing."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 4)).astype(np.float32)
    expected = np.sort(squares(X, X), axis=1)[:, 1:11]
    links = measured_links(X, np.stack([rng.permutation(599)[:16] for _ in X]) + 0)
    for n_tasks in range(1, 9):
        length = 16 + (n_tasks > 4)
        before, links = links, joined_links(X, links, *links_back(links, 8, n_tasks), length)
        assert (links.squared[:, : before.squared.shape[1]] <= before.squared).all()
    distances = np.where(links.ids == np.arange(600)[:, None], np.inf, links.squared)
    assert (np.sort(distances, axis=1)[:, :10] <= expected * (1 + 1e-5)).mean() > 0.99
    assert all(len(set(row)) == len(row) for row in links.ids)

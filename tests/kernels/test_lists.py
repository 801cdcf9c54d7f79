"""Points in lists, against sums over all of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal

from hypcse.kernels.points.lists import Lists, columns_of_lists, move_centers, nearest_centers, read_lists


def squares(A, B):
    return ((A[:, None].astype(np.float64) - B[None]) ** 2).sum(axis=-1)


def grids(most=40):
    """Small integers, whose squares single precision holds without rounding."""
    shapes = st.tuples(st.integers(1, most), st.integers(1, 9))
    return shapes.flatmap(lambda shape: arrays(np.float32, shape, elements=st.integers(-3, 3).map(float)))


def lists_of(points, n_lists):
    centers = points[:n_lists].copy()
    owner = nearest_centers(points, centers, 1)[:, 0]
    order = np.argsort(owner, kind="stable")
    start = np.searchsorted(owner[order], np.arange(n_lists + 1))
    near = nearest_centers(centers, centers, n_lists)
    rows = points[order]
    return Lists(rows, columns_of_lists(rows, start), start, owner[order], centers, near)


@given(grids(), st.integers(1, 40), st.integers(1, 8))
def test_centers_come_nearest_first_and_in_their_order_among_equals(points, n_centers, k):
    centers = points[:n_centers]
    k = min(k, len(centers))
    expected = np.argsort(squares(points, centers), axis=1, kind="stable")[:, :k]
    assert_array_equal(nearest_centers(points, centers, k), expected)


def test_many_centers_are_measured_in_parts():
    rng = np.random.default_rng(0)
    points, centers = rng.normal(size=(70, 5)).astype(np.float32), rng.normal(size=(600, 5)).astype(np.float32)
    assert_array_equal(nearest_centers(points, centers, 1)[:, 0], squares(points, centers).argmin(axis=1))


def test_a_centre_moves_to_its_mean_and_stays_without_points():
    rng = np.random.default_rng(0)
    points, owner = rng.normal(size=(50, 3)).astype(np.float32), rng.integers(0, 4, size=50)
    centers = np.full((5, 3), 7, np.float32)
    move_centers(points, owner, centers)
    expected = [points[owner == number].mean(axis=0, dtype=np.float64) for number in range(4)]
    assert_allclose(centers[:4], expected, rtol=1e-6)
    assert_array_equal(centers[4], 7)


@given(grids(), st.integers(1, 10))
def test_columns_hold_the_points(points, n_lists):
    lists = lists_of(points, min(n_lists, len(points)))
    for begin, end in zip(lists.start[:-1], lists.start[1:], strict=True):
        block = lists.columns[begin * points.shape[1] : end * points.shape[1]].reshape(points.shape[1], -1)
        assert_array_equal(block.T, lists.rows[begin:end])


@given(grids(), st.integers(1, 10), st.integers(1, 8))
def test_all_lists_together_hold_the_nearest(points, n_lists, k):
    lists = lists_of(points, min(n_lists, len(points)))
    n, k = len(points), min(k, len(points))
    found = read_lists(lists, np.arange(n), len(lists.centers), n, k)
    distances = squares(lists.rows, lists.rows)
    assert_array_equal(np.take_along_axis(distances, found, axis=1), np.sort(distances, axis=1)[:, :k])
    assert all(len(set(row)) == k for row in found)


@pytest.mark.parametrize("n_reads", [1, 3])
def test_a_query_reads_the_lists_of_the_nearest_centers(n_reads):
    points = np.random.default_rng(1).normal(size=(500, 6)).astype(np.float32)
    lists = lists_of(points, 12)
    queries = np.arange(0, 500, 7)
    found = read_lists(lists, queries, n_reads, 500, 5)
    read = np.argsort(squares(lists.rows[queries], lists.centers), axis=1)[:, :n_reads]
    distances = squares(lists.rows[queries], lists.rows)
    distances[~(lists.owner[None, :, None] == read[:, None]).any(axis=-1)] = np.inf
    expected = np.where(np.sort(distances, axis=1)[:, :5] < np.inf, np.argsort(distances, axis=1)[:, :5], -1)
    assert_array_equal(found, expected)


def test_no_more_is_read_than_asked_for():
    """Copies of one point are one list, which would cost a query all of them."""
    lists = lists_of(np.ones((5_000, 3), np.float32), 1)
    assert read_lists(lists, np.arange(5), 1, 300, 3).max() < 512

"""Labels of every kind, and values that are no numbers."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from hypcse._checks import check_count, check_features, check_finite, check_labels, check_number

LABELS = st.integers(-2, 2) | st.sampled_from(["a", "b", "1", "2"]) | st.tuples(st.integers(0, 1)) | st.booleans()


@given(st.lists(LABELS, min_size=1, max_size=12), st.booleans())
def test_points_share_a_code_when_their_labels_are_equal(labels, as_array):
    given_labels = np.fromiter(labels, dtype=object, count=len(labels)) if as_array else labels
    codes = check_labels(given_labels, len(labels))
    assert_array_equal(codes[:, None] == codes, [[a == b for a in labels] for b in labels])
    assert set(codes) == set(range(len(set(labels))))


@pytest.mark.parametrize("kind", ["int8", "float32", "bool", "U3", "datetime64[D]"])
def test_arrays_of_one_kind(kind):
    values = np.array([1, 0, 1, 1, 0]).astype(kind)
    for labels in (values, pd.Series(values), values.tolist()):
        codes = check_labels(labels, 5)
        assert_array_equal(codes == codes[0], [True, False, True, True, False])


MISSING = {
    "none": ["a", None, "b"],
    "nan among text": ["a", np.nan, "b"],
    "nan object": np.array([1, np.nan, "b"], dtype=object),
    "pandas NA": pd.Series([1, pd.NA, 2], dtype=object),
    "category": pd.Series(["a", None, "b"], dtype="category"),
    "text": pd.Series(["a", None, "b"], dtype="string"),
}


@pytest.mark.parametrize("labels", MISSING.values(), ids=MISSING.keys())
def test_missing_labels_are_named(labels):
    with pytest.raises(ValueError, match="label of point 1 is missing"):
        check_labels(labels, 3)


@pytest.mark.parametrize("labels", MISSING.values(), ids=MISSING.keys())
def test_missing_labels_may_be_unknown(labels):
    assert_array_equal(check_labels(labels, 3, allow_unknown=True), [0, -1, 1])
    numbers = np.array([2.0, np.nan, -1.0])
    assert_array_equal(check_labels(numbers, 3, allow_unknown=True), [1, -1, 0])


def test_wrong_labels_are_named():
    for labels in (
        [0.0, np.nan],
        pd.Series([1, None], dtype="Int64"),
        np.array(["2020-01-01", "NaT"], dtype="datetime64[D]"),
    ):
        with pytest.raises(ValueError, match="not finite.* at 1"):
            check_labels(labels, 2)
    with pytest.raises(TypeError, match=r"point 0 is \[0\] \(list\), which is not hashable"):
        check_labels([[0], [1]], 2)
    with pytest.raises(TypeError, match=r"point 1 is \(1, \[2\]\) \(tuple\)"):
        check_labels(["a", (1, [2])], 2)
    for labels in ([0, 1, 1], np.zeros((2, 1)), 0, None):
        with pytest.raises(ValueError, match="one label per point"):
            check_labels(labels, 2)


def test_features_must_be_real_numbers():
    with pytest.raises(TypeError, match="X must be real numbers, got complex128"):
        check_features([[1j, 2]])
    for X in ([["a", "b"]], [[1], [1, 2]], [[None, 1j]]):
        with pytest.raises(TypeError, match="X must be numbers"):
            check_features(X)
    assert check_features(np.ones((2, 2), np.float32)).dtype == np.float32
    assert check_features([["1", "2"]]).dtype == np.float64


def test_the_place_of_a_value_is_the_callers():
    with pytest.raises(ValueError, match=r"^values of X are not finite \(1 in all\); the first is nan at \(1, 0\)"):
        check_finite("X", np.array([[1, 2], [np.nan, 3]]))
    with pytest.raises(ValueError, match="at entry 2"):
        check_finite("X", np.array([1, 2, np.inf]), lambda entry: f"entry {entry}")


def test_numbers_within_limits():
    assert check_count("n", np.int8(3), 1) == 3 and check_number("x", 1, 0.0, 1.0) == 1.0
    for wrong, text in (
        (10**30, "n=1000000000000000000000000000000 must be at most 9223372036854775807"),
        (0, "least 1"),
    ):
        with pytest.raises(ValueError, match=text):
            check_count("n", wrong, 1)
    for value in (-1e-9, 1.0, np.nan, np.inf):
        with pytest.raises(ValueError, match=r"must be from 0 to below 1\."):
            check_number("x", value, 0.0, 1.0, below=True)
    with pytest.raises(TypeError, match="x='a' must be a number, got str"):
        check_number("x", "a", 0.0, 1.0)

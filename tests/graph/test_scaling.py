"""Columns by their quantiles: ranks of another library, order alone, and new values between and beyond those fitted."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import rankdata

from hypcse import methods
from hypcse._choices import Scale
from hypcse.graph import scale_features, similarity_graph
from hypcse.graph.scaling import KINDS, fit_scaling

pytestmark = pytest.mark.filterwarnings("ignore:columns of X:hypcse.HypcseWarning")
LIMIT = float(np.finfo(np.float32).max)
ties, singles = st.integers(-4, 4), st.floats(-LIMIT, LIMIT, width=32)
tables = st.tuples(st.integers(1, 40), st.integers(1, 4)).flatmap(
    lambda shape: arrays(np.float32, shape, elements=ties | singles | st.just(-0.0))
)


def varies(X):
    """Which columns have two values at least."""
    return X.min(axis=0) < X.max(axis=0)


@given(tables)
def test_a_quantile_is_the_average_rank_less_one_half(X):
    expected = (rankdata(X, method="average", axis=0) - 0.5) / len(X)
    found = scale_features(X, "rank")
    assert found.dtype == np.float32
    assert_array_equal(found, np.where(varies(X), expected, 0).astype(np.float32))


@given(tables)
def test_a_quantile_is_the_mean_of_both_empirical_distributions(X):
    below = (X[None] < X[:, None]).mean(axis=1)
    up_to = (X[None] <= X[:, None]).mean(axis=1)
    assert_allclose(scale_features(X, "rank")[:, varies(X)], ((below + up_to) / 2)[:, varies(X)], rtol=1e-6)


@given(tables, st.randoms(use_true_random=False))
def test_the_table_fitted_is_given_again_to_the_bit(X, random):
    """Whole, row by row and in any order: copies of training points are known by equality."""
    for scale in ("rank", "none"):
        scaling, fitted = fit_scaling(X, scale)
        assert_array_equal(scaling.apply(X), fitted)
        rows = random.sample(range(len(X)), len(X))
        assert_array_equal(scaling.apply(X[rows]), fitted[rows])
        assert_array_equal(np.concatenate([scaling.apply(row[None]) for row in X]), fitted)


@given(
    X=tables.map(lambda X: np.clip(X, -50, 50)),
    rise=st.sampled_from([np.exp, lambda x: x**3, np.arctan, lambda x: 3 * x - 7]),
)
def test_only_the_order_of_the_values_counts(X, rise):
    """A strictly increasing map of the columns changes nothing, as long as float32 tells its values apart."""
    risen = rise(X.astype(np.float64)).astype(np.float32)
    assume(all(np.unique(risen[:, k]).size == np.unique(X[:, k]).size for k in range(X.shape[1])))
    assert_array_equal(scale_features(risen, "rank"), scale_features(X, "rank"))


@given(tables, arrays(np.float32, st.tuples(st.integers(2, 30)), elements=ties | singles))
def test_quantiles_rise_with_the_values_of_a_column(X, new):
    """Those of the table, of new values, and of both together."""
    scaling, fitted = fit_scaling(X, "rank")
    column = np.sort(np.concatenate([new, X[:, 0]]))
    found = scaling.apply(np.repeat(column[:, None], X.shape[1], axis=1))
    assert (np.diff(found, axis=0) >= 0).all()
    assert (found >= fitted.min(axis=0)).all() and (found <= fitted.max(axis=0)).all()


@given(tables, arrays(np.float32, (20,), elements=ties | singles))
def test_new_values_are_interpolated_and_end_at_the_ends(X, new):
    scaling, fitted = fit_scaling(X, "rank")
    found = scaling.apply(np.repeat(new[:, None], X.shape[1], axis=1))
    for k in range(X.shape[1]):
        values, first = np.unique(X[:, k].astype(np.float64), return_index=True)
        place = np.searchsorted(values, new, side="right")
        lower, upper = np.clip(place - 1, 0, None), np.clip(place, None, values.size - 1)
        gap = values[upper] - values[lower]
        part = np.where(gap > 0, (new - values[lower]) / np.where(gap > 0, gap, 1), 0)
        low, high = fitted[first[lower], k].astype(float), fitted[first[upper], k]
        assert_allclose(found[:, k], low + part * (high - low), rtol=1e-6)


def test_new_values_by_hand():
    scaling, fitted = fit_scaling([[0.0, 7.0], [10.0, 7.0], [10.0, 7.0], [20.0, 7.0]], "rank")
    assert fitted.tolist() == [[0.125, 0], [0.5, 0], [0.5, 0], [0.875, 0]]
    assert scaling.apply([[5.0, 7.0], [15.0, -3.0], [-1e30, 8.0], [21.0, 0.0]]).tolist() == [
        [0.3125, 0],
        [0.6875, 0],
        [0.125, 0],
        [0.875, 0],
    ]


def test_zeros_of_both_signs_are_one_value():
    scaling, fitted = fit_scaling([[-0.0], [0.0], [1.0], [-1.0]], "rank")
    assert fitted.ravel().tolist() == [0.5, 0.5, 0.875, 0.125]
    assert scaling.apply([[0.0], [-0.0]]).ravel().tolist() == [0.5, 0.5]
    assert scale_features([[-0.0], [0.0]], "rank").ravel().tolist() == [0, 0]


def test_constant_columns_and_single_rows_become_zero():
    scaling, fitted = fit_scaling([[5.0, 1.0], [5.0, 2.0]], "rank")
    assert fitted[:, 0].tolist() == [0, 0]
    assert scaling.apply([[4.0, 1.0], [6.0, 1.0]])[:, 0].tolist() == [0, 0]
    assert scale_features([[3.0, -4.0]], "rank").tolist() == [[0, 0]]


def test_the_whole_range_of_single_precision():
    """Where the range of a column overflows in float32, down to its least number, and beyond it."""
    tiny = float(np.finfo(np.float32).smallest_subnormal)
    scaling, fitted = fit_scaling([[-LIMIT], [0.0], [tiny], [LIMIT]], "rank")
    assert fitted.ravel().tolist() == [0.125, 0.375, 0.625, 0.875]
    assert scaling.apply([[-LIMIT / 2], [LIMIT]]).ravel().tolist() == [0.25, 0.875]
    assert scaling.apply([[-1e39]]).ravel().tolist() == [0.125]


def test_graphs_and_methods_see_the_order_alone():
    """An extreme value and a heavy tail change neither."""
    X = np.random.default_rng(0).normal(size=(60, 3))
    heavy = np.sinh(3 * X)
    heavy[heavy.argmax(axis=0), range(3)] = 1e30
    assert similarity_graph(heavy, scale="rank") == similarity_graph(X, scale="rank")
    assert similarity_graph(X, scale="rank") == similarity_graph(scale_features(X, "rank"), scale="none")
    for name in ("ward", "graph-average"):
        one, other = (methods.run(name, table, scale="rank") for table in (X, heavy))
        assert_array_equal(one.to_linkage(), other.to_linkage())


def test_the_choices_are_listed():
    assert get_args(Scale) == tuple(KINDS) == ("minmax", "standard", "rank", "none")
    listed = "scale='ranks' is not known. Choose one of 'minmax', 'standard', 'rank', 'none'"
    for run in (scale_features, lambda X, scale: methods.run("ward", X, scale=scale)):
        with pytest.raises(ValueError, match=listed):
            run(np.eye(3), "ranks")


def test_texts_weigh_about_as_much_as_numbers():
    """Two texts are about a standard deviation of a number apart, whatever the scale; alone, they are 1 apart."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 4, 2000)
    X = np.column_stack([rng.normal(5, 3, 2000), rng.uniform(0, 1, 2000), np.eye(4)[codes]])
    kinds = (None, None, "c", "c", "c", "c")
    for scale in ("minmax", "standard", "rank"):
        scaling, scaled = fit_scaling(X, scale, kinds)
        deviation = np.sqrt(scaled[:, :2].var(axis=0).mean())
        first, second = scaled[codes == 0][0, 2:], scaled[codes == 1][0, 2:]
        assert np.linalg.norm(first - second) == pytest.approx(deviation, rel=0.1)
        assert np.allclose(scaling.apply(X), scaled)
    alone = fit_scaling(np.eye(4)[codes], "minmax", ("c",) * 4)[1]
    assert np.linalg.norm(alone[codes == 0][0] - alone[codes == 1][0]) == pytest.approx(1)
    assert type(fit_scaling(X, "minmax", (None,) * 6)[0]).kind == "minmax"

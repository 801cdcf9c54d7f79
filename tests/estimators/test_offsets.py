"""A constant added to a column changes no answer, nor does a factor: at every door that takes features."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

import hypcse
from hypcse import EntropyClustering, HypCSE, HypCSEClassifier, HypcseWarning, Points
from hypcse._choices import Scale
from hypcse.graph import nearest_neighbors, scale_features, similarity_graph
from hypcse.graph.features import dense_features
from hypcse.graph.scaling import fit_scaling
from hypcse.neural.trained import spectral_features
from hypcse.tree.nodes import merge_distances

SCALES = get_args(Scale)
COLUMNS = 3
FAST = ("single-linkage", "ward", "average-linkage", "complete-linkage", "bisecting-kmeans", "hdbscan")
TRAINED = ("untrained", "hyphc", "ufit")


@st.composite
def tables(draw):
    """Whole numbers in a few groups; each column starts at 0 and reaches 1000."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n_groups, n = draw(st.integers(1, 4)), draw(st.integers(12, 40))
    centers = rng.integers(100, 900, size=(n_groups, COLUMNS))
    X = np.clip(centers[rng.integers(n_groups, size=n)] + rng.normal(0, 30, size=(n, COLUMNS)).round(), 0, 1000)
    X[0], X[1] = 0, 1000
    return X


# Offsets at which single precision would lose the columns, and float64 holds every value.
offsets = arrays(np.int64, COLUMNS, elements=st.integers(10**6, 2**46) | st.integers(-(2**46), -(10**6))).map(
    lambda offset: offset.astype(float)
)
powers = arrays(np.int64, COLUMNS, elements=st.integers(-1000, 1000))
NEAR = 2.0**-14


def fitted(model, X, new):
    model.fit(X)
    return [model.tree_.to_linkage(), model.labels_, model.entropy_, model.predict(new), model.places(new)]


def joined(X, scale):
    graph = similarity_graph(np.arange(len(X))[:, None] // 5, 3)
    return hypcse.join_components(hypcse.graph_linkage(graph), graph, X, scale=scale).to_linkage()


def steady(X, scale):
    graph = similarity_graph(X, scale=scale)
    return hypcse.stability([np.arange(len(X)) % 3], graph, X, scale=scale, n_resamples=3)


DOORS = {
    "graph": lambda X, new, scale: similarity_graph(X, 5, scale=scale).to_scipy().toarray(),
    "graph at its own width": lambda X, new, scale: similarity_graph(X, 5, "median", scale).to_scipy().toarray(),
    "EntropyClustering": lambda X, new, scale: fitted(EntropyClustering(scale=scale), X, new),
    "Points": lambda X, new, scale: fitted(EntropyClustering(scale=scale), Points(X, kinds=("a", "a", None)), new),
    "methods": lambda X, new, scale: [hypcse.methods.run(name, X, scale=scale).to_linkage() for name in FAST],
    "join": lambda X, new, scale: joined(X, scale),
    "stability": lambda X, new, scale: steady(X, scale),
    "chance": lambda X, new, scale: hypcse.beyond_chance(X, scale=scale).score,
}
UNSCALED = {
    "neighbors": lambda X: nearest_neighbors(X, 5).distances,
    "neighbors by products": lambda X: nearest_neighbors(X, 5, algorithm="brute").distances,
    "heights": lambda X: merge_distances(hypcse.methods.run("ward", X), X),
}


def assert_same(found, expected):
    if isinstance(expected, list):
        for one, other in zip(found, expected, strict=True):
            assert_array_equal(one, other)
    else:
        assert_array_equal(found, expected)


@pytest.mark.filterwarnings("ignore::hypcse.HypcseWarning")
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("door", DOORS)
@settings(deadline=None, max_examples=4)
@given(X=tables(), offset=offsets)
def test_an_offset_changes_no_answer(door, scale, X, offset):
    """To the last bit: what is left of a lost column after its offset is exact."""
    new = X[::3] + 5
    assert_same(DOORS[door](X + offset, new + offset, scale), DOORS[door](X, new, scale))


@pytest.mark.parametrize("door", UNSCALED)
@settings(deadline=None, max_examples=10)
@given(X=tables(), offset=offsets)
def test_an_offset_changes_no_distance(door, X, offset):
    assert_allclose(UNSCALED[door](X + offset), UNSCALED[door](X), rtol=1e-9)


@pytest.mark.filterwarnings("ignore::hypcse.HypcseWarning")
@pytest.mark.parametrize("scale", [scale for scale in SCALES if scale != "none"])
@pytest.mark.parametrize("door", DOORS)
@settings(deadline=None, max_examples=4)
@given(X=tables(), power=powers)
def test_a_factor_changes_no_answer(door, scale, X, power):
    """To the last bit, if the factors are powers of two."""
    new = X[::3] + 5
    assert_same(DOORS[door](np.ldexp(X, power), np.ldexp(new, power), scale), DOORS[door](X, new, scale))


@settings(deadline=None, max_examples=10)
@given(X=tables(), power=st.integers(-100, 100))
def test_a_factor_of_the_whole_table_changes_no_graph_at_its_own_width(X, power):
    assert similarity_graph(np.ldexp(X, power), 5, "median", "none") == similarity_graph(X, 5, "median", "none")


@given(
    X=tables(),
    offset=arrays(np.float64, COLUMNS, elements=st.floats(-1e9, 1e9)),
    factor=arrays(np.float64, COLUMNS, elements=st.floats(-280, 280).map(lambda power: 10.0**power)),
)
def test_any_offset_and_factor_change_no_more_than_rounding(X, offset, factor):
    for scale in ("minmax", "standard"):
        assert_allclose(scale_features((X + offset) * factor, scale), scale_features(X, scale), atol=NEAR)
        assert_allclose(
            fit_scaling((X + offset) * factor, scale)[0].apply((X + offset) * factor),
            scale_features(X, scale),
            atol=NEAR,
        )
    assert_allclose(scale_features((X + offset) * factor, "rank"), scale_features(X, "rank"), atol=1e-7)
    moved = scale_features(X + offset, "none").astype(float)
    assert_allclose(moved - moved[0], X, atol=1000 * NEAR)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::hypcse.HypcseWarning")
@pytest.mark.parametrize("scale", ["minmax", "none"])
def test_an_offset_changes_no_training(scale):
    rng = np.random.default_rng(0)
    X = np.repeat(rng.integers(0, 900, size=(3, COLUMNS)), 10, axis=0) + rng.integers(0, 100, size=(30, COLUMNS)) * 1.0
    X -= X.min(axis=0)
    y, far = np.arange(30) // 10, X + np.array([1.7e9, -1e12, 3e8])
    y[::2] = -1
    assert_same(*(fitted(HypCSE(n_epochs=2, scale=scale), table, table[::3] + 5) for table in (X, far)))
    one, other = (
        HypCSEClassifier(n_epochs=2, scale=scale).fit(table, y).predict_proba(table + 5) for table in (X, far)
    )
    assert_array_equal(one, other)
    for name in TRAINED:
        one, other = (hypcse.methods.run(name, table, scale=scale).to_linkage() for table in (X, far))
        assert_array_equal(one, other)


@pytest.mark.filterwarnings("ignore::hypcse.HypcseWarning")
@settings(deadline=None, max_examples=5)
@given(X=tables(), offset=offsets)
def test_a_stored_model_knows_its_offsets(tmp_path_factory, X, offset):
    folder, kinds = tmp_path_factory.mktemp("models"), (None, "a", "a")
    for scale in SCALES:
        model = EntropyClustering(scale=scale).fit(Points(X + offset, kinds=kinds, feature_names=("x", "b", "c")))
        model.save(folder / scale)
        new = Points(X + offset + 5, feature_names=("x", "b", "c"), kinds=kinds)
        assert_array_equal(EntropyClustering.load(folder / scale).predict(new), model.predict(new))


@pytest.mark.parametrize("scale", SCALES)
def test_moments_a_minute_apart_are_two_groups(scale):
    """As Unix seconds, beside noise of another unit; from a table of dates; and as ranks over years."""
    seconds = 1.7e9 + np.repeat([0.0, 60.0], 20)
    assert EntropyClustering(scale=scale, n_clusters=2).fit(seconds[:, None]).labels_.tolist() == [0] * 20 + [1] * 20
    ranked = scale_features(np.append(seconds, 1e9)[:, None], "rank")
    assert np.unique(ranked).size == 3


def test_moments_read_from_a_table_stay_apart(tmp_path):
    """300 minutes, as dates and as Unix seconds."""
    moments = np.datetime64("2026-01-01T00:00") + np.arange(300).astype("m8[m]")
    for cells in (moments, moments.astype("M8[s]").astype(np.int64)):
        (tmp_path / "moments.csv").write_text("moment\n" + "\n".join(map(str, cells)))
        points = hypcse.read(tmp_path / "moments.csv", dates="number")
        for scale in SCALES:
            assert np.unique(points.scaled(scale)[1]).size == 300


@pytest.mark.parametrize("scale", SCALES)
def test_what_even_float64_cannot_tell_apart_is_an_error(scale):
    X = np.random.default_rng(0).normal(size=(40, 2))
    for offset in (1e17, 1e20, -1e300):
        for run in (EntropyClustering(scale=scale).fit, lambda X: similarity_graph(X, scale=scale)):
            with pytest.raises(
                ValueError, match=r"column 0 of X holds values near .*, where float64 tells values apart"
            ):
                run(X + offset)
    with pytest.warns(HypcseWarning, match=r"columns of X \(by position, from 0: 1\) are constant at values so large"):
        scale_features(X + np.array([0, 1e20]), scale)
    with pytest.warns(HypcseWarning, match=r"0\) hold values that float32 can hardly tell apart: pass float64"):
        scale_features(np.float32([[1.7e9], [1.7e9 + 60]]), scale)


@pytest.mark.parametrize("scale", SCALES)
def test_rounding_is_no_feature(scale):
    """What should be constant and differs in the last digits is named, and counts for nothing."""
    X = np.column_stack([np.arange(4.0), [0.3, 0.1 * 3, 0.3, 0.1 + 0.2]])
    with pytest.warns(HypcseWarning, match=r"0: 1\) vary only by rounding and are taken for constant"):
        assert not scale_features(X, scale)[:, 1].any()


def test_directions_without_extent_are_no_features():
    """A wide sparse table of rank 5, and a graph whose leading eigenvector is constant."""
    rng = np.random.default_rng(0)
    low_rank = rng.random((60, 5)) @ (rng.random((5, 800)) * (rng.random((5, 800)) < 0.1))
    assert dense_features(sparse.csr_array(low_rank)).shape == (60, 5)
    ring = hypcse.Graph.from_edges(np.arange(31), np.arange(1, 32) % 31)
    complete = hypcse.Graph.from_edges(*np.triu_indices(30, 1))
    for graph in (ring, complete):
        extent = np.ptp(spectral_features(graph), axis=0)
        assert ((extent == 0) | (extent > 1e-3)).all()


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_underflow_on_the_own_scale_is_told(metric):
    X = 1e-300 * (1 + np.random.default_rng(0).random((20, 2)))
    with pytest.warns(HypcseWarning, match=r"0, 1\) lie within 1.2e-38 .* become 0 or lose digits"):
        scale_features(X, "none", metric)


def test_angles_keep_their_origin():
    """With the cosine of features on their own scale, an offset is part of the answer, and nothing is moved."""
    X = 1e9 + np.random.default_rng(0).normal(size=(20, 2))
    assert_array_equal(scale_features(X, "none", "cosine"), X.astype(np.float32))

"""Weights have no unit, up to the ends of the floats; weights that no common unit holds are refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

import hypcse
from graph_strategies import graphs_with_trees, hubby_graphs
from hypcse import EntropyClustering, Graph
from hypcse.graph.convert import in_range
from hypcse.search.run import refined


@pytest.fixture(scope="module")
def graph():
    rng = np.random.default_rng(0)
    return hypcse.similarity_graph(rng.normal(size=(80, 3)) + 3 * np.repeat(np.eye(4, 3), 20, axis=0)).without_loops()


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("exponent", [-900, -600, 400, 950])
def test_results_have_no_unit(graph, exponent):
    """A power of two changes no bit of any weight, so that nothing else may change."""
    scaled = graph.scaled(2.0**exponent)
    for method in ("average", "paris", "entropy", "single", "multilevel"):
        tree = hypcse.graph_linkage(graph, method)
        assert hypcse.graph_linkage(scaled, method) == tree
    assert hypcse.refine(tree, scaled) == hypcse.refine(tree, graph)
    for mine, theirs in zip(hypcse.levels(tree, scaled), hypcse.levels(tree, graph), strict=True):
        assert np.array_equal(mine, theirs)
    assert np.array_equal(EntropyClustering().fit(scaled).labels_, EntropyClustering().fit(graph).labels_)
    assert hypcse.beyond_chance(scaled).word == hypcse.beyond_chance(graph).word


@pytest.mark.parametrize(
    "weights", [[1e-200, 1e200, 1.0], [1e-299, 1.0, 1e299], [5e-324, 1.0, 1.0], [1e-150, 1e150, 1e151]]
)
def test_weights_too_far_apart_are_refused(weights):
    with pytest.raises(ValueError, match=r"the lightest weight is .* more than 1e\+300 times .* Remove such edges"):
        Graph.from_edges([0, 1, 2], [1, 2, 3], weights)


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("weights", [[1e-200, 1e90, 1.0], [1e-290, 1.0, 1.0], [1e-60, 1e230, 1.0], [1e-305] * 3])
def test_weights_that_are_taken_can_be_used(weights):
    """What the door lets in goes all the way: linkage, search, levels, scores, the estimator."""
    graph = Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 4], [*weights, weights[0]])
    for method in ("average", "paris", "entropy", "single", "multilevel"):
        tree = hypcse.refine(hypcse.graph_linkage(graph, method), graph)
        assert np.isfinite(tree.height).all()
        assert np.isfinite(list(hypcse.score(tree, graph=graph).values())).all()
        assert hypcse.levels(tree, graph) and hypcse.entropy_report(tree, graph).entropy >= 0
        hypcse.best_cut(tree, graph)
    assert EntropyClustering().fit(graph).labels_.size == 5


@given(hubby_graphs(14), st.integers(-1073, 990))
def test_a_power_of_two_changes_no_bit(graph, exponent):
    """Down to the least of all floats, 2**-1074, and with all the ties of weights of few values."""
    scaled = graph.scaled(2.0**exponent)
    for method in ("average", "paris", "entropy", "single", "multilevel"):
        tree = hypcse.graph_linkage(graph, method)
        assert hypcse.graph_linkage(scaled, method) == tree
    for objective in ("entropy", "dasgupta"):
        mine, other = (refined(tree, each, objective) for each in (graph, scaled))
        assert mine.tree == other.tree
        unit = 1.0 if objective == "entropy" else 2.0**exponent
        assert (mine.before * unit, mine.after * unit) == (other.before, other.after)
    assert hypcse.structural_entropy(tree, scaled) == hypcse.structural_entropy(tree, graph)
    mine, other = (hypcse.entropy_report(tree, each, "exact") for each in (graph, scaled))
    assert (mine.entropy, mine.one_dimensional, mine.lower_bound) == (
        other.entropy,
        other.one_dimensional,
        other.lower_bound,
    )
    assert np.array_equal(mine.saving, other.saving) and np.array_equal(mine.volume * 2.0**exponent, other.volume)
    for one, two in zip(hypcse.levels(tree, graph), hypcse.levels(tree, scaled), strict=True):
        assert np.array_equal(one, two)


@given(graphs_with_trees(min_leaves=2), st.floats(-30, 30))
def test_any_factor_changes_entropy_by_rounding(case, power):
    """Except where the paper counts loops, whose entropy has the unit of the weights in it."""
    graph, tree = case
    scaled = graph.scaled(10.0**power)
    for loops in ("exact", "drop"):
        assert hypcse.structural_entropy(tree, scaled, loops) == approx(hypcse.structural_entropy(tree, graph, loops))
    share = graph.self_weights.sum() / graph.volume if graph.volume > 0 else 0.0
    moved = hypcse.structural_entropy(tree, graph) - share * power * np.log2(10)
    assert hypcse.structural_entropy(tree, scaled) == approx(moved, abs=1e-9)


def test_the_unit_is_set_once(graph):
    once = in_range(graph)
    assert 1 <= once.volume < 2 and in_range(once) is once
    empty = Graph.from_edges([], [], [], 3)
    assert in_range(empty) is empty

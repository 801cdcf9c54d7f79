"""A graph that follows labels."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_strategies import graphs, planted_partition
from hypcse import Graph, dendrogram_purity, graph_linkage, refine, respect_labels

STRENGTHS = st.sampled_from([0.5, 1.0, 3.0])


@st.composite
def labeled_graphs(draw):
    """A graph and labels of some of its vertices, perhaps of none."""
    n_vertices = draw(st.integers(1, 12))
    y = draw(st.lists(st.integers(-1, 2), min_size=n_vertices, max_size=n_vertices))
    return draw(graphs(n_vertices)), np.array(y)


@given(labeled_graphs(), STRENGTHS, st.integers(0, 3))
def test_weights_of_every_pair(case, strength, seed):
    """Alike: no lighter. Unlike: divided. All others, loops included: as they were."""
    graph, y = case
    respected = respect_labels(graph, y, strength, random_state=seed)
    before, found = graph.to_scipy().toarray(), respected.to_scipy().toarray()
    labeled = (y >= 0)[:, None] & (y >= 0)
    unlike = labeled & (y[:, None] != y)
    alike = labeled & ~unlike
    np.fill_diagonal(alike, False)
    assert np.array_equal(found, found.T) and np.isfinite(found).all()
    assert np.array_equal(found[unlike], before[unlike] / (1 + strength))
    assert (found[alike] >= before[alike]).all()
    assert np.array_equal(found[~unlike & ~alike], before[~unlike & ~alike])


@given(labeled_graphs(), STRENGTHS)
def test_each_labeled_vertex_gains_the_same(case, strength):
    graph, y = case
    added = (respect_labels(graph, y, strength).to_scipy() - graph.to_scipy()).toarray()
    gained = np.where(added > 0, added, 0).sum(axis=1)
    has_partner = np.array([label >= 0 and (y == label).sum() > 1 for label in y])
    mean_degree = graph.edge_degrees.mean() or 1
    assert gained == pytest.approx(has_partner * strength / 2 * mean_degree)


@given(labeled_graphs(), STRENGTHS)
def test_a_class_is_in_one_component(case, strength):
    graph, y = case
    components = respect_labels(graph, y, strength).components()
    for label in set(y.tolist()) - {-1}:
        assert np.unique(components[y == label]).size == 1


@given(labeled_graphs())
def test_nothing_to_respect(case):
    graph, y = case
    assert respect_labels(graph, y, 0) == graph
    assert respect_labels(graph, np.full(y.size, -1)) == graph


@given(labeled_graphs(), st.floats(0.01, 100))
def test_weights_have_no_unit(case, scale):
    graph, y = case
    if graph.n_edges:
        found, scaled = respect_labels(graph, y), respect_labels(graph.scaled(scale), y)
        assert scaled.weights == pytest.approx(found.weights * scale)


def test_links_are_few_and_follow_the_seed():
    y = np.repeat([0, 1], [1000, 500])
    graph = Graph.from_edges([0], [1], n=1500)
    found = respect_labels(graph, y)
    assert found.n_edges <= 4 * 1500 + 1
    assert found == respect_labels(graph, y, random_state=0) != respect_labels(graph, y, random_state=1)


def test_classes_of_several_groups_become_subtrees():
    """Two groups of each class lie apart; a tenth of the labels of half of the classes bring them together."""
    graph, groups = planted_partition(8, 60, 0.3, 0.02)
    classes = groups % 4
    labeled = (classes < 2) & (np.arange(classes.size) % 10 == 0)
    known = np.flatnonzero(classes < 2)
    plain, told = (
        dendrogram_purity(refine(graph_linkage(one), one).prune(known), classes[known])
        for one in (graph, respect_labels(graph, np.where(labeled, classes, -1)))
    )
    assert plain < 0.9 and told > 0.99


def test_wrong_values():
    graph = Graph.from_edges([0, 1], [1, 2])
    with pytest.raises(ValueError, match="labels has 2 values for 3 vertices"):
        respect_labels(graph, [0, 1])
    for strength in (-0.5, np.nan, np.inf):
        with pytest.raises(ValueError, match=f"strength={strength} must be"):
            respect_labels(graph, [0, 1, 1], strength)

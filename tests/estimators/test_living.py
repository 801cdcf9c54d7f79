"""Updates: rows and vertices come and go, and the model stays itself."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

import hypcse
from hypcse import EntropyClustering, Graph, HypcseWarning
from hypcse.graph.growing import Likeness, with_points
from hypcse.partitions.following import keep_numbers


def blobs(n=300, seed=0, d=4):
    """Points around six centers, and which."""
    return make_blobs(n, centers=np.random.default_rng(1).uniform(-40, 40, size=(6, d)), random_state=seed)


def state(model):
    """What a model knows, for comparison."""
    return model.tree_, model.labels_.tolist(), model.entropy_, [level.tolist() for level in model.levels_]


@pytest.fixture(scope="module")
def three():
    """A model of three of the six blobs, the other rows, and the blob of each row in the order in which they come."""
    X, y = blobs()
    order = np.argsort(y, kind="stable")
    X, y = X[order], y[order]
    n = int((y < 3).sum())
    return X[:n], X[n:], y


def grown(three, times=1):
    old, new, _ = three
    model = EntropyClustering().fit(old)
    for part in np.array_split(new, times):
        model.update(part)
    return model


@settings(max_examples=8, deadline=None)
@given(n=st.integers(30, 120), share=st.floats(0.02, 0.6), metric=st.sampled_from(["euclidean", "cosine"]))
def test_the_graph_is_that_of_all_rows_and_forgets_exactly(n, share, metric):
    X = np.random.default_rng(n).normal(size=(n, 3))
    start = n - max(1, int(share * n))
    model = EntropyClustering(scale="none", bandwidth=2.0, metric=metric).fit(X[:start])
    graph, entropy = model.graph_, model.entropy_
    model.update(X[start:])
    whole = hypcse.similarity_graph(X, bandwidth=2.0, scale="none", metric=metric)
    apart = abs(model.graph_.to_scipy() - whole.to_scipy()) > 1e-6
    # Candidates are neighbors of neighbors, which misses few; unit rows are kept in single precision.
    assert apart.nnz <= 0.02 * whole.to_scipy().nnz
    back = model.forget(np.arange(start, n))
    assert abs(back.graph_.to_scipy() - graph.to_scipy()).max() < 1e-6
    assert back.entropy_ <= entropy * (1 + 1e-6)


def test_forgotten_rows_leave_the_graph_of_the_others():
    X, _ = blobs(200)
    gone = np.random.default_rng(0).random(200) < 0.3
    model = EntropyClustering(scale="none", bandwidth=5.0).fit(X).forget(gone)
    whole = hypcse.similarity_graph(X[~gone], bandwidth=5.0, scale="none")
    assert abs(model.graph_.to_scipy() - whole.to_scipy()).max() < 1e-9
    assert model.labels_.size == model.tree_.n_leaves == (~gone).sum()
    assert model.entropy_ == pytest.approx(EntropyClustering().fit(X[~gone], graph=whole).entropy_, rel=0.01)


def test_clusters_come_and_keep_their_numbers(three):
    old, new, y = three
    model = EntropyClustering().fit(old)
    before = model.labels_
    for start in range(0, len(new), 50):
        known = model.labels_
        model.update(new[start : start + 50])
        assert np.array_equal(model.labels_[: len(old)], before)
        assert np.array_equal(model.moved_, np.flatnonzero(model.labels_[: known.size] != known))
        assert (model.changes_["change"] == "new").any()
    full = EntropyClustering().fit(np.concatenate([old, new]), graph=model.graph_)
    assert model.entropy_ <= 1.01 * full.entropy_
    assert adjusted_rand_score(y, model.labels_) == adjusted_rand_score(full.labels_, model.labels_) == 1


def test_many_updates_stay_near_a_full_fit():
    X, _ = hypcse.datasets.load("optical-digits")
    rows = np.random.default_rng(0).permutation(900)
    model = EntropyClustering().fit(X[rows[:300]])
    for part in np.array_split(rows[300:], 5):
        model.partial_fit(X[part])
    full = EntropyClustering().fit(X[rows], graph=model.graph_)
    assert model.entropy_ <= 1.01 * full.entropy_ and adjusted_rand_score(full.labels_, model.labels_) > 0.9
    assert len(model.stability_) == len(model.levels_) and model.outlier_scores_.size == 900


def test_calls_in_one_order_give_one_tree_also_after_loading(three, tmp_path):
    old, new, _ = three
    model, again = grown(three, 3), grown(three, 3)
    assert state(model) == state(again)
    loaded = EntropyClustering().fit(old)
    for k, part in enumerate(np.array_split(new, 3)):
        loaded.save(tmp_path / str(k))
        loaded = EntropyClustering.load(tmp_path / str(k)).update(part)
    assert state(loaded) == state(model)
    loaded.save(tmp_path / "last")
    rows = np.arange(len(old) + 100, len(old) + len(new))
    assert state(EntropyClustering.load(tmp_path / "last").forget(rows)) == state(model.forget(rows))
    pd.testing.assert_frame_equal(EntropyClustering.load(tmp_path / "last").changes_, again.changes_)


def test_what_fails_or_is_interrupted_leaves_the_model(three):
    old, new, _ = three
    model = EntropyClustering().fit(old)
    before = dict(vars(model))

    def interrupt(progress):
        raise KeyboardInterrupt

    for work in (lambda: model.update(new), lambda: model.forget([3])):
        model.callback = before["callback"] = interrupt
        with pytest.raises(KeyboardInterrupt):
            work()
        assert vars(model) == before
    model.callback = None
    for wrong, text in [
        (lambda: model.update(new[:, :2]), "features"),
        (lambda: model.update(new, names=["a"] * len(new)), "have none"),
        (lambda: model.update(new, graph=model.graph_), "made from its rows"),
        (lambda: model.forget(np.arange(len(old))), "at least one must stay"),
        (lambda: model.forget([len(old)]), "rows are 0"),
    ]:
        with pytest.raises(ValueError, match=text):
            wrong()
    with pytest.raises(AttributeError, match="nothing has changed"):
        _ = model.changes_
    assert not hasattr(model, "moved_")


def test_gaps_in_numbers_are_handled(three, tmp_path):
    old, new, y = three
    X = pd.DataFrame(np.concatenate([old, new]), columns=list("abcd"), index=[f"r{k}" for k in range(len(y))])
    model = EntropyClustering().fit(X)
    middle = model.labels_ == 1
    model.forget(middle)
    X, y = X[~middle], y[~middle]
    assert np.array_equal(np.unique(model.labels_), [0, 2, 3, 4, 5]) and model.changes_.loc[1, "change"] == "gone"
    described = model.describe(X)
    assert described.index.tolist() == [0, 2, 3, 4, 5] and described["name"].is_unique
    assert model.to_frame()["cluster"].tolist() == model.labels_.tolist()
    assert np.isfinite(model.outlier_scores_).all() and np.isfinite(model.probabilities_).all()
    shares = model.memberships()
    assert shares.shape == (len(y), 6) and np.allclose(shares.sum(axis=1), 1) and not shares[:, 1].any()
    assert "r1" in hypcse.view(model, points=hypcse.read(X)).html
    assert hypcse.score(model.tree_, graph=model.graph_, labels=y, clusters=model.labels_)["ari"] == 1
    assert np.array_equal(model.predict(X), model.labels_)
    model.save(tmp_path / "gaps")
    assert state(EntropyClustering.load(tmp_path / "gaps")) == state(model)
    # A number that was used is not used again.
    model.update(pd.DataFrame(old[:40] + 25, columns=list("abcd"), index=[f"n{k}" for k in range(40)]))
    assert model.changes_.query("change == 'new'").index.tolist() == [6]


def test_a_graph_takes_new_vertices_and_edges():
    rng, y, n = np.random.default_rng(0), np.arange(240) % 6, 200
    upper = np.triu(rng.random((240, 240)) < np.where(y[:, None] == y, 0.6, 0.03), 1)
    whole = Graph.from_scipy(sparse.csr_array((upper | upper.T).astype(np.float64)))
    model = EntropyClustering().fit(whole.subgraph(np.arange(n))[0])
    entropy, labels = model.entropy_, model.labels_
    model.update(whole.to_scipy())
    assert model.graph_ == whole and adjusted_rand_score(y, model.labels_) == 1
    assert np.array_equal(model.labels_[:n], labels)
    assert model.forget(np.arange(n, 240)).entropy_ <= entropy * (1 + 1e-6)
    # Vertices with names are matched by them.
    network = nx.relabel_nodes(nx.karate_club_graph(), {k: f"p{k}" for k in range(34)})
    smaller = network.copy()
    smaller.remove_nodes_from(["p3", "p14", "p20"])
    model = EntropyClustering().fit(smaller)
    model.update(network)
    assert model.tree_.names == (*smaller, "p3", "p14", "p20")
    with pytest.raises(ValueError, match="fewer than the 34"):
        model.update(smaller)


def test_rows_far_outside_make_the_scale_anew_and_say_so(three):
    old, new, _ = three
    model = EntropyClustering().fit(old)
    far = new + 100 * np.ptp(old, axis=0)
    with pytest.warns(HypcseWarning, match="made anew"):
        model.update(far)
    full = EntropyClustering().fit(np.concatenate([old, far]))
    assert np.allclose(model._scaled, full._scaled, atol=1e-5) and model.entropy_ <= full.entropy_ * 1.01
    assert adjusted_rand_score(full.labels_, model.labels_) == 1


def test_settings_of_the_model_hold(three):
    old, new, y = three
    exact = EntropyClustering(n_clusters=3).fit(old).update(new)
    assert np.unique(exact.labels_).size == 3
    marked = EntropyClustering(mark_outliers=True).fit(old)
    marked.update(np.concatenate([new, [[25.0, 25.0, 5.0, 60.0]]]))
    assert marked.labels_[-1] == -1 and marked.changes_.index.min() >= 0
    plain = EntropyClustering(refine=False).fit(old).update(new)
    assert plain.tree_.is_binary and plain.tree_.n_leaves == len(y)
    X = np.concatenate([old, new])
    own = EntropyClustering().fit(old, graph=hypcse.similarity_graph(old))
    with pytest.raises(ValueError, match="graph="):
        own.update(new)
    assert own.update(new, graph=hypcse.similarity_graph(X)).graph_ == hypcse.similarity_graph(X)
    distances = EntropyClustering(metric="precomputed").fit(
        sparse.csr_array(np.round(abs(old[:, None, 0] - old[:, 0])))
    )
    with pytest.raises(ValueError, match="not kept"):
        distances.update(new)


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=60))
def test_numbers_are_unique_and_follow_clusters_that_stay(pairs):
    before, after = np.array(pairs).T
    numbers = keep_numbers(before, after, 5)
    assert (
        np.unique(np.column_stack([numbers, after]), axis=0).shape[0]
        == np.unique(after).size
        == np.unique(numbers).size
    )
    for k in np.unique(before):
        members = after[before == k]
        if np.unique(members).size == 1 and (before[after == members[0]] == k).all():
            assert (numbers[before == k] == k).all()


def test_an_edge_counts_once_for_each_end_that_lists_the_other():
    points = np.array([[0.0], [1.0], [3.0], [3.5]], np.float32)
    graph = hypcse.similarity_graph(points[:3], n_neighbors=1, scale="none", bandwidth=2.0)
    growth = with_points(graph, points, Likeness(1, 2.0, "euclidean"))
    assert growth.graph == hypcse.similarity_graph(points, n_neighbors=1, scale="none", bandwidth=2.0)
    assert growth.pushed.tolist() == [[2, 1]] and isinstance(growth.graph, Graph)

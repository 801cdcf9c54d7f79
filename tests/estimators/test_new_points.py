"""New points in a fitted model: labels, places in the ball, places in the tree."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.metrics import adjusted_rand_score

from hypcse import HypCSE, similarity_graph
from hypcse.graph.similarity import Links
from hypcse.neural.trained import BLOCK
from hypcse.neural.training.config import TrainingOptions


def blobs(n, seed=0, d=4, spread=1.0):
    """Points around three centers, and which."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, size=n)
    return spread * rng.normal(size=(n, d)) + 6 * np.eye(3, d)[y], y


@pytest.fixture(scope="module", params=["mean", "attention"])
def model(request):
    X, _ = blobs(150)
    return HypCSE(n_clusters=3, n_epochs=3, training=TrainingOptions(aggregation=request.param, hidden_dim=24)).fit(X)


NEW = blobs(BLOCK + 77, seed=1)[0]


@pytest.mark.parametrize("method", ["predict", "transform", "places"])
def test_a_point_has_one_answer_alone_and_in_company(model, method):
    """To the bit, in any order and in any block."""
    ask = getattr(model, method)
    together = ask(NEW)
    order = np.random.default_rng(2).permutation(len(NEW))
    assert np.array_equal(ask(NEW[order]), together[order])
    assert np.array_equal(ask(NEW[13:200]), together[13:200])
    for k in (0, 5, BLOCK - 1, BLOCK, len(NEW) - 1):
        assert np.array_equal(ask(NEW[k : k + 1]), together[k : k + 1])


def test_labels_are_the_heaviest_among_the_neighbors(model):
    """By the definition, from the graph's own scale and weights."""
    X = np.asarray(blobs(150)[0], np.float32)
    low, high = X.min(axis=0), X.max(axis=0)
    squared = (((NEW[:, None] - X[None]) / (high - low)) ** 2).sum(axis=-1)
    for found, row in zip(model.predict(NEW), squared, strict=True):
        nearest = np.argsort(row)[:10]
        votes = np.bincount(model.labels_[nearest], weights=np.exp(-row[nearest]))
        assert found == votes.argmax()


def test_training_points_are_themselves(model):
    """Unless an equal one comes before them."""
    X, _ = blobs(150)
    assert np.array_equal(model.predict(X), model.labels_)
    assert np.array_equal(model.transform(X), model.embedding_)
    twice = np.concatenate([X[:40], X[:40]])
    copies = HypCSE(n_clusters=2, n_epochs=1).fit(twice)
    assert np.array_equal(copies.predict(twice), np.tile(copies.labels_[:40], 2))
    assert np.array_equal(copies.transform(twice), np.tile(copies.embedding_[:40], (2, 1)))


@pytest.mark.parametrize("encode_on", ["raw", "normalised", "anchor"])
@pytest.mark.parametrize("aggregation", ["mean", "attention"])
def test_a_vertex_with_the_links_of_another_is_placed_with_it(encode_on, aggregation):
    """Training point i, asked anew with its own neighbors and weights, comes out where training put it."""
    X, _ = blobs(80)
    training = TrainingOptions(evaluate_every=1, encode_on=encode_on, aggregation=aggregation, anchor_decay=0.9)
    model = HypCSE(n_epochs=4, n_neighbors=5, training=training).fit(X)
    graph = model._encoded_on
    for i in range(0, 80, 7):
        row = slice(graph.indptr[i], graph.indptr[i + 1])
        links = _links(graph.indices[row], graph.weights[row])
        found = model._place(model._scaled, model._scaled[i : i + 1], links)
        assert np.allclose(found, model.embedding_[i], atol=1e-5)


def _links(ids, weights):
    return Links(ids[None].astype(np.int64), np.ones((1, ids.size)), weights[None])


def test_places_in_the_ball_are_on_the_training_radius(model):
    placed = model.transform(NEW)
    assert placed.shape == (len(NEW), 16)
    radius = np.linalg.norm(model.embedding_, axis=1)
    assert np.allclose(np.linalg.norm(placed, axis=1), radius[0], rtol=1e-5)
    assert model.get_feature_names_out().tolist() == [f"hypcse{k}" for k in range(16)]


def test_clusters_are_found_again(model):
    X, y = blobs(400, seed=3, spread=0.5)
    assert adjusted_rand_score(model.predict(X), y) > 0.95
    cosine = model.transform(X) @ model.embedding_.T
    nearest = model.labels_[cosine.argmax(axis=1)]
    assert (nearest == model.predict(X)).mean() > 0.9


def test_the_tree_with_new_leaves(model):
    grown = model.tree_.attach(model.places(NEW))
    assert grown.n_leaves == 150 + len(NEW)
    old = grown.prune(np.arange(150))
    assert np.array_equal(old.parent, model.tree_.parent)
    assert np.array_equal(old.height, model.tree_.height)


@pytest.mark.parametrize("scale", ["minmax", "standard", "rank", "none"])
@pytest.mark.parametrize("bandwidth", [1.0, "auto", "median"])
def test_scale_and_bandwidth_are_those_of_training(scale, bandwidth):
    """New points of another range are not brought to [0, 1], and a graph of one's own changes neither."""
    X, _ = blobs(60)
    model = HypCSE(n_clusters=3, n_epochs=1, scale=scale, bandwidth=bandwidth).fit(X)
    own = HypCSE(n_clusters=3, n_epochs=1, scale=scale, bandwidth=bandwidth)
    own.fit(X, graph=similarity_graph(X, bandwidth=bandwidth, scale=scale))
    assert own.bandwidth_ == model.bandwidth_
    far = X[:3] + 0.25
    assert np.array_equal(model.predict(far), own.predict(far))
    assert np.array_equal(model.transform(far), own.transform(far))
    changed = X.astype(np.float32)
    kept = HypCSE(n_epochs=1, scale=scale).fit(changed)
    before = kept.predict(far)
    changed[:] = 0
    assert np.array_equal(kept.predict(far), before)


def test_quantiles_are_those_of_training(tmp_path):
    """Training points are known again, values beyond them count as the ends, and a loaded model answers the same."""
    X, _ = blobs(60)
    X = np.sinh(4 * X)
    X[:, 1] = X[0, 1]
    model = HypCSE(n_clusters=3, n_epochs=1, scale="rank").fit(X)
    assert np.array_equal(model.predict(X), model.labels_)
    assert np.array_equal(model.transform(X), model.embedding_)
    ends = np.array([X.max(axis=0), X.min(axis=0)])
    beyond = np.array([np.full(4, 1e30), np.full(4, -1e30)])
    model.save(tmp_path / "model")
    loaded = HypCSE.load(tmp_path / "model")
    for method in ("predict", "transform", "places"):
        answer = getattr(model, method)
        assert np.array_equal(answer(beyond), answer(ends))
        assert np.array_equal(getattr(loaded, method)(1.1 * X), answer(1.1 * X))
    with pytest.raises(ValueError, match="scale='ranks' is not known. Choose one of 'minmax', 'standard', 'rank'"):
        HypCSE(scale="ranks").fit(X)


def test_a_pickled_model_answers_the_same(model):
    again = pickle.loads(pickle.dumps(model))
    for method in ("predict", "transform", "places"):
        assert np.array_equal(getattr(again, method)(NEW[:9]), getattr(model, method)(NEW[:9]))


def test_threads_change_no_answer(model):
    one, more = (pickle.loads(pickle.dumps(model)).set_params(n_jobs=n_jobs) for n_jobs in (1, -1))
    for method in ("predict", "transform", "places"):
        assert np.array_equal(getattr(one, method)(NEW), getattr(more, method)(NEW))


def test_hard_new_points(model):
    """Far away in one direction or in all, and more neighbors asked for than there are."""
    far = np.array([[1e30, 0, 0, 0], [-1e30, 1e30, 1e30, -1e30], [1e4, 1e4, 1e4, 1e4]])
    placed = model.transform(far)
    assert np.allclose(np.linalg.norm(placed, axis=1), np.linalg.norm(model.embedding_[0]), rtol=1e-5)
    assert np.allclose(model.transform(1e-5 * far[:2]), placed[:2], atol=1e-4)
    assert (np.abs(placed) < 0.99).all(), "the first axis stands for no direction at all"
    assert set(model.predict(far).tolist()) <= {0, 1, 2}
    assert model.places(far).shape == (3,)
    small = HypCSE(n_epochs=1, n_clusters=2).fit(np.array([[0.0], [1.0], [1.1]]))
    assert small.predict([[-3.0], [1.05]]).tolist() == [small.labels_[0], small.labels_[1]]


def test_what_cannot_be_answered_is_said():
    X, _ = blobs(30)
    with pytest.raises(NotFittedError):
        HypCSE().predict(X)
    model = HypCSE(n_epochs=1).fit(X)
    with pytest.raises(ValueError, match="3 features, but HypCSE is expecting 4"):
        model.transform(X[:, :3])
    model._scaled = None
    for method in ("predict", "transform", "places"):
        with pytest.raises(ValueError, match="fitted on a graph alone"):
            getattr(model, method)(X)

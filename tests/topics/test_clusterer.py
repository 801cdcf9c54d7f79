"""`TopicClusterer` inside the real BERTopic, offline: embeddings are made here, and nothing reduces them."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import normalized_mutual_info_score

import hypcse
from corpus import make_corpus
from hypcse.topics import TopicClusterer, link_topics

TEXTS, SUBJECTS = make_corpus(360)
VECTORS = TruncatedSVD(20, random_state=0).fit_transform(TfidfVectorizer().fit_transform(TEXTS))
N_OLD = 300


@pytest.fixture(scope="module")
def fitted():
    """A real BERTopic on the first texts."""
    pytest.importorskip("bertopic", reason="bertopic is not installed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        from bertopic import BERTopic
        from bertopic.dimensionality import BaseDimensionalityReduction

        model = BERTopic(
            embedding_model=None,
            umap_model=BaseDimensionalityReduction(),
            hdbscan_model=TopicClusterer(metric="cosine"),
        )
        model.fit_transform(TEXTS[:N_OLD], VECTORS[:N_OLD])
    return model


def test_bertopic_finds_the_planted_subjects(fitted):
    assert normalized_mutual_info_score(SUBJECTS[:N_OLD], fitted.topics_) > 0.999
    assert -1 not in fitted.topics_ and len(fitted.get_topics()) == 9
    assert fitted.probabilities_.shape == (N_OLD,) and fitted.get_document_info(TEXTS[:N_OLD]).Probability.min() > 0.5


def test_bertopic_takes_new_documents(fitted):
    topics, _ = fitted.transform(TEXTS[N_OLD:], VECTORS[N_OLD:])
    assert normalized_mutual_info_score(SUBJECTS[N_OLD:], topics) > 0.999


def test_fields_are_a_level_of_the_fitted_clusterer(fitted):
    clusterer = fitted.hdbscan_model
    assert normalized_mutual_info_score(SUBJECTS[:N_OLD] // 3, clusterer.levels_[0]) > 0.999
    assert normalized_mutual_info_score(SUBJECTS[N_OLD:] // 3, clusterer.predict(VECTORS[N_OLD:], level=0)) > 0.999


def test_bertopic_shows_our_hierarchy(fitted):
    """Its topics are numbered by size, and the linkage follows them."""
    Z = link_topics(fitted.hdbscan_model.tree_, fitted.topics_)
    result = fitted.hierarchical_topics(TEXTS[:N_OLD], linkage_function=lambda _: Z)
    fields = {topic: SUBJECTS[fitted.topics_.index(topic)] // 3 for topic in range(9)}
    joined = [{fields[topic] for topic in topics} for topics in result.Topics if len(topics) == 3]
    assert len(result) == 8 and sorted(joined, key=min) == [{0}, {1}, {2}]
    assert "Topic: 8" in fitted.get_topic_tree(result)


def test_entropy_clustering_itself_is_enough_for_bertopic():
    """It needs `fit`, `labels_` and `predict`; the rest is for comfort."""
    pytest.importorskip("bertopic", reason="bertopic is not installed")
    from bertopic import BERTopic
    from bertopic.dimensionality import BaseDimensionalityReduction

    clusterer = hypcse.EntropyClustering(n_clusters=9, metric="cosine", scale="none")
    model = BERTopic(embedding_model=None, umap_model=BaseDimensionalityReduction(), hdbscan_model=clusterer)
    topics, _ = model.fit_transform(TEXTS[:N_OLD], VECTORS[:N_OLD])
    assert normalized_mutual_info_score(SUBJECTS[:N_OLD], topics) > 0.999


def test_topics_are_a_number_or_a_level():
    model = TopicClusterer(n_topics=4, metric="cosine").fit(VECTORS)
    assert model.labels_.max() + 1 == 4
    for level in (0, 1, -1):
        again = clone(model).set_params(n_topics=None, level=level).fit(VECTORS)
        assert np.array_equal(again.labels_, model.levels_[level])
        assert np.array_equal(model.predict(VECTORS, level=level), model.levels_[level])
        for topic, node in enumerate(model.topic_nodes(level)):
            assert np.array_equal(model.tree_.leaves(node), np.flatnonzero(model.levels_[level] == topic))


def test_a_saved_clusterer_answers_alike(tmp_path):
    model = TopicClusterer(metric="cosine", level=0).fit(VECTORS[:N_OLD])
    again = TopicClusterer.load(model.save(tmp_path / "topics"))
    assert np.array_equal(again.predict(VECTORS), model.predict(VECTORS))
    assert np.array_equal(again.probabilities_, model.probabilities_)


def test_membership_is_the_weight_that_stays_inside_less_by_distance():
    model = TopicClusterer(n_topics=30, metric="cosine").fit(VECTORS)
    W = model.graph_.without_loops().to_scipy().toarray()
    same = model.labels_[:, None] == model.labels_
    inside = (W * same).sum(axis=1) / W.sum(axis=1)
    assert model.probabilities_ == pytest.approx(inside * (1 - model.outlier_scores_))


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"level": 99}, "level=99 must be from"),
        ({"level": "fine"}, "level='fine'"),
        ({"n_topics": 2, "level": 0}, "exclude each other"),
        ({"n_topics": 0}, "n_topics=0"),
    ],
)
def test_errors_name_the_way_out(options, text):
    with pytest.raises(ValueError, match=text):
        TopicClusterer(**options).fit(VECTORS)


def test_topics_that_are_no_nodes_have_no_linkage():
    with pytest.raises(ValueError, match="not nodes of the tree"):
        link_topics(hypcse.Tree.from_newick("((0,1),(2,3));"), [0, 1, 0, 1])
    with pytest.raises(ValueError, match="a whole number from 0, or -1, for each of the 4"):
        link_topics(hypcse.Tree.from_newick("((0,1),(2,3));"), [0, 0, -2, 1])
    with pytest.raises(ValueError, match="Pass a whole number from 0"):
        link_topics(hypcse.Tree.from_newick("(0,1);"), [0.9, 0.2])

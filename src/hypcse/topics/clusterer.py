"""`TopicClusterer`: a clusterer for BERTopic, with the whole hierarchy behind it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.random import Generator, RandomState
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from hypcse._checks import check_count
from hypcse._choices import Linkage, Metric, Refine
from hypcse.estimators import EntropyClustering
from hypcse.estimators.preparing import Prepared
from hypcse.graph import Graph
from hypcse.partitions.cuts import best_cut
from hypcse.partitions.evidence import Structure
from hypcse.partitions.nested_levels import Levels
from hypcse.tree import Tree
from hypcse.tree.nodes import outline


class TopicClusterer(EntropyClustering):
    """`EntropyClustering` with defaults for embeddings of texts; BERTopic takes it as `hdbscan_model`.

    Every document gets a topic; only with `mark_outliers` there is a topic -1. Embeddings are compared as they are,
    without scaling. The width of similarities is the largest distance between neighbors.

    Parameters
    ----------
    n_topics
        Number of topics. By default `labels_` is a level that the data support, see `level`.
    level
        Which of `levels_` the topics are: 0 for the coarsest, -1 for the finest. By default the main level, see
        `main_level`; all documents are one topic if there is nothing beyond chance.
    min_cluster_size
        Smallest number of documents per topic; documents of smaller ones join the topic that they hang on.
    mark_outliers
        Whether documents far from all others get topic -1, see `EntropyClustering`.
    metric
        "euclidean", for what UMAP returns and for embeddings of length 1; "cosine" for other embeddings.
    n_neighbors
        Neighbors of each document in the similarity graph.
    linkage, refine
        How the tree is searched, see `EntropyClustering`.
    random_state
        Seed of everything random: an integer, None for a fresh one, a `RandomState` or a `Generator`.
    n_jobs
        Threads of the kernels; -1 for all. It changes no answer.
    verbose
        1 draws a progress bar on standard error.

    Attributes
    ----------
    labels_
        (n,) the topic of each document, numbered by size, the largest first.
    levels_
        Nested topics, coarse to fine, and which of them to look at first.
    probabilities_, outlier_scores_
        (n,) how firmly each document belongs to its topic, and how far it lies from others, from 0 to 1.
    tree_, graph_, bandwidth_, entropy_, structure_, stability_, linkage_matrix_, children_, distances_
        As of `EntropyClustering`.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.repeat(np.eye(3), 20, axis=0) + np.random.default_rng(0).normal(0, 0.05, (60, 3))
    >>> model = TopicClusterer(n_topics=3, metric="cosine").fit(X)
    >>> np.bincount(model.labels_).tolist(), model.predict([[0.9, 0.1, 0.0]]).tolist()
    ([20, 20, 20], [0])
    """

    n_clusters = None
    bandwidth = "auto"
    scale = "none"
    callback = None

    def __init__(
        self,
        n_topics: int | None = None,
        *,
        level: int | None = None,
        min_cluster_size: int | None = None,
        mark_outliers: bool = False,
        metric: Metric = "euclidean",
        n_neighbors: int = 15,
        linkage: Linkage = "average",
        refine: Refine = "fast",
        random_state: int | RandomState | Generator | None = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_topics = n_topics
        self.level = level
        self.min_cluster_size = min_cluster_size
        self.mark_outliers = mark_outliers
        self.metric = metric
        self.n_neighbors = n_neighbors
        self.linkage = linkage
        self.refine = refine
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.n_topics is not None and self.level is not None:
            raise ValueError(f"n_topics={self.n_topics} and level={self.level} exclude each other. Pass one of them.")

    def _labels(self, tree: Tree, graph: Graph, levels: Levels) -> NDArray[np.int64]:
        if self.n_topics is not None:
            check_count("n_topics", self.n_topics, 1, tree.n_leaves)
            return best_cut(tree, graph, n_clusters=self.n_topics, min_size=self.min_cluster_size)
        labels = levels.flat if self.level is None else level_of(levels.labels, self.level)
        return self._without_small(tree, graph, labels)

    def _labels_without(
        self, marked: NDArray[np.bool_], labels: NDArray[np.int64], tree: Tree, ready: Prepared, structure: Structure
    ) -> NDArray[np.int64]:
        if self.level is None:
            return super()._labels_without(marked, labels, tree, ready, structure)
        topics = np.full(marked.size, -1)
        topics[~marked] = np.unique(labels[~marked], return_inverse=True)[1]
        return topics

    def predict(self, X: ArrayLike, level: int | None = None) -> NDArray[np.int64]:
        """Topic of each new document: the one of most weight among its neighbors.

        Parameters
        ----------
        X
            Embeddings of new documents, in the columns that `fit` saw.
        level
            Which of `levels_` to answer with, instead of `labels_`.

        Returns
        -------
        ndarray of shape (m,)
            A topic per row.
        """
        check_is_fitted(self)
        if level is None:
            return super().predict(X)
        return self._vote(X, level_of(self.levels_, level), False)

    def topic_nodes(self, level: int | None = None) -> NDArray[np.int64]:
        """The node of `tree_` that each topic is: what `name_nodes` calls it by.

        Parameters
        ----------
        level
            Which of `levels_` the topics are of, instead of `labels_`.

        Returns
        -------
        ndarray of shape (n_topics,)
            Ids of nodes.
        """
        check_is_fitted(self)
        labels = self.labels_ if level is None else level_of(self.levels_, level)
        top = outline(self.tree_, labels)
        return top.node[: top.tree.n_leaves]


def level_of(levels: Sequence[NDArray[np.int64]], level: int) -> NDArray[np.int64]:
    """One of the levels, from the end if the number is negative."""
    if not isinstance(level, int | np.integer) or not -len(levels) <= level < len(levels):
        raise ValueError(f"level={level!r} must be from {-len(levels)} (coarsest) to {len(levels) - 1} (finest).")
    return levels[level]


def link_topics(tree: Tree, topics: ArrayLike) -> NDArray[np.float64]:
    """Make SciPy's linkage matrix over topics, as the tree joins them.

    Parameters
    ----------
    tree
        The tree over the documents.
    topics
        The topic of each document, from 0; -1 for outliers, which are in no topic. Each topic stands for the largest
        node with documents of no other.

    Returns
    -------
    ndarray of shape (n_topics - 1, 4)
        The linkage matrix; its leaf k is topic k.

    Notes
    -----
    BERTopic then shows this hierarchy instead of one that it makes itself:
    `model.hierarchical_topics(docs, linkage_function=lambda _: link_topics(clusterer.tree_, model.topics_))`.

    Examples
    --------
    >>> link_topics(Tree.from_newick("(((0,1),(2,3)),4);"), [0, 0, 1, 1, 2])[:, :2].tolist()
    [[0.0, 1.0], [2.0, 3.0]]
    """
    values = np.asarray(topics)
    labels = values.astype(np.int64)
    if labels.shape != (tree.n_leaves,) or labels.min() < -1 or not np.array_equal(labels, values):
        raise ValueError(
            f"topics has shape {labels.shape} and least value {values.min(initial=0)}. Pass a whole number from 0, or "
            f"-1, for each of the {tree.n_leaves} documents."
        )
    return outline(tree, labels).tree.to_linkage()

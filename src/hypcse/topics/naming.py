"""Names for the nodes of a tree over texts: the words that set each node apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from hypcse._checks import check_count
from hypcse.show.source import tree_of
from hypcse.tree.nodes import node_layers

WordScores = list[tuple[str, float]]
FEWEST, SHARE = 5, 0.02
"""Leaves of the smallest nodes that are named, and without levels the least share of all leaves."""


def node_words(
    source: Any,
    texts: Sequence[str],
    levels: Sequence[ArrayLike] | None = None,
    *,
    min_size: int | None = None,
    n_words: int = 10,
    vectorizer: Any = None,
) -> dict[int, WordScores]:
    """The most distinctive words of nodes of a tree over texts, by class-TF-IDF.

    Parameters
    ----------
    source
        A `Tree`, or a fitted model with `tree_`, whose `levels_` are used.
    texts
        One text per leaf.
    levels
        Nested labels: their clusters are the nodes that get words. By default those of the model; without any, or with
        [], all nodes are.
    min_size
        Nodes with fewer leaves get no words. By default 5; 2 % of the leaves without levels.
    n_words
        Words per node, at most.
    vectorizer
        Counts the words of texts; by default `CountVectorizer` of scikit-learn, without English stop words.

    Returns
    -------
    dict
        For each node its words and their scores, best first. The root has none.

    Notes
    -----
    A node is compared with the rest of the nearest node above it that gets words; the two are two classes. The
    class-TF-IDF of a word in a class is its share of the words of the class times log(1 + A / f), with f the count
    of the word in both classes, and A the mean number of words per class. The score of a word is its class-TF-IDF
    in the node minus that in the other class; only positive scores are listed. O(number of counts) memory, and as
    much time for every depth.

    Examples
    --------
    >>> from hypcse import Tree
    >>> tree = Tree.from_newick("(((0,1),(2,3)),4);")
    >>> texts = ["red apple", "green apple", "red car", "fast car", "blue sky"]
    >>> node_words(tree, texts, min_size=2, n_words=1)[5][0][0]
    'apple'
    """
    check_count("n_words", n_words, 1)
    tree = tree_of(source)
    counts, names = _counted(texts, vectorizer, tree.n_leaves)
    levels = getattr(source, "levels_", None) if levels is None else levels
    if min_size is None:
        min_size = FEWEST if levels else max(FEWEST, round(SHARE * tree.n_leaves))
    layers = node_layers(tree, levels, min_size)
    around = sparse.csr_array(next(layers).members @ counts)
    around.sort_indices()
    best: dict[int, WordScores] = {}
    for layer in layers:
        inside = sparse.csr_array(layer.members @ counts)
        inside.sort_indices()
        best |= _best_words(layer.node, layer.above, inside, around, names, n_words)
        around = inside
    return best


def name_nodes(
    source: Any,
    texts: Sequence[str],
    levels: Sequence[ArrayLike] | None = None,
    *,
    min_size: int | None = None,
    n_words: int = 3,
    vectorizer: Any = None,
) -> dict[int, str]:
    """Make names for nodes of a tree over texts: their most distinctive words, see `node_words`.

    Parameters
    ----------
    source, texts, levels, min_size
        As for `node_words`.
    n_words
        Words per name, at most.
    vectorizer
        As for `node_words`.

    Returns
    -------
    dict
        A name per node, for `hypcse.view(source, node_names=...)`. A node that no word sets apart has none.

    Examples
    --------
    >>> from hypcse import Tree
    >>> tree = Tree.from_newick("(((0,1),(2,3)),4);")
    >>> name_nodes(tree, ["red apple", "green apple", "red car", "fast car", "blue sky"], min_size=2, n_words=2)
    {7: 'apple, car', 5: 'apple, green', 6: 'car, fast'}
    """
    best = node_words(source, texts, levels, min_size=min_size, n_words=n_words, vectorizer=vectorizer)
    return {node: ", ".join(word for word, _ in scores) for node, scores in best.items() if scores}


def _best_words(
    nodes: NDArray[np.int64],
    above: NDArray[np.int64],
    inside: sparse.csr_array,
    around: sparse.csr_array,
    names: NDArray[Any],
    n_words: int,
) -> dict[int, WordScores]:
    """The best words of each node, by its counts inside and those around, in row `above`."""
    row, column, count = np.repeat(np.arange(nodes.size), np.diff(inside.indptr)), inside.indices, inside.data
    # Where they are among the stored entries around.
    width, stored = np.int64(around.shape[1]), np.repeat(np.arange(around.shape[0]), np.diff(around.indptr))
    whole = around.data[np.searchsorted(stored * width + around.indices, above[row] * width + column)]
    total, all_total = inside.sum(axis=1)[row], around.sum(axis=1)[above][row]
    others = np.maximum(all_total - total, 1.0)
    score = (count / total - (whole - count) / others) * np.log1p(all_total / 2 / whole)
    positive = np.flatnonzero(score > 0)
    order = positive[np.lexsort([column[positive], -score[positive], row[positive]])]
    runs = np.split(order, np.searchsorted(row[order], np.arange(1, nodes.size)))
    best = [[(str(names[column[k]]), float(score[k])) for k in run[:n_words]] for run in runs]
    return dict(zip(nodes.tolist(), best, strict=True))


def _counted(texts: Sequence[str], vectorizer: Any, n_leaves: int) -> tuple[sparse.csr_array, NDArray[Any]]:
    """Counts (n, v), zeros left out, and the words of their columns."""
    from sklearn.feature_extraction.text import CountVectorizer

    texts = list(texts)
    if len(texts) != n_leaves:
        raise ValueError(f"there are {len(texts)} texts for {n_leaves} leaves. Pass one text per leaf.")
    counting = CountVectorizer(stop_words="english") if vectorizer is None else vectorizer
    matrix = sparse.csr_array(counting.fit_transform(texts), dtype=np.float64, copy=True)
    matrix.eliminate_zeros()
    return matrix, counting.get_feature_names_out()

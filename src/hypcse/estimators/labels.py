"""Known labels, some of them missing: as numbers, respected by a graph, and spread over a tree."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from hypcse._checks import is_missing, label_array
from hypcse._random import generator
from hypcse.graph import Graph, GraphLike, as_graph
from hypcse.kernels.trees.sweep import inherit_values, subtree_sums
from hypcse.tree import Tree


def label_codes(labels: ArrayLike) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The classes in sorted order, and for each label the position of its class.

    Parameters
    ----------
    labels
        One value per point. A missing label is -1 among integers, and None or NaN among floats, strings and objects.
        Objects may hold the integer -1 too, as in scikit-learn. Among floats, -1.0 is a class. Booleans are classes.

    Returns
    -------
    classes, codes
        The labels that occur, in the dtype of the labels (objects that are all numbers become an array of numbers); and
        (n,) the position of each label in `classes`, -1 where it is missing.

    Notes
    -----
    O(n log n). There may be no class at all: the caller checks how many are needed.

    Examples
    --------
    >>> label_codes(["b", None, "a", "b"])
    (array(['a', 'b'], dtype=object), array([ 1, -1,  0,  1]))
    >>> label_codes([7, -1, 5])[1]
    array([ 1, -1,  0])
    """
    values = label_array(labels)
    if values.ndim != 1:
        raise ValueError(f"labels has shape {values.shape}, but must be one-dimensional. Pass one label per point.")
    codes = np.full(values.size, -1, np.int64)
    if values.dtype.kind != "O":
        known = values != -1 if values.dtype.kind == "i" else values == values
        classes, codes[known] = np.unique(values[known], return_inverse=True)
        return classes, codes
    known = np.array([not is_missing(label) and not _is_minus_one(label) for label in values], np.bool_)
    try:
        ordered = sorted(set(values[known]))
    except TypeError as error:
        raise TypeError(
            f"the labels cannot be sorted: {error}. Pass labels of one kind, all text or all numbers."
        ) from None
    place = {label: code for code, label in enumerate(ordered)}
    codes[known] = [place[label] for label in values[known]]
    if ordered and all(isinstance(label, Real | np.bool_) for label in ordered):
        return np.asarray(ordered), codes
    return np.fromiter(ordered, dtype=object, count=len(ordered)), codes


def _is_minus_one(label: Any) -> bool:
    return isinstance(label, int | np.integer) and label == -1


N_CYCLES = 4
"""Random cycles through the labeled vertices of a class: the edges of four are so light that its inside stays."""
SHARE = 0.5
"""Weight of a labeled vertex's links at strength 1, relative to the mean degree of the graph."""


def respect_labels(graph: GraphLike, labels: ArrayLike, strength: float = 1.0, *, random_state: int = 0) -> Graph:
    """Write labels into the weights of a graph, so that every hierarchy found on it follows them.

    Labeled vertices of one class are linked by random cycles: each to eight others, however large the class is.
    Edges between two labels are divided by 1 + strength. All other edges stay as they are. These are weights, not
    rules: where the data strongly disagree, the data win.

    Parameters
    ----------
    graph
        A `Graph`, for example that of `similarity_graph`, a networkx graph or a symmetric matrix.
    labels
        One value per vertex. A missing label is -1 among integers, and None or NaN among floats, strings and objects.
        Classes without any labeled vertex need not be listed.
    strength
        How much labels count. The links of a labeled vertex add strength / 2 of the mean degree to its own. With
        strength 0, or without labels, the graph is returned unchanged.
    random_state
        Seed of the cycles.

    Returns
    -------
    Graph
        A graph over the same vertices, for `graph_linkage`, `refine`, `levels` and so on. To compare a tree with one
        found without labels, score both on the original graph.

    Notes
    -----
    O(m + n log n) time for m edges; at most four links are added per labeled vertex. Their weight was chosen on
    generated data with known levels (`python -m benchmarks labels`): classes come out whole, and clusters inside them
    stay. If a class has several separate parts, the order in which they are joined is arbitrary.

    Examples
    --------
    >>> two = Graph.from_edges([0, 2], [1, 3])
    >>> respect_labels(two, ["a", None, "a", None]).components()
    array([0, 0, 0, 0])
    """
    graph, codes = as_graph(graph), label_codes(labels)[1]
    if codes.size != graph.n_vertices:
        raise ValueError(f"labels has {codes.size} values for {graph.n_vertices} vertices. Pass one per vertex.")
    if not (np.isfinite(strength) and strength >= 0):
        raise ValueError(f"strength={strength} must be a finite number of at least 0. 0 leaves the graph unchanged.")
    if strength == 0 or codes.max() < 0:
        return graph
    mean_degree = float(graph.edge_degrees.mean()) or 1.0
    weight = strength * SHARE * mean_degree / (2 * N_CYCLES)
    matrix = graph.to_scipy()
    first, second = np.repeat(codes, np.diff(matrix.indptr)), codes[matrix.indices]
    matrix.data[(first >= 0) & (second >= 0) & (first != second)] /= 1 + strength
    rng = generator(random_state, "links of labels")
    rows, columns = np.hstack([_cycles(codes, rng) for _ in range(N_CYCLES)])
    links = sparse.csr_array((np.ones(rows.size), (rows, columns)), shape=matrix.shape)
    return Graph.from_scipy(matrix + weight * (links + links.T))


def _cycles(codes: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
    """One random cycle through the vertices of each class: rows of ends, (2, n). A single vertex has none."""
    drawn = rng.permutation(codes.size)
    order = drawn[np.argsort(codes[drawn], kind="stable")]
    order = order[codes[order] >= 0]
    begins = np.flatnonzero(np.diff(codes[order], prepend=-1))
    following = np.roll(order, -1)
    following[np.append(begins[1:], order.size) - 1] = order[begins]
    ends = np.stack([order, following])
    return ends[:, order != following]


def spread_labels(tree: Tree, labels: ArrayLike) -> NDArray[Any]:
    """Give every leaf the label of the smallest subtree around it that holds a labeled leaf.

    Labeled leaves keep their labels. If that subtree holds several labels, the most frequent one is taken; ties go to
    the first in sorted order.

    Parameters
    ----------
    tree
        The tree. Labels reach every leaf, so join the components of its graph first (`join_components`).
    labels
        One value per leaf. A missing label is -1 among integers, and None or NaN among floats, strings and objects.

    Returns
    -------
    ndarray of shape (n,)
        The labels, none missing, in the dtype of the known ones.

    Notes
    -----
    O(n C) time for C classes, O(n) memory.

    Examples
    --------
    >>> tree = Tree.from_newick("((0,1),((2,3),4));")
    >>> spread_labels(tree, ["cat", None, None, "dog", None]).tolist()
    ['cat', 'cat', 'dog', 'dog', 'dog']
    """
    classes, codes = label_codes(labels)
    if codes.size != tree.n_leaves:
        raise ValueError(f"labels has {codes.size} values, but the tree has {tree.n_leaves} leaves. Pass one per leaf.")
    if classes.size == 0:
        raise ValueError(
            f"all {codes.size} labels are missing (-1, None or NaN); at least one leaf needs a label. "
            "Without labels, cut the tree instead: tree.cut(n_clusters=...) or hypcse.levels(tree, graph)."
        )
    most = np.zeros(tree.n_nodes)
    # The most frequent class under each node, the first in a tie; -1 where no leaf has one.
    majority = np.full(tree.n_nodes, -1, np.int64)
    for code in range(classes.size):
        marks = np.zeros(tree.n_nodes)
        marks[: tree.n_leaves] = codes == code
        count = subtree_sums(tree.parent, marks)
        majority[count > most] = code
        np.maximum(most, count, out=most)
    return classes[inherit_values(tree.parent, majority)[: tree.n_leaves]]

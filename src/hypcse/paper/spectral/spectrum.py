"""Leading eigenvectors of graphs, and how many of them stand out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import eigh
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import ArpackNoConvergence, eigsh

from hypcse._checks import filtered
from hypcse._random import generator
from hypcse._threads import openmp_threads
from hypcse.graph import Graph

Reals = NDArray[np.float64]

# Up to this many vertices, all eigenvectors in dense form are faster and safer than Lanczos' iteration.
MAX_DENSE = 2000
# The most clusters that are chosen by the spectrum.
MAX_CHOSEN = 15


def leading_eigenpairs(matrix: sparse.csr_array, k: int, random_state: int) -> tuple[Reals, Reals]:
    """The k largest eigenvalues of a symmetric matrix, falling, and their unit eigenvectors (n, k).

    The blocks of a matrix that falls into components are taken one by one: Lanczos' iteration misses copies of an
    eigenvalue that several of them share. So an eigenvector lives on one component, and of equal eigenvalues, up to
    rounding, that of the larger component comes first. Of an eigenvector and its negative it is the one whose entry of
    largest size is positive. `random_state` starts Lanczos' iteration.
    """
    n_components, component = connected_components(matrix, directed=False)
    order = np.argsort(component, kind="stable")
    members = np.split(order, np.cumsum(np.bincount(component))[:-1])
    members.sort(key=len, reverse=True)
    pairs = [mixed_eigenpairs(matrix[own][:, own], min(k, own.size), random_state) for own in members]
    values = np.concatenate([found for found, _ in pairs])
    owner = np.repeat(np.arange(n_components), [found.size for found, _ in pairs])
    column = np.concatenate([np.arange(found.size) for found, _ in pairs])
    chosen = np.lexsort([column, owner, -np.round(values, 10)])[:k]
    vectors = np.zeros((matrix.shape[0], k))
    for place, which in enumerate(chosen):
        vectors[members[owner[which]], place] = pairs[owner[which]][1][:, column[which]]
    return values[chosen], vectors


def mixed_eigenpairs(matrix: sparse.csr_array, k: int, random_state: int) -> tuple[Reals, Reals]:
    """The same of the whole matrix at once: eigenvectors of equal eigenvalues are mixed, and copies may be missed."""
    n = matrix.shape[0]
    if n <= MAX_DENSE or k >= n // 4:
        values, vectors = eigh(matrix.toarray(), subset_by_index=(n - k, n - 1))
    else:
        values, vectors = _lanczos(matrix, k, random_state)
    order = np.argsort(-values, kind="stable")
    values, vectors = values[order], vectors[:, order]
    peaks = vectors[np.abs(vectors).argmax(axis=0), np.arange(k)]
    return values, vectors * np.where(peaks < 0, -1.0, 1.0)


def _lanczos(matrix: sparse.csr_array, k: int, random_state: int) -> tuple[Reals, Reals]:
    start = generator(random_state, "Lanczos iteration").standard_normal(matrix.shape[0])
    try:
        return eigsh(matrix, k, which="LA", v0=start, ncv=max(4 * k, 40), maxiter=10_000, tol=1e-8)
    except ArpackNoConvergence as error:
        raise RuntimeError(
            f"only {error.eigenvalues.size} of {k} eigenvectors of the graph were found. "
            "Pass a graph with more edges, or fewer clusters."
        ) from None


def normalized_adjacency(graph: Graph) -> sparse.csr_array:
    """D^-1/2 W D^-1/2, loops included: the identity less the normalised Laplacian. 1 at a vertex of degree 0."""
    lonely = graph.degrees == 0
    root = 1 / np.sqrt(np.where(lonely, 1.0, graph.degrees))
    scale = sparse.diags_array(root, format="csr")
    return sparse.csr_array(scale @ graph.to_scipy() @ scale + sparse.diags_array(lonely.astype(np.float64)))


def clusters_by_gap(values: Reals) -> int:
    """The position of the largest gap in the decreasing eigenvalues: at least 2, if there are that many.

    >>> clusters_by_gap(np.array([1.0, 0.9, 0.85, 0.2, 0.1]))
    3
    """
    if values.size <= 2:
        return values.size
    return 2 + int(np.argmax(values[1:-1] - values[2:]))


def cluster_rows(rows: Reals, k: int, n_init: int, random_state: int) -> NDArray[np.int64]:
    """k-means labels from 0 of the rows, the best of `n_init` runs; fewer clusters where rows are equal."""
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning

    seed = int(generator(random_state, "clusters of rows").integers(2**31))
    # It warns if there are fewer different rows than clusters, which is fine here.
    with filtered("ignore", ConvergenceWarning), openmp_threads():
        found = KMeans(k, n_init=n_init, random_state=seed).fit(rows).labels_
    return np.unique(found, return_inverse=True)[1].astype(np.int64)


def n_leading(n_clusters: int | None, n_vertices: int) -> int:
    """How many eigenvalues to look at: one beyond the clusters, or beyond the most that are chosen from."""
    return min((n_clusters or MAX_CHOSEN) + 1, n_vertices)

"""Label propagation: labels spread along similarities until every point agrees with its neighbours."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hypcse.graph import Graph, similarity_graph
from hypcse.methods.labelled.inputs import Codes, LabelledInputs, check_inputs

# Relative residual at which the conjugate gradients stop.
_TOLERANCE = 1e-10


def label_propagation(
    X: ArrayLike, y: ArrayLike, *, random_state: int = 0, validation: ArrayLike | None = None
) -> Codes:
    """Label propagation (Zhu, Ghahramani and Lafferty, 2003) on the similarities exp(-d^2) of all pairs.

    d is the Euclidean distance of features scaled to [0, 1]. O(n^2) memory.
    """
    inputs = check_inputs(X, y, random_state, validation)
    return _spread(inputs, max(inputs.n_points - 1, 1))


def label_propagation_graph(
    X: ArrayLike, y: ArrayLike, *, n_neighbors: int = 10, random_state: int = 0, validation: ArrayLike | None = None
) -> Codes:
    """Label propagation on the similarity graph of the nearest neighbours. O(n k) memory.

    Points that no label reaches get the most frequent class.
    """
    return _spread(check_inputs(X, y, random_state, validation), n_neighbors)


def _spread(inputs: LabelledInputs, n_neighbors: int) -> Codes:
    shares = propagate(similarity_graph(inputs.X, n_neighbors), inputs.rows, np.eye(inputs.classes.size)[inputs.codes])
    # The shares of a point add up to 1 in the exact solution, and to 0 where no label arrives.
    reached = shares.sum(axis=1) > 0.5
    return inputs.classes[np.where(reached, shares.argmax(axis=1), inputs.majority)]


def propagate(graph: Graph, rows: Codes, given: NDArray[np.float64]) -> NDArray[np.float64]:
    """Shares (n, c) of every vertex from those (m, c) `given` to the vertices `rows`, which keep theirs.

    A vertex without given shares has the mean of its neighbours', weighted by the edges: with P = D^-1 W without loops,
    U the vertices without and L those with given shares,

        f_U = (I - P_UU)^-1 P_UL f_L,    which is    (D_UU - W_UU) f_U = W_UL f_L.

    The right form is symmetric and solved by conjugate gradients, O(n + edges) per step. Shares are 0 in components
    without any given.

    >>> path = Graph.from_edges([0, 1], [1, 2], [1.0, 3.0])
    >>> propagate(path, np.array([0, 2]), np.eye(2)).round(6).tolist()
    [[1.0, 0.0], [0.25, 0.75], [0.0, 1.0]]
    """
    from scipy import sparse
    from scipy.sparse.linalg import cg

    W, degrees = graph.without_loops().to_scipy(), graph.edge_degrees
    free = np.setdiff1d(np.arange(graph.n_vertices), rows)
    shares = np.zeros((graph.n_vertices, given.shape[1]))
    shares[rows] = given
    between = W[free]
    system = sparse.diags_array(degrees[free]) - between[:, free]
    # By its diagonal; a vertex without edges has 0 there.
    inverse = sparse.diags_array(1 / np.where(degrees[free] > 0, degrees[free], 1.0))
    for column, arriving in enumerate((between[:, rows] @ given).T):
        shares[free, column], _ = cg(system, arriving, rtol=_TOLERANCE, M=inverse)
    return shares

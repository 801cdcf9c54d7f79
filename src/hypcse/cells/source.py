"""Which graph, and which features, an AnnData stands for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hypcse.graph import Graph, similarity_graph

PARTS = ("obs", "obsm", "obsp", "uns", "obs_names")


class Cells(NamedTuple):
    """The graph over the cells, their features where these were used, and the name of what was used.

    behind, metric : the representation that a given graph was made of, where it is there, and its distance.
    """

    graph: Graph
    features: NDArray[Any] | None
    used: str
    behind: NDArray[Any] | None = None
    metric: str = "euclidean"


def cells_of(adata: Any, use: str, n_neighbors: int) -> Cells:
    """The cells as `use` asks for them: "auto", "X", or a key of `obsp` or `obsm`.

    "auto" takes obsp["connectivities"], else obsm["X_pca"], else X.
    """
    if not all(hasattr(adata, part) for part in PARTS):
        raise TypeError(f"hierarchy takes an AnnData, got {type(adata).__name__}. Use HypCSE().fit(X) for a table.")
    if use == "auto":
        use = "connectivities" if "connectivities" in adata.obsp else "X_pca" if "X_pca" in adata.obsm else "X"
    if use in adata.obsp:
        return Cells(Graph.from_scipy(_symmetric(adata.obsp[use])), None, use, *_behind(adata, use))
    if use in adata.obsm:
        features = np.asarray(adata.obsm[use])
    elif use == "X" and adata.X is not None:
        features = _dense(adata.X)
    else:
        known = ["auto", "X", *adata.obsp, *adata.obsm]
        raise ValueError(f"use={use!r} is not in this AnnData. Choose one of {', '.join(map(repr, known))}.")
    return Cells(similarity_graph(features, n_neighbors, "median", "none"), features, use)


def _behind(adata: Any, use: str) -> tuple[NDArray[Any] | None, str]:
    """What a graph was made of, and by which distance: as scanpy wrote it down, else the principal components."""
    params: Mapping[str, Any] = {}
    for entry in adata.uns.values():
        if isinstance(entry, Mapping) and entry.get("connectivities_key") == use:
            params = entry.get("params", {})
    named = params.get("use_rep", "X_pca")
    found = adata.X if named == "X" else adata.obsm.get(named)
    if found is None:
        return None, "euclidean"
    features = _dense(found)[:, : params.get("n_pcs") if named == "X_pca" else None]
    metric = "cosine" if params.get("metric") == "cosine" and features.any(axis=1).all() else "euclidean"
    return (features if np.isfinite(features).all() else None), metric


def _dense(matrix: Any) -> NDArray[Any]:
    return matrix.toarray() if sparse.issparse(matrix) else np.asarray(matrix)


def _symmetric(matrix: Any) -> Any:
    """The mean of a matrix and its transpose: neighbours of one side count half."""
    found = sparse.csr_array(matrix)
    return (found + found.T) / 2

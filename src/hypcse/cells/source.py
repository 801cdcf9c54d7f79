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
    """The graph over the cells, their features where these were used, and the name of what was used."""

    graph: Graph
    features: NDArray[Any] | None
    used: str


def cells_of(adata: Any, use: str, n_neighbors: int) -> Cells:
    """The cells as `use` asks for them: "auto", "X", or a key of `obsp` or `obsm`.

    "auto" takes obsp["connectivities"], else obsm["X_pca"], else X.
    """
    if not all(hasattr(adata, part) for part in PARTS):
        raise TypeError(f"hierarchy takes an AnnData, got {type(adata).__name__}. Use HypCSE().fit(X) for a table.")
    if use == "auto":
        use = "connectivities" if "connectivities" in adata.obsp else "X_pca" if "X_pca" in adata.obsm else "X"
    if use in adata.obsp:
        return Cells(Graph.from_scipy(_symmetric(adata.obsp[use])), _behind(adata, use), use)
    if use in adata.obsm:
        features = np.asarray(adata.obsm[use])
    elif use == "X" and adata.X is not None:
        features = adata.X.toarray() if sparse.issparse(adata.X) else np.asarray(adata.X)
    else:
        known = ["auto", "X", *adata.obsp, *adata.obsm]
        raise ValueError(f"use={use!r} is not in this AnnData. Choose one of {', '.join(map(repr, known))}.")
    return Cells(similarity_graph(features, n_neighbors, "median", "none"), features, use)


def _behind(adata: Any, use: str) -> NDArray[Any] | None:
    """The representation that a graph was made of: what scanpy wrote down of it, else the principal components."""
    for entry in adata.uns.values():
        if isinstance(entry, Mapping) and entry.get("connectivities_key") == use:
            params = entry.get("params")
            named = params.get("use_rep") if isinstance(params, Mapping) else None
            if named is not None and named in adata.obsm:
                return np.asarray(adata.obsm[named])
    return np.asarray(adata.obsm["X_pca"]) if "X_pca" in adata.obsm else None


def _symmetric(matrix: Any) -> Any:
    """The mean of a matrix and its transpose: neighbours of one side count half."""
    found = sparse.csr_array(matrix)
    return (found + found.T) / 2

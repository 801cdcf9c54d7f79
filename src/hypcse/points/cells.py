"""The graph and the features of an AnnData."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hypcse._choices import Metric
from hypcse.graph import Graph
from hypcse.points.points import Points

SCANPY_GENES = 50
"""Genes up to which `scanpy.pp.neighbors` compares cells by their genes: its settings.N_PCS."""


def points_of_cells(adata: Any, use: str = "auto") -> tuple[Points, str]:
    """The cells as chosen by `use`, and the name of what was used.

    use : "auto" for obsp["connectivities"] if it exists, else obsm["X_pca"], else X; or "X", or a key of `obsp` or
        `obsm`. A graph comes with the representation it was made from, if that exists.
    """
    if use == "auto":
        use = "connectivities" if "connectivities" in adata.obsp else "X_pca" if "X_pca" in adata.obsm else "X"
    names = tuple(map(str, adata.obs_names))
    if use in adata.obsp:
        graph = Graph.from_scipy(_symmetric(adata.obsp[use]))
        features, metric = _behind(adata, use)
        made = features is not None
        return Points(features, graph, names, metric=metric, one_scale=True, made_of_features=made), use
    if use in adata.obsm:
        features = np.asarray(adata.obsm[use])
    elif use == "X" and adata.X is not None:
        features = _dense(adata.X)
    else:
        known = ["auto", "X", *adata.obsp, *adata.obsm]
        raise ValueError(f"use={use!r} is not in this AnnData. Choose one of {', '.join(map(repr, known))}.")
    return Points(features, names=names, one_scale=True), use


def _behind(adata: Any, use: str) -> tuple[NDArray[Any] | None, Metric]:
    """The representation a graph was made from, and its distance: as scanpy recorded them, else the PCA."""
    params: Mapping[str, Any] = {}
    for entry in adata.uns.values():
        if isinstance(entry, Mapping) and entry.get("connectivities_key") == use:
            params = entry.get("params", {})
    named = params.get("use_rep") or _unnamed(adata, params)
    found = adata.X if named == "X" else adata.obsm.get(named)
    if found is None:
        return None, "euclidean"
    features = _dense(found)[:, : params.get("n_pcs") if named != "X" else None]
    metric: Metric = "cosine" if params.get("metric") == "cosine" and features.any(axis=1).all() else "euclidean"
    return (features if np.isfinite(features).all() else None), metric


def _unnamed(adata: Any, params: Mapping[str, Any]) -> str:
    """What scanpy takes where it is not told: the genes if they are few, else the principal components."""
    few = params and params.get("n_pcs") is None and adata.n_vars <= SCANPY_GENES
    return "X" if few or params.get("n_pcs") == 0 else "X_pca"


def _dense(matrix: Any) -> NDArray[Any]:
    return _checked(matrix).toarray() if sparse.issparse(matrix) else np.asarray(matrix)


def _symmetric(matrix: Any) -> Any:
    """The mean of a matrix and its transpose: one-sided neighbours count half."""
    found = _checked(sparse.csr_array(matrix))
    return (found + found.T) / 2


def _checked(matrix: Any) -> Any:
    """Check that the indices of a sparse matrix in compressed rows or columns lie inside it, which SciPy assumes.

    Those of a damaged file may not, and would crash the process.
    """
    matrix.check_format(full_check=True)
    return matrix

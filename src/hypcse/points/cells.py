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
    """The cells as chosen by `use`, see `hypcse.cells.hierarchy`, and the name of what was used."""
    if use == "auto":
        use = "connectivities" if "connectivities" in adata.obsp else "X_pca" if "X_pca" in adata.obsm else "X"
    names = tuple(map(str, adata.obs_names))
    if use in adata.obsp:
        one_sided = sparse.csr_array(adata.obsp[use])
        # The mean of both directions: one-sided neighbors count half.
        graph = Graph.from_scipy((one_sided + one_sided.T) / 2)
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
    # By default scanpy takes the genes if they are few, else the principal components.
    few = params and params.get("n_pcs") is None and adata.n_vars <= SCANPY_GENES
    name = params.get("use_rep") or ("X" if few or params.get("n_pcs") == 0 else "X_pca")
    matrix = adata.X if name == "X" else adata.obsm.get(name)
    if matrix is None:
        return None, "euclidean"
    features = _dense(matrix)[:, : params.get("n_pcs") if name != "X" else None]
    metric: Metric = "cosine" if params.get("metric") == "cosine" and features.any(axis=1).all() else "euclidean"
    return (features if np.isfinite(features).all() else None), metric


def _dense(matrix: Any) -> NDArray[Any]:
    return matrix.toarray() if sparse.issparse(matrix) else np.asarray(matrix)

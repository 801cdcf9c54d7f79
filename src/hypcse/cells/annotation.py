"""`hypcse.cells.hierarchy`: one call from an AnnData to labels, linkage, embedding and dendrogram inside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hypcse._checks import check_choice, check_count
from hypcse._choices import CellMethod
from hypcse._random import check_seed
from hypcse.cells.groups import categories, digest_of_cells, group_dendrogram
from hypcse.estimators import EntropyClustering
from hypcse.partitions.nested_levels import Levels, levels
from hypcse.points import Points
from hypcse.points.cells import points_of_cells
from hypcse.points.convert import is_cells
from hypcse.show.layout import tree_layout
from hypcse.tree import Tree
from hypcse.tree.flat import count_clusters

if TYPE_CHECKING:
    from anndata import AnnData


def hierarchy(
    adata: AnnData,
    *,
    use: str = "auto",
    neighbors_key: str | None = None,
    method: CellMethod = "search",
    resolutions: int | Sequence[int] | None = None,
    n_neighbors: int = 10,
    mark_outliers: bool = False,
    key_added: str = "hypcse",
    random_state: int = 0,
) -> Tree:
    """Cluster cells at several nested resolutions, and write all of it into `adata`. Returns the tree.

    Parameters
    ----------
    adata
        The cells; the results are written into it.
    use
        "auto" for obsp["connectivities"] if it exists, else obsm["X_pca"], else X; or "X", or a key of `obsp` or
        `obsm`. Features get a similarity graph, with `n_neighbors` and no scaling. Components of a graph are joined by
        the representation that it belongs to, if that exists.
    neighbors_key
        The `key_added` of `scanpy.pp.neighbors`, to use that graph instead of `use`.
    method
        "search" for linkage on the graph and refinement, "hypcse" for the trained estimator.
    resolutions
        None for the levels by entropy, a number of such levels, or numbers of clusters.
    n_neighbors
        Neighbors per cell in a similarity graph.
    mark_outliers
        Whether cells far from all others are "outliers", the last category, in obs["hypcse"]; see `EntropyClustering`.
    key_added
        The name of the fields.
    random_state
        Seed of everything random.

    Returns
    -------
    Tree
        The hierarchy over all cells.

    Notes
    -----
    With the default key these are written, all of which survive `write_h5ad`:

    obs["hypcse_1"], obs["hypcse_2"], ... : categories from coarse to fine, each nested in the one before, named "0",
        "1", ... by falling size; obs["hypcse"] is the main one of them, to look at first.
    obsm["X_hypcse"] : the cells in the Poincare ball, as trained; by "search", in the disk as the tree lays them out.
    uns["hypcse"] : "linkage", SciPy's matrix over all cells; "levels", the numbers of clusters; "main_level", from 1,
        the level of obs["hypcse"]; "structure", the structure beyond chance (if there is none and you pass no
        `resolutions`, obs["hypcse"] is one group); "cells", a digest of their names in this order; "params".
    uns["dendrogram_hypcse"] : the tree over the groups of obs["hypcse"], if there are 2 to 500 and no outliers, as
        scanpy's plots read it.

    Examples
    --------
    >>> import anndata, numpy as np
    >>> rng = np.random.default_rng(0)
    >>> adata = anndata.AnnData(np.concatenate([rng.normal(size=(30, 5)), rng.normal(9, 1, size=(30, 5))]))
    >>> tree = hierarchy(adata)
    >>> tree.n_leaves, adata.obs["hypcse"].nunique()
    (60, 2)
    """
    check_choice("method", method, CellMethod)
    seed = check_seed(random_state)
    if not is_cells(adata):
        raise TypeError(f"hierarchy takes an AnnData, got {type(adata).__name__}. EntropyClustering takes tables.")
    points, used = points_of_cells(adata, use if neighbors_key is None else _graph_key(adata, neighbors_key, use))
    check_count("the number of cells", points.n_points, 2)
    kind: Any = EntropyClustering if method == "search" else import_module("hypcse.neural.hypcse").HypCSE
    model = kind(n_neighbors=n_neighbors, mark_outliers=mark_outliers, random_state=seed).fit(points)
    tree = model.tree_
    nested = _partitions(model, resolutions)
    _clear(adata, key_added)
    for number, labels in enumerate(nested, start=1):
        adata.obs[f"{key_added}_{number}"] = categories(labels)
    main = np.where(model.labels_ < 0, -1, nested[nested.main])
    adata.obs[key_added] = categories(main)
    adata.obsm[f"X_{key_added}"] = model.embedding_ if hasattr(model, "embedding_") else _places(tree)
    adata.uns[key_added] = {
        "cells": digest_of_cells(adata),
        "linkage": tree.to_linkage(),
        "levels": np.array([count_clusters(labels) for labels in nested]),
        "main_level": nested.main + 1,
        "structure": {**asdict(model.structure_), "rests_on": np.array(model.structure_.rests_on, dtype=str)},
        "params": {"use": used, "method": method, "random_state": seed, **_graph_params(model, points)},
    }
    dendrogram = group_dendrogram(tree, main, key_added, used)
    if dendrogram is not None:
        adata.uns[f"dendrogram_{key_added}"] = dendrogram
    return tree


def _graph_key(adata: Any, neighbors_key: str, use: str) -> str:
    """The key of `obsp` that scanpy noted for a graph of neighbors."""
    if use != "auto":
        raise ValueError(f"use={use!r} and neighbors_key={neighbors_key!r} exclude each other. Pass one of them.")
    entries = {key: entry for key, entry in adata.uns.items() if isinstance(entry, Mapping)}
    graphs = {key: entry["connectivities_key"] for key, entry in entries.items() if "connectivities_key" in entry}
    if neighbors_key not in graphs:
        known = f"Choose one of {', '.join(map(repr, graphs))}." if graphs else "Call scanpy.pp.neighbors first."
        raise ValueError(f"neighbors_key={neighbors_key!r} names no graph of neighbors in uns. {known}")
    return str(graphs[neighbors_key])


def _graph_params(model: Any, points: Points) -> dict[str, Any]:
    """The settings of the graph."""
    params: dict[str, Any] = {"n_edges": model.graph_.n_edges, "metric": points.metric}
    if points.graph is not None:
        return params | {"graph": "given"}
    scale, _ = points.suited(model.scale, model.bandwidth)
    graph = {"graph": "similarity", "n_neighbors": model.n_neighbors, "scale": scale, "bandwidth": model.bandwidth_}
    return params | graph


def _places(tree: Tree) -> NDArray[np.float64]:
    """The cells in the disk, as the tree lays them out."""
    layout = tree_layout(tree)
    place = (np.tanh(layout.radius / 2) * np.exp(1j * layout.angle))[: tree.n_leaves]
    return np.column_stack([place.real, place.imag])


def _partitions(model: Any, resolutions: int | Sequence[int] | None) -> Levels:
    """Nested labels from coarse to fine; the coarsest is the main level if you pass resolutions."""
    if resolutions is None:
        return Levels(model.levels_, model.levels_.main if model.structure_.found else 0)
    if isinstance(resolutions, int | np.integer):
        nested = levels(model.tree_, model.graph_, n_levels=int(resolutions))
    elif len(resolutions) == 0:
        raise ValueError("resolutions is empty. Pass at least one number of clusters, or None.")
    else:
        nested = levels(model.tree_, model.graph_, n_clusters=resolutions)
    return Levels([labels for k, labels in enumerate(nested) if k == 0 or labels.max() > nested[k - 1].max()], 0)


def _clear(adata: Any, key: str) -> None:
    """Remove what an earlier call wrote and this one might not."""
    earlier = adata.uns.get(key)
    if isinstance(earlier, Mapping):
        columns = [f"{key}_{number}" for number in range(1, 1 + len(earlier.get("levels", ())))]
        adata.obs = adata.obs.drop(columns=columns, errors="ignore")
    adata.uns.pop(f"dendrogram_{key}", None)

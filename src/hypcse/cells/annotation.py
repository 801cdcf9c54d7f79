"""What an AnnData holds of its hierarchy: labels, linkage, embedding and dendrogram, written and read."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import cophenet, dendrogram
from scipy.spatial.distance import squareform

from hypcse._checks import check_choice, check_count
from hypcse._choices import CellMethod
from hypcse._random import check_seed
from hypcse.estimators import EntropyClustering
from hypcse.partitions.nested_levels import Levels, levels
from hypcse.points import Points
from hypcse.points.cells import points_of_cells
from hypcse.points.convert import is_cells
from hypcse.show.layout import tree_layout
from hypcse.tree import Tree
from hypcse.tree.flat import by_size, count_clusters
from hypcse.tree.nodes import outline

if TYPE_CHECKING:
    from anndata import AnnData

MAX_GROUPS = 500
"""With more groups, no dendrogram is written: SciPy's recurses, and no plot of scanpy's shows more."""


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
        `obsm`. Features are not scaled.
        Components of a graph are joined by its representation, if that exists.
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
    whole = model.tree_
    nested = _partitions(model, resolutions)
    _clear(adata, key_added)
    for number, labels in enumerate(nested, start=1):
        adata.obs[f"{key_added}_{number}"] = categories(labels)
    main = np.where(model.labels_ < 0, -1, nested[nested.main])
    adata.obs[key_added] = categories(main)
    angle, radius = (polar[: whole.n_leaves, None] for polar in tree_layout(whole))
    drawn = np.tanh(radius / 2) * np.hstack([np.cos(angle), np.sin(angle)])
    adata.obsm[f"X_{key_added}"] = getattr(model, "embedding_", drawn)
    adata.uns[key_added] = {
        "cells": digest_of_cells(adata),
        "linkage": whole.to_linkage(),
        "levels": np.array([count_clusters(labels) for labels in nested]),
        "main_level": nested.main + 1,
        "structure": {**asdict(model.structure_), "rests_on": np.array(model.structure_.rests_on, dtype=str)},
        "params": {"use": used, "method": method, "random_state": seed, **_graph_params(model, points)},
    }
    groups = group_dendrogram(whole, main, key_added, used)
    if groups is not None:
        adata.uns[f"dendrogram_{key_added}"] = groups
    return whole


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
    params: dict[str, Any] = {"n_edges": model.graph_.n_edges, "metric": points.metric}
    if points.graph is not None:
        return params | {"graph": "given"}
    scale, _ = points.suited(model.scale, model.bandwidth)
    graph = {"graph": "similarity", "n_neighbors": model.n_neighbors, "scale": scale, "bandwidth": model.bandwidth_}
    return params | graph


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
    if isinstance(earlier := adata.uns.get(key), Mapping):
        columns = [f"{key}_{number}" for number in range(1, 1 + len(earlier.get("levels", ())))]
        adata.obs = adata.obs.drop(columns=columns, errors="ignore")
    adata.uns.pop(f"dendrogram_{key}", None)


def categories(labels: NDArray[np.int64]) -> Any:
    """Labels as a pandas categorical "0", "1", ..., the largest group first; "outliers" last, if there are any."""
    import pandas

    # As objects: some versions of anndata cannot write the strings of pandas 3.
    n_groups = int(labels.max()) + 1
    named = [*map(str, range(n_groups)), *(["outliers"] if labels.min() < 0 else [])]
    numbers = by_size(labels)
    return pandas.Categorical.from_codes(np.where(numbers < 0, n_groups, numbers), pandas.Index(named, dtype=object))


def group_dendrogram(tree: Tree, labels: NDArray[np.int64], key: str, used: str) -> dict[str, Any] | None:
    """The entry of `scanpy.tl.dendrogram` for these groups, from the tree itself; None if nothing can be drawn."""
    n_groups = count_clusters(labels)
    if not 2 <= n_groups <= MAX_GROUPS or labels.min() < 0:
        return None
    Z = outline(tree, by_size(labels)).tree.to_linkage()
    info = dendrogram(Z, labels=[str(k) for k in range(n_groups)], no_plot=True)
    return {
        "linkage": Z,
        "groupby": [key],
        "use_rep": used,
        "cor_method": "cophenetic",
        "linkage_method": "hypcse",
        "categories_ordered": info["ivl"],
        "categories_idx_ordered": info["leaves"],
        "dendrogram_info": info,
        "correlation_matrix": 1 - squareform(cophenet(Z)) / max(float(Z[-1, 2]), np.finfo(np.float64).tiny),
    }


def name_nodes(adata: AnnData, *, key: str = "hypcse", n_genes: int = 3) -> dict[int, str]:
    """Make names for the groups of cells from their best markers, as `find_markers` wrote them.

    Parameters
    ----------
    adata
        Cells that `find_markers` has seen.
    key
        The `key_added` of `hierarchy`.
    n_genes
        Genes per name, at most.

    Returns
    -------
    dict
        A name per node, for `hypcse.view(tree, node_names=...)`.

    Examples
    --------
    >>> import anndata, numpy as np
    >>> from hypcse.cells import find_markers, hierarchy
    >>> X = np.random.default_rng(0).uniform(size=(60, 5))
    >>> X[:30, 2] += 9
    >>> X[30:, 4] += 9
    >>> adata = anndata.AnnData(X)
    >>> whole, markers = hierarchy(adata, resolutions=[2]), find_markers(adata)
    >>> sorted(name_nodes(adata, n_genes=1).values())
    ['2', '4']
    """
    check_count("n_genes", n_genes, 1)
    markers = written(adata, key).get("markers")
    if markers is None:
        raise ValueError(f"uns[{key!r}] has no markers. Call hypcse.cells.find_markers(adata) first.")
    best = markers.groupby("node", sort=False).head(n_genes)
    return {int(node): ", ".join(map(str, genes)) for node, genes in best.groupby("node", sort=False)["gene"]}


def tree(adata: AnnData, key: str = "hypcse") -> Tree:
    """The tree that `hierarchy` wrote into cells, also after they were saved and read.

    Parameters
    ----------
    adata
        The cells.
    key
        The `key_added` of `hierarchy`.

    Returns
    -------
    Tree
        The tree over all cells, with their names and the node numbers that it had.

    Examples
    --------
    >>> import anndata
    >>> from hypcse.cells import hierarchy
    >>> rng = np.random.default_rng(0)
    >>> adata = anndata.AnnData(np.concatenate([rng.normal(size=(30, 5)), rng.normal(9, 1, size=(30, 5))]))
    >>> hierarchy(adata) == tree(adata)
    True
    """
    return Tree.from_linkage(written(adata, key)["linkage"], tuple(map(str, adata.obs_names)))


def written(adata: Any, key: str) -> Mapping[str, Any]:
    """The entry of `uns`, about as many cells as there are."""
    entry = adata.uns.get(key)
    if not isinstance(entry, Mapping) or "linkage" not in entry or "levels" not in entry:
        raise ValueError(f"uns has no hierarchy called {key!r}. Call hypcse.cells.hierarchy(adata) first.")
    n_cells = len(entry["linkage"]) + 1
    if n_cells != adata.n_obs:
        raise ValueError(f"uns[{key!r}] is about {n_cells} cells, not {adata.n_obs}. Call hierarchy(adata) again.")
    # Earlier versions wrote no digest.
    if entry.get("cells", "") not in ("", digest_of_cells(adata)):
        raise ValueError(f"cells were reordered or renamed after uns[{key!r}] was made. Call hierarchy(adata) again.")
    return entry


def digest_of_cells(adata: Any) -> str:
    """A digest of the names of the cells in their order."""
    names = "".join(f"{name}\0" for name in adata.obs_names)
    return hashlib.sha256(names.encode("utf-8", "surrogatepass")).hexdigest()


class Level(NamedTuple):
    """The groups of one level: the number of each cell's, and what they are called."""

    labels: NDArray[np.int64]
    names: list[str]


def read_levels(adata: Any, key: str) -> list[Level]:
    """The levels, coarse to fine; groups that were renamed have their new names."""
    levels = []
    for number in range(1, 1 + len(written(adata, key)["levels"])):
        column = f"{key}_{number}"
        if column not in adata.obs:
            raise ValueError(f"obs has no column {column!r}. Call hypcse.cells.hierarchy(adata) again.")
        groups = adata.obs[column].astype("category").cat
        levels.append(Level(groups.codes.to_numpy().astype(np.int64), list(map(str, groups.categories))))
    return levels

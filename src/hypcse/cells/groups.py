"""Groups of cells: their names, the tree over them as scanpy's plots read it, and what an AnnData holds of them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import cophenet, dendrogram
from scipy.spatial.distance import squareform

from hypcse._checks import check_count
from hypcse.tree import Tree
from hypcse.tree.flat import by_size, count_clusters
from hypcse.tree.nodes import outline

if TYPE_CHECKING:
    from anndata import AnnData

MAX_GROUPS = 500
"""With more groups, no dendrogram is written: SciPy's recurses, and no plot of scanpy's shows more."""


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
    digest = hashlib.sha256()
    for name in adata.obs_names:
        digest.update(str(name).encode("utf-8", "surrogatepass") + b"\0")
    return digest.hexdigest()


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

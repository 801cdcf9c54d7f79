"""Names for groups of cells, by their markers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypcse._checks import check_count
from hypcse.cells.written import written

if TYPE_CHECKING:
    from anndata import AnnData


def name_nodes(adata: AnnData, *, key: str = "hypcse", n_genes: int = 3) -> dict[int, str]:
    """Names for the groups of cells: their best markers, as `find_markers` wrote them.

    Parameters
    ----------
    adata
        Cells that `find_markers` has seen.
    key
        What `hierarchy` was given as `key_added`.
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
    >>> X = np.random.default_rng(0).normal(size=(60, 5))
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

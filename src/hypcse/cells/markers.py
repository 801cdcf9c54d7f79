"""Groups of cells beside their siblings: means, effect sizes and Welch's t of every gene, a few groups at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import stdtr

from hypcse._checks import check_count, warn
from hypcse.cells.annotation import Level, read_levels, tree
from hypcse.tree import Tree
from hypcse.tree.nodes import node_layers, outline

if TYPE_CHECKING:
    from anndata import AnnData
    from pandas import DataFrame

BLOCK = 4_000_000
"""Numbers in one table of groups by genes; more groups are taken in parts."""
ROUNDING = 1e-12
"""Differences of sums that are smaller than this share of the sums are taken for rounding."""
N_INSPECTED = 10_000
"""Values that are inspected to distinguish counts from their logarithms."""

Table = NDArray[np.float64]


def find_markers(
    adata: AnnData,
    *,
    key: str = "hypcse",
    layer: str | None = None,
    n_genes: int = 10,
    min_cells: int = 10,
) -> DataFrame:
    """Find the genes that are higher in each group than in its siblings, and write them into `adata`.

    The siblings of a group are the other cells of its group one level up; on the first level, all other cells. Call it
    on logarithms of normalized counts; like scanpy, it takes them from `raw` if that exists.

    Parameters
    ----------
    adata
        Cells that `hierarchy` has seen; the table is written into `uns[key]["markers"]`.
    key
        The `key_added` of `hierarchy`.
    layer
        The layer to compare, instead of `raw` or X.
    n_genes
        Genes per group, at most.
    min_cells
        Smaller groups get no markers.

    Returns
    -------
    DataFrame
        One row per group and gene, the best first; see the notes.

    Notes
    -----
    Genes are ranked by Welch's t, the difference of the means over its standard error; only t > 0 is listed.

    node, level, group : the node of the tree, and the first level and the category that it is.
    n_cells, n_siblings : numbers of cells compared.
    difference : of the means; of natural logarithms, 0.69 is twice as much.
    effect : the difference in pooled standard deviations (Cohen's d), which does not grow with the number of cells.
    share, share_siblings : of the cells in which the gene is above 0.
    t, p_value : of Welch's test, two-sided.
    p_adjusted : times the number of genes and of groups tested (Bonferroni).

    The groups depend on the data that are tested, so p-values are too small, adjusted or not: they only rank genes. For
    whether groups are real, see `uns[key]["structure"]` and `hypcse.stability`.

    Examples
    --------
    >>> import anndata
    >>> from hypcse.cells import hierarchy
    >>> X = np.random.default_rng(0).uniform(size=(60, 5))
    >>> X[:30, 2] += 9
    >>> adata = anndata.AnnData(X)
    >>> tree = hierarchy(adata, resolutions=[2])
    >>> find_markers(adata, n_genes=1)["gene"].tolist()[0]
    '2'
    """
    check_count("n_genes", n_genes, 1)
    check_count("min_cells", min_cells, 2)
    import pandas as pd

    every = read_levels(adata, key)
    (X, genes), whole = _values(adata, layer), tree(adata, key)
    groups = _groups_of_nodes(whole, every)
    tables, n_groups = [], 0
    for contrast in contrasts(whole, [level.labels for level in every], X, min_cells):
        tables.append(pd.DataFrame(_best_genes(contrast, n_genes)))
        n_groups += contrast.node.size
    markers = pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(dict.fromkeys(_COLUMNS, np.empty(0)))
    places = [groups[int(node)] for node in markers["node"]]
    order = sorted(range(len(places)), key=lambda row: places[row][:2])
    markers = markers.iloc[order].reset_index(drop=True)
    p_value = 2 * stdtr(np.maximum(markers.pop("freedom").to_numpy(), 1), -markers["t"].to_numpy())
    markers.insert(1, "level", np.array([places[row][0] for row in order], np.int64))
    # As objects: some versions of anndata cannot write the strings of pandas 3.
    markers.insert(2, "group", pd.Series([places[row][2] for row in order], dtype=object))
    markers.insert(3, "gene", pd.Series([genes[int(gene)] for gene in markers.pop("gene")], dtype=object))
    markers = markers.assign(p_value=p_value, p_adjusted=np.minimum(1.0, p_value * (X.shape[1] * n_groups)))
    adata.uns[key] = {**adata.uns[key], "markers": markers}
    return markers


def _groups_of_nodes(whole: Tree, every: list[Level]) -> dict[int, tuple[int, int, str]]:
    """For each node that is a group of one of the levels, the first of them, and its place and its name there."""
    groups: dict[int, tuple[int, int, str]] = {}
    for number, level in enumerate(every, 1):
        nodes = outline(whole, level.labels).node.tolist()
        for place, (node, name) in enumerate(zip(nodes, level.names, strict=False)):
            groups.setdefault(node, (number, place, name))
    return groups


def _values(adata: Any, layer: str | None) -> tuple[Any, list[str]]:
    """Cells by genes, sparse rows or dense, finite, and the genes; with a warning where they are no logarithms."""
    if layer is not None and layer not in adata.layers:
        raise ValueError(f"layer={layer!r} is not in layers. Choose one of {[*adata.layers]} or None.")
    source = adata.raw if layer is None and adata.raw is not None else adata
    X = source.X if layer is None else adata.layers[layer]
    if X is None:
        raise ValueError("adata.X is None, so there are no genes to compare. Pass layer=.")
    X = sparse.csr_array(X) if sparse.issparse(X) else np.asarray(X)
    known = np.asarray(X.data if sparse.issparse(X) else X).ravel()
    if not np.isfinite(known.sum(dtype=np.float64)):
        raise ValueError("the values of genes are not all finite. Remove or replace those that are not.")
    some = known[:N_INSPECTED]
    if some.max(initial=0) > 1 and (some == np.round(some)).all():
        warn("the values look like counts, and markers compare logarithms. Call scanpy.pp.log1p or name a layer.")
    elif some.min(initial=0) < 0:
        warn("the values look scaled: some are negative. Name a layer of logarithms, or set adata.raw before scaling.")
    return X, [str(name) for name in source.var_names]


class Contrast(NamedTuple):
    """Groups beside their siblings, row by row; the statistics by gene are (k, genes)."""

    node: NDArray[np.int64]
    n_cells: NDArray[np.int64]
    n_siblings: NDArray[np.int64]
    by_gene: dict[str, Table]


def contrasts(whole: Tree, labels: list[NDArray[np.int64]], X: Any, min_cells: int) -> Iterator[Contrast]:
    """All groups beside their siblings, a few at a time, so that no table of all groups by all genes is made."""
    # In double precision, because a variance is a small difference of large sums; and once, not in every product.
    X = X.astype(np.float64)
    values = X, X**2, (X > 0).astype(np.float64)
    layers = node_layers(whole, labels, min_cells)
    before = next(layers).members
    step = max(1, BLOCK // X.shape[1])
    for layer in layers:
        n_cells, n_before = np.diff(layer.members.indptr), np.diff(before.indptr)
        for above in np.unique(layer.above):
            parent = [_summed(before[[above]], part) for part in values]
            here = np.flatnonzero(layer.above == above)
            for some in (here[k : k + step] for k in range(0, here.size, step)):
                sums = [_summed(layer.members[some], part) for part in values]
                n, m = n_cells[some], n_before[above] - n_cells[some]
                yield Contrast(layer.node[some], n, m, _statistics(n[:, None], sums, m[:, None], parent))
        before = layer.members


def _summed(members: sparse.csr_array, part: Any) -> Table:
    sums = members @ part
    return sums.toarray() if sparse.issparse(sums) else np.asarray(sums, np.float64)


def _statistics(n: NDArray[np.int64], sums: list[Table], m: NDArray[np.int64], parent: list[Table]) -> dict[str, Table]:
    """Welch's t and effect sizes, of sums of values, of their squares and of cells above 0; n cells, m siblings."""
    total, squared, above = sums
    other, other_squared, other_above = (whole - part for whole, part in zip(parent, sums, strict=True))
    others = np.maximum(m, 1)
    difference = total / n - other / others
    # What is left of equal means by rounding is none.
    size = np.abs(total) / n + np.abs(parent[0]) / others
    difference = np.where(np.abs(difference) > ROUNDING * size, difference, 0.0)
    variance, other_variance = _variance(total, squared, n, squared), _variance(other, other_squared, m, parent[1])
    error = variance / n + other_variance / others
    pooled = ((n - 1) * variance + (others - 1) * other_variance) / np.maximum(n + m - 2, 1)
    freedom = _ratio(
        error**2, (variance / n) ** 2 / np.maximum(n - 1, 1) + (other_variance / others) ** 2 / np.maximum(m - 1, 1)
    )
    return {
        "difference": difference,
        "effect": _ratio(difference, np.sqrt(pooled)),
        "share": above / n,
        "share_siblings": other_above / others,
        # A single sibling has no variance, and none has no mean: such a group has no markers.
        "t": np.where(m >= 2, _ratio(difference, np.sqrt(error)), 0.0),
        "freedom": freedom,
    }


def _variance(total: Table, squared: Table, n: NDArray[np.int64], size: Table) -> Table:
    """Unbiased; what is left of a constant by rounding, beside sums of this size, is none."""
    n = np.maximum(n, 1)
    spread = squared - total**2 / n
    return np.where(spread > ROUNDING * size, spread, 0.0) / np.maximum(n - 1, 1)


def _ratio(above: Table, below: Table) -> Table:
    """Infinite, with the sign of `above`, if there is nothing below; 0 if there is nothing at all."""
    limit = np.where(above == 0, 0.0, np.copysign(np.inf, above))
    return np.divide(above, below, out=limit, where=below > 0)


_COLUMNS = ("node", "n_cells", "n_siblings", "gene", "difference", "effect", "share", "share_siblings", "t", "freedom")


def _best_genes(contrast: Contrast, n_genes: int) -> dict[str, NDArray[Any]]:
    """The genes of largest t above 0 of each group, row by row."""
    t = contrast.by_gene["t"]
    order = np.argsort(-t, axis=1, kind="stable")[:, :n_genes]
    row, gene = np.repeat(np.arange(order.shape[0]), order.shape[1]), order.ravel()
    marks = t[row, gene] > 0
    row, gene = row[marks], gene[marks]
    by_group = {"node": contrast.node[row], "n_cells": contrast.n_cells[row], "n_siblings": contrast.n_siblings[row]}
    return {**by_group, "gene": gene, **{name: table[row, gene] for name, table in contrast.by_gene.items()}}

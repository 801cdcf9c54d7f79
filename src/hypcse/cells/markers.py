"""Groups of cells beside their siblings: means, effect sizes and Welch's t of every gene, a few groups at a time."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from operator import index
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import stdtr

from hypcse._checks import HypcseWarning, check_count
from hypcse.cells.groups import Level, read_levels, tree
from hypcse.tree import Tree
from hypcse.tree.nodes import choose_nodes, outline

BLOCK = 4_000_000
"""Numbers in one table of groups by genes; more groups are taken in parts."""
ROUNDING = 1e-12
"""Differences of sums that are smaller than this share of the sums are taken for rounding."""


class Contrast(NamedTuple):
    """Groups beside their siblings, row by row. All but `node` and the numbers of cells are (k, genes)."""

    node: NDArray[np.int64]
    n_cells: NDArray[np.int64]
    n_siblings: NDArray[np.int64]
    difference: NDArray[np.float64]
    effect: NDArray[np.float64]
    t: NDArray[np.float64]
    freedom: NDArray[np.float64]
    share: NDArray[np.float64]
    share_siblings: NDArray[np.float64]


def contrasts(whole: Tree, labels: list[NDArray[np.int64]], X: Any, min_cells: int) -> Iterator[Contrast]:
    """All groups beside their siblings, a few at a time, so that no table of all groups by all genes is made."""
    # In double precision, because a variance is a small difference of large sums; and once, not in every product.
    X = X.astype(np.float64)
    squares, positive = X**2, (X > 0).astype(np.float64)
    layers = choose_nodes(whole, labels, min_cells).layers()
    before = next(layers).members
    for layer in layers:
        step = max(1, BLOCK // X.shape[1])
        n_cells, n_before = np.diff(layer.members.indptr), np.diff(before.indptr)
        for above in np.unique(layer.above):
            parent = [_summed(before[[above]], part) for part in (X, squares, positive)]
            here = np.flatnonzero(layer.above == above)
            for some in (here[k : k + step] for k in range(0, here.size, step)):
                sums = [_summed(layer.members[some], part) for part in (X, squares, positive)]
                yield _contrast(layer.node[some], n_cells[some], sums, int(n_before[above]), parent)
        before = layer.members


def _summed(members: sparse.csr_array, part: Any) -> NDArray[np.float64]:
    found = members @ part
    return found.toarray() if sparse.issparse(found) else np.asarray(found, np.float64)


def _contrast(
    node: NDArray[np.int64],
    n_cells: NDArray[np.int64],
    sums: list[NDArray[np.float64]],
    n_parent: int,
    parent: list[NDArray[np.float64]],
) -> Contrast:
    """Welch's t and effect sizes, of sums of values, of their squares and of cells above 0."""
    n, m = n_cells[:, None], n_parent - n_cells[:, None]
    total, squared, above = sums
    other, other_squared, other_above = (whole - part for whole, part in zip(parent, sums, strict=True))
    difference = total / n - other / np.maximum(m, 1)
    # What is left of equal means by rounding is none.
    size = np.abs(total) / n + np.abs(parent[0]) / np.maximum(m, 1)
    difference = np.where(np.abs(difference) > ROUNDING * size, difference, 0.0)
    variance, other_variance = _variance(total, squared, n, squared), _variance(other, other_squared, m, parent[1])
    error = variance / n + other_variance / np.maximum(m, 1)
    pooled = ((n - 1) * variance + np.maximum(m - 1, 0) * other_variance) / np.maximum(n + m - 2, 1)
    freedom = _ratio(
        error**2,
        (variance / n) ** 2 / np.maximum(n - 1, 1) + (other_variance / np.maximum(m, 1)) ** 2 / np.maximum(m - 1, 1),
    )
    # A single sibling has no variance, and none has no mean: such a group has no markers.
    t = np.where(m >= 2, _ratio(difference, np.sqrt(error)), 0.0)
    effect = _ratio(difference, np.sqrt(pooled))
    shares = above / n, other_above / np.maximum(m, 1)
    return Contrast(node, n_cells, n_parent - n_cells, difference, effect, t, freedom, *shares)


def _variance(
    total: NDArray[np.float64], squared: NDArray[np.float64], n: NDArray[np.int64], size: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Unbiased; what is left of a constant by rounding, beside sums of this size, is none."""
    n = np.maximum(n, 1)
    spread = squared - total**2 / n
    return np.where(spread > ROUNDING * size, spread, 0.0) / np.maximum(n - 1, 1)


def _ratio(above: NDArray[np.float64], below: NDArray[np.float64]) -> NDArray[np.float64]:
    """Infinite, with the sign of what is above, where there is nothing below; 0 where there is nothing at all."""
    limit = np.where(above == 0, 0.0, np.copysign(np.inf, above))
    return np.divide(above, below, out=limit, where=below > 0)


if TYPE_CHECKING:
    from anndata import AnnData
    from pandas import DataFrame

LOOKED_AT = 10_000
"""Values by which counts are told from their logarithms."""


def find_markers(
    adata: AnnData,
    *,
    key: str = "hypcse",
    layer: str | None = None,
    levels: int | Sequence[int] | None = None,
    n_genes: int = 10,
    min_cells: int = 10,
) -> DataFrame:
    """The genes that are higher in each group than in its siblings, and write them into `adata`.

    The siblings of a group are the other cells of the group that it lies in, one level up; on the first level, all
    other cells. Call it on logarithms of normalised counts.

    Parameters
    ----------
    adata
        Cells that `hierarchy` has seen; the table is written into `uns[key]["markers"]`.
    key
        What `hierarchy` was given as `key_added`.
    layer
        The layer to compare, instead of X.
    levels
        Which levels to list, from 1 for the coarsest, or one of them; by default all. Siblings do not depend on it.
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
    Genes are ranked by Welch's t, the difference of the means over its standard error; only those with t > 0 are kept.

    node, level, group : the node of the tree, and the first level and the category that it is.
    n_cells, n_siblings : numbers of cells compared.
    difference : of the means; of natural logarithms, 0.69 is twice as much.
    effect : the difference in pooled standard deviations (Cohen's d), which does not grow with the number of cells.
    share, share_siblings : of the cells in which the gene is above 0.
    t, p_value : of Welch's test, two-sided.
    p_adjusted : times the number of genes and of groups tested (Bonferroni).

    The groups were found in the same data that the test looks at, so p-values are too small, adjusted or not. They rank
    genes. Whether groups are real is what `uns[key]["structure"]` and `hypcse.stability` speak about.

    Examples
    --------
    >>> import anndata
    >>> from hypcse.cells import hierarchy
    >>> X = np.random.default_rng(0).normal(size=(60, 5))
    >>> X[:30, 2] += 9
    >>> adata = anndata.AnnData(X)
    >>> tree = hierarchy(adata, resolutions=[2])
    >>> find_markers(adata, n_genes=1)["gene"].tolist()[0]
    '2'
    """
    check_count("n_genes", n_genes, 1)
    check_count("min_cells", min_cells, 2)
    every = read_levels(adata, key)
    X, whole = _values(adata, layer), tree(adata, key)
    first = _first_levels(whole, _wanted(every, levels))
    rows, n_groups = [], 0
    # All levels, whichever are asked for: the siblings of a group are those of the level above.
    for contrast in contrasts(whole, [level.labels for level in every], X, min_cells):
        wanted = np.array([node in first for node in contrast.node.tolist()], bool)
        rows.append(_table(contrast, n_genes, wanted))
        n_groups += int(wanted.sum())
    parts = {name: np.concatenate([row[name] for row in rows]) if rows else np.empty(0) for name in _COLUMNS}
    found = _frame(adata, parts, first, n_tests=X.shape[1] * n_groups)
    adata.uns[key] = {**adata.uns[key], "markers": found}
    return found


_COLUMNS = ("node", "n_cells", "n_siblings", "gene", "difference", "effect", "share", "share_siblings", "t", "freedom")


def _wanted(found: list[Level], levels: int | Sequence[int] | None) -> dict[int, Level]:
    """Levels by their number."""
    given = (levels,) if isinstance(levels, int | np.integer) else levels
    chosen = range(1, len(found) + 1) if given is None else sorted({index(number) for number in given})
    for number in chosen:
        if not 1 <= number <= len(found):
            raise ValueError(f"levels has {number}, and there are levels 1 to {len(found)}. Choose among these.")
    if not chosen:
        raise ValueError("levels is empty. Pass at least one level, or None for all.")
    return {number: found[number - 1] for number in chosen}


def _values(adata: Any, layer: str | None) -> Any:
    """Cells by genes, sparse rows or dense, finite; with a warning where they look like counts."""
    if layer is not None and layer not in adata.layers:
        raise ValueError(
            f"layer={layer!r} is not in layers. Choose one of {', '.join(map(repr, adata.layers))} or None."
        )
    X = adata.X if layer is None else adata.layers[layer]
    if X is None:
        raise ValueError("adata.X is None, so there are no genes to compare. Pass layer=.")
    X = sparse.csr_array(X) if sparse.issparse(X) else np.asarray(X)
    known = np.asarray(X.data if sparse.issparse(X) else X).ravel()
    if not np.isfinite(known.sum(dtype=np.float64)):
        raise ValueError("the values of genes are not all finite. Remove or replace those that are not.")
    some = known[:LOOKED_AT]
    if some.size and some.max() > 1 and (some == np.round(some)).all():
        warnings.warn(
            "the values look like counts: they are whole numbers. Markers compare means of logarithms; call "
            "scanpy.pp.normalize_total and scanpy.pp.log1p first, or name a layer that holds them.",
            HypcseWarning,
            stacklevel=3,
        )
    return X


def _table(contrast: Contrast, n_genes: int, wanted: NDArray[np.bool_]) -> dict[str, NDArray[Any]]:
    """The genes of largest t above 0 of each group that is wanted, row by row."""
    order = np.argsort(-contrast.t, axis=1, kind="stable")[:, :n_genes]
    row = np.repeat(np.arange(order.shape[0]), order.shape[1])
    gene = order.ravel()
    kept = wanted[row] & (contrast.t[row, gene] > 0)
    row, gene = row[kept], gene[kept]
    by_group = {name: getattr(contrast, name)[row] for name in ("node", "n_cells", "n_siblings")}
    by_gene = {name: getattr(contrast, name)[row, gene] for name in _COLUMNS[4:]}
    return {**by_group, "gene": gene, **by_gene}


def _first_levels(whole: Tree, levels: dict[int, Level]) -> dict[int, tuple[int, int, str]]:
    """Of each node that is a group, the first level, and its place and its name there."""
    found: dict[int, tuple[int, int, str]] = {}
    for number, level in levels.items():
        nodes = outline(whole, level.labels).node[: len(level.names)].tolist()
        for place, (node, name) in enumerate(zip(nodes, level.names, strict=True)):
            found.setdefault(node, (number, place, name))
    return found


def _frame(
    adata: Any, parts: dict[str, NDArray[Any]], first: dict[int, tuple[int, int, str]], n_tests: int
) -> DataFrame:
    """The table, by level, then by group, with p-values and names."""
    import pandas as pd

    places = [first[int(node)] for node in parts["node"]]
    order = sorted(range(len(places)), key=lambda row: places[row][:2])
    parts = {name: part[order] for name, part in parts.items()}
    p_value = 2 * stdtr(np.maximum(parts.pop("freedom"), 1), -parts["t"])
    genes = [str(name) for name in adata.var_names]
    # As objects: some versions of anndata cannot write the strings of pandas 3.
    return pd.DataFrame(
        {
            "node": parts.pop("node").astype(np.int64),
            "level": np.array([places[row][0] for row in order], np.int64),
            "group": np.array([places[row][2] for row in order], dtype=object),
            "gene": np.array([genes[int(gene)] for gene in parts.pop("gene")], dtype=object),
            **parts,
            "p_value": p_value,
            "p_adjusted": np.minimum(1.0, p_value * n_tests),
        }
    )

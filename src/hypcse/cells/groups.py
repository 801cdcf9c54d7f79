"""Groups of cells: their names, and the tree over them as scanpy's plots read it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hypcse.tree import Tree
from hypcse.tree.flat import by_size, count_clusters
from hypcse.tree.outline import outline

MAX_GROUPS = 500
"""Groups up to which their dendrogram is written: SciPy's recurses, and no plot of scanpy's shows more."""


def categories(labels: NDArray[np.int64]) -> Any:
    """Labels as a pandas categorical "0", "1", ..., the largest group first; "outliers" last, where there are any."""
    try:
        import pandas
    except ImportError:
        raise ImportError(
            'cells need the packages anndata and pandas, which are not installed. pip install "hypcse[cells]"'
        ) from None
    # As objects: some versions of anndata cannot write the strings of pandas 3.
    n_groups = int(labels.max()) + 1
    named = [*map(str, range(n_groups)), *(["outliers"] if labels.min() < 0 else [])]
    numbers = by_size(labels)
    return pandas.Categorical.from_codes(np.where(numbers < 0, n_groups, numbers), pandas.Index(named, dtype=object))


def group_dendrogram(tree: Tree, labels: NDArray[np.int64], key: str, used: str) -> dict[str, Any] | None:
    """What `scanpy.tl.dendrogram` would write for these groups, from the tree itself; None where nothing can be drawn.

    For the correlation of two groups stands 1 - h / top, h the height at which they meet.
    """
    from scipy.cluster.hierarchy import cophenet, dendrogram
    from scipy.spatial.distance import squareform

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

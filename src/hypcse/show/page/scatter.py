"""Places of leaves in a plane, for the scatter beside the tree: a given embedding, or two principal components."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hypcse._checks import check_features
from hypcse._choices import Scale
from hypcse.graph.scaling import fit_scaling
from hypcse.points import Points
from hypcse.points.convert import is_cells
from hypcse.show.page.packing import pack
from hypcse.tree import Tree
from hypcse.tree.checks import match_names

MAX_POINTS = 200_000
"""Leaves up to which a page has a scatter."""
STEPS = 65_535
"""Each axis is held in so many steps: more than any screen has pixels."""
UMAP = "X_umap"


class Plane(NamedTuple):
    """Places of the leaves, (n, 2), and titles of both axes."""

    places: NDArray[np.floating]
    titles: tuple[str, ...]


def scatter_contents(
    tree: Tree, source: Any, points: Points, embedding: ArrayLike | None, scale: Scale
) -> dict[str, Any] | None:
    """What a page holds of the scatter; None without an embedding and features, or with too many leaves."""
    n = tree.n_leaves
    if embedding is None:
        plane = _plane(source, points, scale) if 1 < n <= MAX_POINTS else None
    else:
        plane = _check_embedding(embedding, n)
    if plane is None or n > MAX_POINTS:
        return None
    places, titles = plane
    low, span = places.min(axis=0), np.ptp(places, axis=0)
    steps = np.round((places - low) / np.where(span > 0, span, 1) * STEPS).astype(np.uint16)
    return {"x": pack(steps[:, 0]), "y": pack(steps[:, 1]), "titles": list(titles)}


def _check_embedding(embedding: ArrayLike, n_leaves: int) -> Plane:
    places = check_features(embedding).astype(np.float64)
    if places.shape != (n_leaves, 2):
        raise ValueError(f"embedding has shape {places.shape}; pass one row per leaf, {n_leaves}, and two columns.")
    return Plane(places, tuple(map(str, getattr(embedding, "columns", ("embedding 1", "embedding 2")))))


def _plane(source: Any, points: Points, scale: Scale) -> Plane | None:
    """A table of two columns as it is; of others two principal components, on the scale of the distances."""
    from sklearn.decomposition import PCA

    if points.features is not None and points.features.shape[1] == 2:
        return Plane(points.table.astype(np.float64), points.feature_names or ("column 1", "column 2"))
    own = getattr(source, "_scaled", None)
    scaled = own if points.features is None else fit_scaling(points.table, scale, points.kinds)[1]
    if scaled is None or scaled.shape[1] < 2 or not np.ptp(scaled, axis=0).any():
        return None
    found = PCA(2, random_state=0).fit(scaled)
    shares = enumerate(found.explained_variance_ratio_, 1)
    return Plane(found.transform(scaled), tuple(f"component {k}: {share:.0%} of the variance" for k, share in shares))


def umap_of(cells: Any, tree: Tree) -> Any:
    """The UMAP of an AnnData in the order of the leaves; None of anything else."""
    if not is_cells(cells) or UMAP not in cells.obsm or np.shape(cells.obsm[UMAP])[1] != 2:
        return None
    import pandas as pd

    names = tuple(map(str, cells.obs_names))
    umap = np.asarray(cells.obsm[UMAP])
    if tree.names is not None and set(names) == set(tree.names):
        umap = umap[match_names(tree.names, names, "the tree", "the points")]
    return pd.DataFrame(umap, columns=["UMAP 1", "UMAP 2"])

"""`hypcse.cells.hierarchy`: one call from an AnnData to labels, linkage, embedding and dendrogram inside it."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hypcse._checks import HypcseWarning, check_choice, check_count
from hypcse._random import check_seed
from hypcse.cells.groups import categories, group_dendrogram
from hypcse.cells.source import Cells, cells_of
from hypcse.chance import Structure, beyond_chance
from hypcse.discrete import graph_linkage, join_components, levels, refine
from hypcse.discrete.levels import Levels, levels_and_main
from hypcse.tree import Tree
from hypcse.tree.disk import tree_layout

if TYPE_CHECKING:
    from anndata import AnnData

Labels = NDArray[np.int64]


def hierarchy(
    adata: AnnData,
    *,
    use: str = "auto",
    method: str = "search",
    resolutions: int | Sequence[int] | None = None,
    n_neighbors: int = 10,
    key_added: str = "hypcse",
    random_state: int = 0,
) -> Tree:
    """Cluster cells at several nested resolutions, and write all of it into `adata`. Returns the tree.

    use         : "auto" for obsp["connectivities"] where there is one, else obsm["X_pca"], else X; or "X", or a key of
                  `obsp` or `obsm`. Of features the similarity graph is made, with `n_neighbors` and no scaling.
                  Components of a graph are joined by the representation it was made of, where that is there.
    method      : "search" for linkage on the graph and refinement, "hypcse" for the trained estimator.
    resolutions : None for the levels that the entropy gives, a number of such levels, or numbers of clusters.
    key_added   : what the fields are called.

    With the default key these are written, all of which survive `write_h5ad`:

    obs["hypcse_1"], obs["hypcse_2"], ... : categories from coarse to fine, each nested in the one before, named "0",
        "1", ... by falling size; obs["hypcse"] is the main one of them, to look at first.
    obsm["X_hypcse"] : the cells in the Poincare ball, as trained; by "search", in the disk as the tree lays them out.
    uns["hypcse"] : "linkage", SciPy's matrix over all cells; "levels", the numbers of clusters; "main_level", which of
        them, from 1, obs["hypcse"] is; "structure", what there is beyond chance (where nothing is, and no
        `resolutions` are asked for, obs["hypcse"] is one group); "params".
    uns["dendrogram_hypcse"] : the tree over the groups of obs["hypcse"], of which there are 2 to 500, as scanpy's plots
        read it.
    """
    check_choice("method", method, ("search", "hypcse"))
    seed = check_seed(random_state)
    cells = cells_of(adata, use, n_neighbors)
    check_count("the number of cells", cells.graph.n_vertices, 2)
    tree, embedding = _searched(cells, seed) if method == "search" else _trained(cells, seed)
    structure = _structure(cells, seed)
    found = _partitions(tree, cells, resolutions, structure)
    partitions = found.labels
    _clear(adata, key_added)
    for number, labels in enumerate(partitions, start=1):
        adata.obs[f"{key_added}_{number}"] = categories(labels)
    adata.obs[key_added] = categories(partitions[found.main])
    adata.obsm[f"X_{key_added}"] = embedding
    adata.uns[key_added] = {
        "linkage": tree.to_linkage(),
        "levels": np.array([labels.max() + 1 for labels in partitions]),
        "main_level": found.main + 1,
        "structure": asdict(structure),
        "params": {"use": cells.used, "method": method, "random_state": seed, "n_neighbors": n_neighbors},
    }
    dendrogram = group_dendrogram(tree, partitions[found.main], key_added, cells.used)
    if dendrogram is not None:
        adata.uns[f"dendrogram_{key_added}"] = dendrogram
    return Tree(tree.parent, tree.height, tuple(map(str, adata.obs_names)))


def _searched(cells: Cells, seed: int) -> tuple[Tree, NDArray[np.float64]]:
    tree = refine(graph_linkage(cells.graph), cells.graph, random_state=seed)
    tree = _joined(tree, cells)
    layout = tree_layout(tree)
    place = (np.tanh(layout.radius / 2) * np.exp(1j * layout.angle))[: tree.n_leaves]
    return tree, np.column_stack([place.real, place.imag])


def _trained(cells: Cells, seed: int) -> tuple[Tree, NDArray[np.float64]]:
    from hypcse.estimator import HypCSE

    with warnings.catch_warnings():
        if cells.behind is not None:
            # The estimator does not know what the graph was made of; its components are joined here.
            warnings.filterwarnings("ignore", "the graph has .* components", HypcseWarning)
        model = HypCSE(random_state=seed, scale="none").fit(cells.features, graph=cells.graph)
    return (model.tree_ if cells.behind is None else _joined(model.tree_, cells)), model.embedding_


def _joined(tree: Tree, cells: Cells) -> Tree:
    """The tree with what no edge joins joined by the features, or by what the graph was made of."""
    known = cells.features if cells.features is not None else cells.behind
    return join_components(tree, cells.graph, known, scale="none", metric=cells.metric, bridges=True)


def _structure(cells: Cells, seed: int) -> Structure:
    """Of the features, or of what the graph was made of; of the graph where neither is there."""
    known = cells.features if cells.features is not None else cells.behind
    if known is None:
        return beyond_chance(cells.graph, random_state=seed)
    return beyond_chance(known, scale="none", metric=cells.metric, random_state=seed)


def _partitions(tree: Tree, cells: Cells, resolutions: int | Sequence[int] | None, structure: Structure) -> Levels:
    """Nested labels from coarse to fine, and which to look at first: of those asked for, the coarsest.

    A level that repeats the one before is left out.
    """
    if resolutions is None:
        return levels_and_main(tree, cells.graph, structure.found)
    if isinstance(resolutions, int):
        found = levels(tree, cells.graph, resolutions)
    else:
        if len(resolutions) == 0:
            raise ValueError("resolutions is empty. Pass at least one number of clusters, or None.")
        found = levels(tree, cells.graph, n_clusters=resolutions)
    return Levels([labels for k, labels in enumerate(found) if k == 0 or labels.max() > found[k - 1].max()], 0)


def _clear(adata: Any, key: str) -> None:
    """Take away what an earlier call wrote and this one might not."""
    earlier = adata.uns.get(key)
    for number in range(1, 1 + (len(earlier["levels"]) if isinstance(earlier, dict) and "levels" in earlier else 0)):
        if f"{key}_{number}" in adata.obs:
            del adata.obs[f"{key}_{number}"]
    adata.uns.pop(f"dendrogram_{key}", None)

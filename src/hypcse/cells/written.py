"""What `hierarchy` wrote into an AnnData, read again: the tree and its levels, also after a file."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypcse.tree import Tree

if TYPE_CHECKING:
    from anndata import AnnData


def tree(adata: AnnData, key: str = "hypcse") -> Tree:
    """The tree that `hierarchy` wrote into cells, also after they were saved and read.

    Parameters
    ----------
    adata
        The cells.
    key
        What `hierarchy` was given as `key_added`.

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
        raise ValueError(
            f"uns[{key!r}] is about {n_cells} cells, and there are {adata.n_obs}. "
            "Call hypcse.cells.hierarchy(adata) again."
        )
    # Earlier versions wrote no digest.
    if entry.get("cells", "") not in ("", digest_of_cells(adata)):
        raise ValueError(
            f"the cells were reordered or renamed after uns[{key!r}] was written. "
            "Call hypcse.cells.hierarchy(adata) again."
        )
    return entry


def digest_of_cells(adata: Any) -> str:
    """A digest of the names of the cells in their order; it is kept as text in a file."""
    found = hashlib.sha256()
    for name in adata.obs_names:
        found.update(str(name).encode("utf-8", "surrogatepass") + b"\0")
    return found.hexdigest()


class Level(NamedTuple):
    """The groups of one level: the number of each cell's, and what they are called."""

    labels: NDArray[np.int64]
    names: list[str]


def read_levels(adata: Any, key: str) -> list[Level]:
    """The levels, coarse to fine; groups that were renamed have their new names."""
    columns = [f"{key}_{number}" for number in range(1, 1 + len(written(adata, key)["levels"]))]
    missing = [column for column in columns if column not in adata.obs]
    if missing:
        raise ValueError(f"obs has no column {missing[0]!r}. Call hypcse.cells.hierarchy(adata) again.")
    found = [adata.obs[column].astype("category").cat for column in columns]
    return [Level(one.codes.to_numpy().astype(np.int64), list(map(str, one.categories))) for one in found]

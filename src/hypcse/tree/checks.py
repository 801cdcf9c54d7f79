"""Checks that parents, heights and names form a tree."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from hypcse._arrays import hold, plain
from hypcse._checks import check_finite, first_duplicate
from hypcse.kernels.arrays import Flags, Ids, Reals


def check_parents(values: ArrayLike) -> Ids:
    """Parents as a read-only array; raise unless they form a tree with its leaves first and its root last."""
    parent = plain("parent", values)
    if parent.size and parent.dtype.kind not in "iu":
        raise TypeError(f"parent must hold integers, got {parent.dtype}.")
    if parent.ndim != 1 or parent.size < 1:
        raise ValueError(f"parent has shape {parent.shape}; a tree has at least one node, in one dimension.")
    parent = hold(parent, np.int64)
    if parent[-1] != -1:
        raise ValueError(f"the last node must be the root, with parent -1, got parent {parent[-1]}.")
    wrong = (parent[:-1] <= np.arange(parent.size - 1)) | (parent[:-1] >= parent.size)
    if wrong.any():
        node = int(np.argmax(wrong))
        raise ValueError(
            f"node {node} has parent {parent[node]}, but every node except the last needs a parent with a larger id "
            f"below {parent.size}."
        )
    n_children = np.bincount(parent[:-1], minlength=parent.size)
    n_leaves = int(np.count_nonzero(n_children == 0))
    inner = n_children[:n_leaves] > 0
    if inner.any():
        node = int(np.argmax(inner))
        raise ValueError(f"node {node} has children, but the {n_leaves} leaves must be nodes 0 .. {n_leaves - 1}.")
    single = n_children == 1
    if single.any():
        node = int(np.argmax(single))
        raise ValueError(f"node {node} has one child; an internal node needs at least 2. Merge it with its child.")
    return parent


def check_heights(values: ArrayLike, parent: Ids, n_leaves: int) -> Reals:
    """Heights as a read-only array; raise unless leaves lie at 0 and no child lies above its parent."""
    height = hold(values, np.float64)
    if height.shape != parent.shape:
        raise ValueError(f"height has shape {height.shape}, but there are {parent.size} nodes.")
    check_finite("height", height)
    if height[:n_leaves].any():
        leaf = int(np.flatnonzero(height[:n_leaves])[0])
        raise ValueError(f"leaf {leaf} has height {height[leaf]}; leaves have height 0.")
    falls = height[parent[:-1]] < height[:-1]
    if falls.any():
        node = int(np.argmax(falls))
        raise ValueError(
            f"node {node} at height {height[node]} lies above its parent {parent[node]} at "
            f"{height[parent[node]]}; heights must not decrease upwards."
        )
    return height


def check_names(names: Sequence[str], n_leaves: int) -> tuple[str, ...]:
    """The names as a tuple with one string per leaf."""
    if isinstance(names, str):
        raise TypeError(f"names={names!r} is one string; pass a list with one name per leaf.")
    names = tuple(names)
    if len(names) != n_leaves:
        raise ValueError(f"there are {len(names)} names for {n_leaves} leaves. Pass one name per leaf.")
    for position, name in enumerate(names):
        if not isinstance(name, str):
            raise TypeError(f"name {position} is {name!r}, a {type(name).__name__}; names are strings.")
    return names


def node_ids(name: str, values: ArrayLike, n_nodes: int, kind: str = "nodes") -> Ids:
    """Node ids, of any shape; `name` is the caller's name for them."""
    ids = plain(name, values)
    if ids.size and ids.dtype.kind not in "iu":
        raise TypeError(f"{name} must hold node ids (integers), got {ids.dtype}.")
    if ids.size and (ids.min() < 0 or ids.max() >= n_nodes):
        wrong = ids.min() if ids.min() < 0 else ids.max()
        raise ValueError(f"{name} names {wrong}, but {kind} are 0 .. {n_nodes - 1}.")
    return ids.astype(np.int64)


def leaf_mask(keep: ArrayLike, n_leaves: int) -> Flags:
    """A mask of the leaves, from a mask or from leaf ids; at least one must be set."""
    leaves = plain("keep", keep)
    if leaves.dtype == np.bool_:
        if leaves.shape != (n_leaves,):
            raise ValueError(f"keep has shape {leaves.shape}, but there are {n_leaves} leaves. Pass one mark per leaf.")
        leaves = np.flatnonzero(leaves)
    if leaves.size == 0:
        raise ValueError("keep is empty; a tree has at least one leaf.")
    mask = np.zeros(n_leaves, np.bool_)
    mask[node_ids("keep", leaves, n_leaves, "leaves")] = True
    return mask


def match_names(wanted: Sequence[str], held: Sequence[str], wanted_by: str, held_by: str) -> Ids:
    """Position in `held` of each wanted name. Both must hold the same names, each once; `..._by` say whose they are.

    Newick reads a bare a_b as 'a b', but many programs write it for 'a_b': if the names differ as written, underscores
    and blanks count as equal, unless that would make two names of one side the same.
    """
    for names, owner in ((wanted, wanted_by), (held, held_by)):
        twice = first_duplicate(names)
        if twice is not None:
            raise ValueError(f"{owner} names leaf {twice!r} twice; leaf names must be unique. Rename one of them.")
    if set(wanted) != set(held):
        blank_wanted, blank_held = ([name.replace("_", " ") for name in names] for names in (wanted, held))
        if len(set(blank_wanted)) != len(wanted) or set(blank_wanted) != set(blank_held):
            raise _mismatch(wanted, held, wanted_by, held_by)
        wanted, held = blank_wanted, blank_held
    position = {name: k for k, name in enumerate(held)}
    return np.array([position[name] for name in wanted], dtype=np.int64)


def _mismatch(wanted: Sequence[str], held: Sequence[str], wanted_by: str, held_by: str) -> ValueError:
    known = set(held)
    extra = next((name for name in wanted if name not in known), None)
    if extra is None:
        return _mismatch(held, wanted, held_by, wanted_by)
    shown = ", ".join(map(repr, held[:3])) + (", ..." if len(held) > 3 else "")
    return ValueError(f"{wanted_by} names leaf {extra!r}, but {held_by} has {shown}; both must name the same leaves.")

"""`Tree`: returned by every method, and taken by every metric, cut and export."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hypcse._arrays import freeze
from hypcse._checks import check_choice, check_count, check_finite, check_number, first_duplicate
from hypcse._choices import HeightUnit
from hypcse._notebook import ShowsItself
from hypcse.kernels.trees.ancestors import AncestorIndex, ancestor_index, pair_ancestors
from hypcse.kernels.trees.sweep import layout, leaf_labels
from hypcse.tree.checks import check_heights, check_names, check_parents, leaf_mask, match_names, node_ids
from hypcse.tree.formats import linkage_to_parents, make_networkx, parents_to_linkage, read_json, write_json
from hypcse.tree.newick import read_newick, read_note, write_newick
from hypcse.tree.numbering import attach_leaves, canonical, keep_leaves, renumber

if TYPE_CHECKING:
    import networkx


@dataclass(frozen=True, eq=False, repr=False)
class Tree(ShowsItself):
    """A rooted tree over n points, binary or not.

    Nodes 0 .. n - 1 are the leaves. Every child comes before its parent, so the root is last.

    Parameters
    ----------
    parent
        (n_nodes,) the parent of each node, -1 at the root.
    height
        (n_nodes,) the height of each node: 0 at leaves, never decreasing upwards.
    names
        One name per leaf, or None; used in every export.
    unit
        What heights measure: "volume", log2 of the volume of a node in its graph over that of its smallest leaf, as in
        every tree that was searched on a graph; "distance"; None if that is not known.
    joined_from
        Nodes from this height on were joined by distance, because no edges, or almost none, join them; see
        `join_components`. Their heights are distances, whatever the unit is. Infinite if there are none.

    Examples
    --------
    >>> tree = Tree(parent=[3, 3, 4, 4, -1], height=[0, 0, 0, 1, 2])
    >>> tree.cut(n_clusters=2).tolist()
    [0, 0, 1]
    """

    parent: NDArray[np.int64]
    height: NDArray[np.float64]
    names: tuple[str, ...] | None = None
    unit: HeightUnit | None = None
    joined_from: float = math.inf

    def __post_init__(self) -> None:
        object.__setattr__(self, "parent", check_parents(self.parent))
        object.__setattr__(self, "height", check_heights(self.height, self.parent, self.n_leaves))
        if self.names is not None:
            object.__setattr__(self, "names", check_names(self.names, self.n_leaves))
        if self.unit is not None:
            check_choice("unit", self.unit, HeightUnit)
        if self.joined_from != math.inf:
            object.__setattr__(self, "joined_from", check_number("joined_from", self.joined_from, 0))

    @cached_property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return int(np.count_nonzero(self.n_children == 0))

    @property
    def n_nodes(self) -> int:
        """Number of nodes, leaves included."""
        return self.parent.size

    @property
    def root(self) -> int:
        """Id of the root: the last node."""
        return self.n_nodes - 1

    @cached_property
    def n_children(self) -> NDArray[np.int64]:
        """Number of children of each node."""
        return freeze(np.bincount(self.parent[:-1], minlength=self.n_nodes))

    @property
    def is_binary(self) -> bool:
        """Whether every internal node has exactly two children."""
        return self.n_nodes == 2 * self.n_leaves - 1

    @property
    def joined_by_distance(self) -> NDArray[np.bool_]:
        """Whether each node was joined by distance; see `joined_from`."""
        return (self.height >= self.joined_from) & (self.n_children > 0)

    @cached_property
    def _layout(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        size, start = layout(self.parent, self.n_leaves)
        return freeze(size), freeze(start)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Number of leaves under each node."""
        return self._layout[0]

    @property
    def first_positions(self) -> NDArray[np.int64]:
        """Position, from left to right, of the first leaf under each node."""
        return self._layout[1]

    @cached_property
    def ancestor_index(self) -> AncestorIndex:
        """Index for lowest common ancestors; built once, O(n)."""
        return ancestor_index(self.parent, self.first_positions, self.n_leaves)

    @overload
    def lca(self, i: int, j: int) -> np.int64: ...
    @overload
    def lca(self, i: ArrayLike, j: ArrayLike) -> NDArray[np.int64]: ...
    def lca(self, i: ArrayLike, j: ArrayLike) -> NDArray[np.int64] | np.int64:
        """Lowest common ancestor of nodes i and j, element by element, O(1) per pair; one id for two ids.

        Parameters
        ----------
        i, j
            Nodes: two ids, or arrays of ids that broadcast.

        Returns
        -------
        int or ndarray
            Id of the ancestor, one per pair.

        Examples
        --------
        >>> Tree(parent=[3, 3, 4, 4, -1], height=[0, 0, 0, 1, 2]).lca([0, 0], [1, 2])
        array([3, 4])
        """
        first, second = np.broadcast_arrays(node_ids("i", i, self.n_nodes), node_ids("j", j, self.n_nodes))
        flat = np.ascontiguousarray(first).ravel(), np.ascontiguousarray(second).ravel()
        return pair_ancestors(self.ancestor_index, self.first_positions, self.sizes, *flat).reshape(first.shape)[()]

    def leaves(self, node: int | np.integer) -> NDArray[np.int64]:
        """The leaves under a node, ascending.

        Parameters
        ----------
        node
            Id of the node.

        Returns
        -------
        ndarray
            Ids of leaves.
        """
        node = check_count("node", node, 0, self.root)
        first = self.first_positions[node]
        return np.sort(self.leaf_order()[first : first + self.sizes[node]])

    def leaf_order(self) -> NDArray[np.int64]:
        """Return the leaves from left to right, as in a drawing without crossings: children in the order of their ids.

        Returns
        -------
        ndarray of shape (n,)
            Ids of the leaves.
        """
        order = np.empty(self.n_leaves, np.int64)
        order[self.first_positions[: self.n_leaves]] = np.arange(self.n_leaves)
        return order

    def cut(
        self, n_clusters: int | None = None, height: float | None = None, max_size: int | None = None
    ) -> NDArray[np.int64]:
        """Flat clusters, by exactly one of three rules.

        Parameters
        ----------
        n_clusters
            Split from the top, highest node first. The result has fewer clusters if a multiway node would overshoot.
        height
            The largest clusters at or below this height.
        max_size
            The largest clusters of at most this many leaves.

        Returns
        -------
        ndarray of shape (n,)
            The cluster of each leaf, numbered from 0 by smallest leaf.
        """
        rules = {"n_clusters": n_clusters, "height": height, "max_size": max_size}
        chosen = [name for name, value in rules.items() if value is not None]
        if len(chosen) != 1:
            raise ValueError(f"cut takes exactly one of {', '.join(rules)}, got {' and '.join(chosen) or 'none'}.")
        if n_clusters is not None:
            check_count("n_clusters", n_clusters, 1, self.n_leaves)
            order = self.n_leaves + np.argsort(self.height[self.n_leaves :], kind="stable")[::-1]
            n_split = np.searchsorted(1 + np.cumsum(self.n_children[order] - 1), n_clusters, side="right")
            split = np.zeros(self.n_nodes, np.bool_)
            split[order[:n_split]] = True
        else:
            if height is not None:
                check_finite("height", np.array([height], dtype=np.float64))
                split = self.height > height
            else:
                split = self.sizes > check_count("max_size", max_size, 1)
            split[: self.n_leaves] = False
        return leaf_labels(self.parent, split, self.n_leaves)

    def subtree(self, node: int | np.integer) -> Tree:
        """The tree under a node. Its leaf k is `leaves(node)[k]`.

        Parameters
        ----------
        node
            Id of the node.

        Returns
        -------
        Tree
            The tree over those leaves.
        """
        return self.prune(self.leaves(node))

    def prune(self, keep: ArrayLike) -> Tree:
        """The tree over some of the leaves; heights do not change.

        Parameters
        ----------
        keep
            The leaves to keep: ids, or a boolean mask with one value per leaf.

        Returns
        -------
        Tree
            A tree whose leaf k is the k-th smallest of these leaves.
        """
        mask = leaf_mask(keep, self.n_leaves)
        parent, height = keep_leaves(self.parent, self.height, mask)
        names = None if self.names is None else tuple(self.names[k] for k in np.flatnonzero(mask))
        return replace(self, parent=parent, height=height, names=names)

    def attach(self, places: ArrayLike, names: Sequence[str] | None = None) -> Tree:
        """Add m new leaves: leaf n + k goes beside the subtree at node places[k]. `prune` gives the old tree back.

        A new node, half-way up to the parent (above the root: at its height), joins a subtree and all leaves that
        chose it.

        Parameters
        ----------
        places
            (m,) the node to put each new leaf beside.
        names
            Names of the new leaves; required if the old leaves have names, and not allowed otherwise.

        Returns
        -------
        Tree
            A tree over n + m leaves.

        Examples
        --------
        >>> Tree(parent=[2, 2, -1], height=[0, 0, 1]).attach([0, 0]).parent.tolist()
        [4, 5, 4, 4, 5, -1]
        """
        chosen = node_ids("places", places, self.n_nodes)
        if chosen.ndim != 1:
            raise ValueError(f"places has shape {chosen.shape}; pass one node per new leaf, in one dimension.")
        if self.names is None and names is not None:
            raise ValueError("there are names for the new leaves, but the old ones have none. Omit names.")
        joined = None
        if self.names is not None:
            joined = self.names + check_names(names or (), chosen.size)
            twice = first_duplicate(joined)
            if twice is not None and first_duplicate(self.names) is None:
                raise ValueError(f"the new leaf {twice!r} has the name of another leaf; leaf names must be unique.")
        parent, height = attach_leaves(self.parent, self.height, self.n_leaves, chosen)
        return replace(self, parent=parent, height=height, names=joined)

    def with_names(self, names: Sequence[str] | None) -> Tree:
        """The same tree with other leaf names, or without names.

        Parameters
        ----------
        names
            One per leaf, or None.

        Returns
        -------
        Tree
            The tree with these names.
        """
        return replace(self, names=None if names is None else tuple(names))

    def reordered(self, names: Sequence[str]) -> Tree:
        """The same tree with its leaves in another order: its leaf k is the leaf called names[k].

        Leaves without names are called "0", "1", ... If names differ as written, underscores and blanks count as equal,
        because Newick reads a bare a_b as 'a b'. The result has the names as given here.

        Parameters
        ----------
        names
            All names of the leaves, in the new order.

        Returns
        -------
        Tree
            The same tree over the leaves in that order.

        Examples
        --------
        >>> Tree.from_newick("((cat,fir_tree),dog);").reordered(["cat", "dog", "fir_tree"]).lca(0, 2)
        np.int64(3)
        """
        ordered = check_names(names, self.n_leaves)
        order = match_names(ordered, self._export_names(None), "the given order", "the tree")
        nodes = np.concatenate([order, np.arange(self.n_leaves, self.n_nodes)])
        parent, height = renumber(self.parent, self.height, nodes)
        return replace(self, parent=parent, height=height, names=ordered)

    def canonical(self) -> Tree:
        """The same tree with internal nodes numbered by (height, number of leaves, smallest leaf).

        Returns
        -------
        Tree
            An equal tree.
        """
        parent, height = canonical(self.parent, self.height, self.n_leaves)
        return replace(self, parent=parent, height=height)

    def __eq__(self, other: object) -> bool:
        """Whether both have the same clusters, heights and leaf names, however internal nodes are numbered."""
        if not isinstance(other, Tree):
            return NotImplemented
        if self.n_nodes != other.n_nodes or self.names != other.names:
            return False
        mine, theirs = self.canonical(), other.canonical()
        return np.array_equal(mine.parent, theirs.parent) and np.array_equal(mine.height, theirs.height)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        kind = "binary" if self.is_binary else "multiway"
        return f"Tree({self.n_leaves:,} leaves, {self.n_nodes:,} nodes, {kind}, height {self.height[-1]:.4g})"

    @classmethod
    def from_linkage(cls, Z: ArrayLike, names: Sequence[str] | None = None, unit: HeightUnit | None = None) -> Tree:
        """From a SciPy linkage matrix, or a dendrogram of scikit-network; merge k makes node n + k.

        Decreasing heights (centroid linkage) are lifted. Infinite heights, at which scikit-network joins the components
        of a graph, become twice the largest finite one (1 if that is 0), so that those merges stay above all others.

        Parameters
        ----------
        Z
            The (n - 1, 4) linkage matrix.
        names
            One per leaf, or None.
        unit
            What heights measure, which the matrix cannot say; see `Tree`.

        Returns
        -------
        Tree
            A binary tree.
        """
        parent, height = linkage_to_parents(Z)
        return cls(parent, height, None if names is None else check_names(names, parent.size // 2 + 1), unit)

    def to_linkage(self) -> NDArray[np.float64]:
        """Make SciPy's (n - 1, 4) linkage matrix; multiway nodes are split at equal height.

        Returns
        -------
        ndarray of shape (n - 1, 4)
            The linkage matrix.
        """
        if self.n_leaves < 2:
            raise ValueError("a tree of one leaf has no linkage matrix: it needs at least 2 leaves.")
        return parents_to_linkage(self.parent, self.height, self.sizes, self.n_leaves)

    @classmethod
    def from_newick(cls, text: str, names: Sequence[str] | None = None) -> Tree:
        """From Newick text. Leaves named 0 .. n - 1 keep these ids; others are numbered in order and keep their names.

        Branch lengths give the heights; if they disagree, the farthest leaf counts. Without any, every branch has
        length 1. Internal nodes are numbered as by `canonical`.

        Parameters
        ----------
        text
            The text, ending in a semicolon.
        names
            If given, the leaves are put in that order, as by `reordered`: leaf k is the one called names[k].

        Returns
        -------
        Tree
            The tree.

        Examples
        --------
        >>> Tree.from_newick("((cat:1,dog:1):2,'fir tree':3);").names
        ('cat', 'dog', 'fir tree')
        """
        tree = cls(*read_newick(text), *read_note(text))
        return (tree if names is None else tree.reordered(names)).canonical()

    def to_newick(self, names: Sequence[str] | None = None) -> str:
        """Newick text; its branch lengths reproduce the heights exactly, and a comment holds `unit` and `joined_from`.

        Named leaves are read back in the order of the text, or in another order with `from_newick(text, names)`. Names
        that are just the numbers 0 .. n - 1 are read back as ids.

        Parameters
        ----------
        names
            One per leaf, instead of the tree's own.

        Returns
        -------
        str
            The text, ending in a semicolon.

        Examples
        --------
        >>> Tree(parent=[3, 3, 4, 4, -1], height=[0, 0, 0, 1, 2]).to_newick(["a", "b", "c d"])
        "('c d':2.0,(a:1.0,b:1.0):1.0);"
        """
        return write_newick(self.parent, self.height, self._export_names(names), self.unit, self.joined_from)

    @classmethod
    def from_json(cls, text: str) -> Tree:
        """From the text that `to_json` writes.

        Parameters
        ----------
        text
            The text.

        Returns
        -------
        Tree
            The tree, with its node numbers.
        """
        try:
            return cls(**read_json(text))
        except (TypeError, OverflowError) as error:
            raise ValueError(f"the JSON text holds no tree: {error}") from None

    def to_json(self, names: Sequence[str] | None = None) -> str:
        """A JSON object with `parent`, `height`, `names`, `unit` and `joined_from`; the node numbers are kept.

        Parameters
        ----------
        names
            One per leaf, instead of the tree's own.

        Returns
        -------
        str
            The text.
        """
        tree = self if names is None else self.with_names(names)
        return write_json({field.name: getattr(tree, field.name) for field in fields(tree)})

    def to_networkx(self, names: Sequence[str] | None = None) -> networkx.DiGraph[int]:
        """A networkx graph with arcs from parent to child; nodes have `height`, and leaves `name` if there are names.

        Parameters
        ----------
        names
            One per leaf, instead of the tree's own.

        Returns
        -------
        networkx.DiGraph
            A graph whose nodes are those of the tree.
        """
        known = names is not None or self.names is not None
        return make_networkx(self.parent, self.height, self._export_names(names) if known else None)

    def _export_names(self, names: Sequence[str] | None) -> tuple[str, ...]:
        if names is not None:
            return check_names(names, self.n_leaves)
        return self.names if self.names is not None else tuple(map(str, range(self.n_leaves)))

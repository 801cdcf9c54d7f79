"""Nested partitions of a tree at every scale, and which one to look at first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import ArrayLike

from hypcse._checks import check_choice, check_count
from hypcse._choices import Metric, Scale
from hypcse.entropy import graph_over
from hypcse.graph import Graph, GraphLike, scale_features
from hypcse.graph.convert import in_range
from hypcse.graph.neighbors.search import unit_rows
from hypcse.kernels.arrays import Floating
from hypcse.kernels.compile import read_only
from hypcse.kernels.trees.sweep import leaf_labels
from hypcse.partitions.choosing import level_partitions, offered_levels
from hypcse.partitions.evidence import Structure
from hypcse.partitions.tables import classical_coordinates
from hypcse.partitions.wishes import Wishes, modular_cut, wished_cuts, within_limits
from hypcse.search.compression import kept_levels
from hypcse.tree import Tree
from hypcse.tree.flat import Labels

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True, eq=False, repr=False)
class Levels(Sequence[Labels]):
    """Nested levels, coarse to fine: a sequence of labels, one array per level. Nothing of it can be changed.

    Attributes
    ----------
    labels
        Flat clusters of each level, numbered from 0.
    main
        Position of the level to look at first; see `main_level`.
    stability
        How well each level is found again, see `hypcse.stability`; None if not measured.
    structure
        Whether there is structure beyond chance, see `hypcse.beyond_chance`; None if not tested here.

    Examples
    --------
    >>> found = Levels([np.zeros(4, np.int64), np.array([0, 0, 1, 1])], main=1)
    >>> len(found), found.n_clusters, found[found.main].tolist()
    (2, [1, 2], [0, 0, 1, 1])
    """

    labels: Sequence[Labels]
    main: int
    stability: Sequence[float] | None = None
    structure: Structure | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "labels", read_only(*map(np.asarray, self.labels)))
        if self.stability is not None:
            object.__setattr__(self, "stability", tuple(map(float, self.stability)))

    def __reduce__(self) -> tuple[Any, ...]:
        # Arrays come out of a pickle writeable, so that they are made read-only again.
        return Levels, (self.labels, self.main, self.stability, self.structure)

    @overload
    def __getitem__(self, place: int) -> Labels: ...
    @overload
    def __getitem__(self, place: slice) -> list[Labels]: ...
    def __getitem__(self, place: int | slice) -> Labels | list[Labels]:
        return list(self.labels[place]) if isinstance(place, slice) else self.labels[place]

    def __len__(self) -> int:
        return len(self.labels)

    def __repr__(self) -> str:
        return f"Levels(n_clusters={self.n_clusters}, main={self.main})"

    @property
    def n_clusters(self) -> list[int]:
        """Number of clusters of each level."""
        return [np.unique(labels).size for labels in self.labels]

    @property
    def flat(self) -> Labels:
        """The flat clusters: of the main level, or of the first if the data have no structure."""
        return self.labels[self.main if self.structure is None or self.structure.found else 0]

    def to_frame(self, names: Iterable[Any] | None = None) -> pandas.DataFrame:
        """The levels as a data frame: one row per leaf, one column per level.

        Parameters
        ----------
        names
            Names of the leaves, for the index; by default their numbers.

        Returns
        -------
        pandas.DataFrame
            Columns "level_1", "level_2", ..., coarse to fine.

        Examples
        --------
        >>> print(Levels([np.zeros(3, np.int64), np.array([0, 0, 1])], main=1).to_frame(["a", "b", "c"]))
           level_1  level_2
        a        0        0
        b        0        0
        c        0        1
        """
        import pandas

        columns = {f"level_{k}": labels for k, labels in enumerate(self.labels, 1)}
        return pandas.DataFrame(columns, index=None if names is None else list(names))


def levels(
    tree: Tree,
    graph: GraphLike,
    X: ArrayLike | None = None,
    *,
    scale: Scale = "minmax",
    metric: Metric = "euclidean",
    n_levels: int | None = None,
    n_clusters: int | Sequence[int] | None = None,
    min_children: int | None = None,
    min_size: int | None = None,
    resolution: float | None = None,
) -> Levels:
    """Find the nested levels of a tree, coarse to fine: at most 12 flat clusterings, each refining the one before.

    Every cluster is a node of the tree. You need not give labels or a number of clusters. Two kinds of partitions are
    offered:

    - Lasting ones. The finest partition in which no part has a conductance above c changes as c grows; some partitions
      stay over many doublings of c. Above the components of the graph, where no weight leaves a part, the limit is on
      the distance at which parts were joined (see `join_components`). Between two of them that lie more than 0.75 bits
      of entropy apart, the one that lasts longest fills the hole.
    - Descriptive ones: the smallest number of `compress` levels that keeps 95 % of the entropy that the tree saves over
      the star of all leaves.

    `main_level` says which one to look at first; it is one of the lasting ones. If no partition holds more weight than
    the degrees alone would explain, there is one level: each connected component is one cluster.

    Parameters
    ----------
    tree, graph
        As for `structural_entropy`.
    X
        Features, one row per leaf, or distances; None to choose the main level by the edges alone.
    scale, metric
        Those of the graph, as in `similarity_graph`; metric="precomputed" if X holds distances (sparse ones do not
        count).
    n_levels
        Return the levels of `compress(tree, graph, n_levels)` instead; in the last one, every leaf is its own cluster.
    n_clusters
        Return levels with these numbers of clusters instead, such as [5, 25, 100].
    min_children
        Minimum number of clusters of the next finer level in every cluster.
    min_size
        Minimum number of leaves in every cluster.
    resolution
        Return one level instead: the cut of highest modularity at this resolution, as in Leiden.

    Returns
    -------
    Levels
        A sequence of flat clusters, one array of shape (n,) per level, numbered from 0, coarse to fine. Its `main` is
        the position of the main level (0 for levels on request); `to_frame` gives a data frame.

    Raises
    ------
    ValueError
        If the request cannot be met; the message says what can.

    Examples
    --------
    >>> from hypcse import Graph, graph_linkage
    >>> g = Graph.from_edges([0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5])
    >>> levels(graph_linkage(g), g)[0].tolist()
    [0, 0, 0, 1, 1, 1]
    """
    graph = in_range(graph_over(tree, graph))
    wishes = Wishes.checked(tree, n_clusters, min_children, min_size, resolution)
    if n_levels is None:
        return _wished(tree, graph, wishes, compared_features(X, tree, scale, metric))
    if wishes != Wishes():
        raise ValueError("n_levels returns levels of compress and takes no other options. Omit them, or omit n_levels.")
    check_count("n_levels", n_levels, 1)
    splits = level_partitions(tree, kept_levels(tree, graph, min(n_levels, tree.n_leaves)), n_levels)
    labels = [*(leaf_labels(tree.parent, split, tree.n_leaves) for split in splits), np.arange(tree.n_leaves)]
    return Levels(labels, 0)


def _wished(tree: Tree, graph: Graph, wishes: Wishes, X: Floating | None) -> Levels:
    if wishes.resolution is not None:
        return Levels([modular_cut(tree, graph, wishes.resolution, wishes.min_size)], 0)
    if wishes.n_clusters is not None:
        return Levels(wished_cuts(tree, graph, wishes), 0)
    nested = levels_and_main(tree, graph, X)
    return nested if wishes == Wishes() else Levels(within_limits(tree, nested.labels, wishes), 0)


def compared_features(X: ArrayLike | None, tree: Tree, scale: Scale, metric: Metric) -> Floating | None:
    """The features scaled as for a similarity graph; rows of length 1 for cosine; coordinates for dense distances."""
    check_choice("metric", metric, Metric)
    if X is None:
        return None
    points: Floating | None
    points = classical_coordinates(X) if metric == "precomputed" else scale_features(X, scale)
    if points is not None and len(points) != tree.n_leaves:
        raise ValueError(f"X has {len(points)} rows, but the tree has {tree.n_leaves} leaves. Row k must be leaf k.")
    return unit_rows(points) if points is not None and metric == "cosine" else points


def main_level(
    tree: Tree, graph: GraphLike, X: ArrayLike | None = None, *, scale: Scale = "minmax", metric: Metric = "euclidean"
) -> int:
    """Choose which of the `levels` to look at first.

    It is the lasting partition of the highest score: modularity, times the silhouette where there are features, times
    the cube of how long it lasts (1 for at least five times as long as partitions of a continuum would, which the
    finest partitions of the same data show), times the square of the stability, which is that of a quick search without
    refinement. The silhouette counts as at least 0.1, and as at least 0.4 if the partition lasts and every border
    between clusters is empty, because clusters need not be round. Clusters that are apart need not last: a silhouette
    of at least 0.3, a stability of at least 0.9, and on every border at least 30 % fewer points than at the means.
    Clusters of less than the least size in `best_cut` do not count, so that stray points make no level. If no partition
    has two clusters, it is the one that lasts longest, weighted by modularity; if none lasts at all, the coarsest
    level. To test whether there is any structure, use `beyond_chance`.

    Parameters
    ----------
    tree, graph, X, scale, metric
        As for `levels`.

    Returns
    -------
    int
        Position in `levels(tree, graph, X)`.

    Examples
    --------
    >>> from hypcse import Graph, graph_linkage
    >>> g = Graph.from_edges([0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5])
    >>> main_level(graph_linkage(g), g)
    0
    """
    graph = in_range(graph_over(tree, graph))
    return levels_and_main(tree, graph, compared_features(X, tree, scale, metric)).main


def levels_and_main(
    tree: Tree,
    graph: Graph,
    X: Floating | None = None,
    *,
    structure: Structure | None = None,
    former: Labels | None = None,
) -> Levels:
    """The `levels` and the `main_level`, found together; X are features as they were compared.

    Without `structure`, a level of one cluster comes first. The main level agrees most with `former` labels, if given.
    """
    labels, main = offered_levels(tree, graph, X, former)
    without = structure is not None and not structure.found and labels[0].max() > 0
    above = [np.zeros(tree.n_leaves, np.int64)] if without else []
    return Levels([*above, *labels], main + len(above), structure=structure)

"""Nested partitions of a tree at every scale, and which one to look at first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from itertools import dropwhile, pairwise
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hypcse._checks import check_choice, check_count
from hypcse._choices import Metric, Scale
from hypcse._random import generator
from hypcse.entropy import graph_over, node_volumes, structural_entropy
from hypcse.graph import Graph, GraphLike, scale_features
from hypcse.graph.convert import in_range
from hypcse.graph.features import dense_features
from hypcse.graph.neighbors.search import unit_rows
from hypcse.kernels.trees.sweep import kept_parents, leaf_labels, subtree_sums
from hypcse.partitions.cuts import coarsest_cut, parts_of
from hypcse.partitions.evidence import Structure
from hypcse.partitions.main import followed_stretch, main_stretch
from hypcse.partitions.stretches import ALIKE, Stretch, by_conductance, by_distance
from hypcse.partitions.tables import classical_coordinates
from hypcse.partitions.wishes import Wishes, modular_cut, wished_cuts, within_limits
from hypcse.search.compression import LevelTable, is_small, keep_nodes, kept_levels, one_by_one
from hypcse.search.leaving import leaving_parts
from hypcse.tree import Tree

if TYPE_CHECKING:
    import pandas

SHARE = 0.95
"""Share of the entropy saved over the star of all leaves that the levels together must keep."""
MAX_LEVELS = 12
MAX_ABOVE, MAX_INSIDE = 6, 4
"""Largest number of levels of highest worth, above components and inside them; holes are filled besides."""
LEAST_WORTH = 0.1
"""A partition with less than this share of the highest worth only fills holes."""
HOLE = 3 * ALIKE
"""Bits of entropy between two levels from which there is a hole."""
FEW = 2.0
"""Up to so many bits of entropy, as of four equal clusters, the first level is coarse enough."""
MAX_RATED = 40
"""Largest number of partitions that are rated for the main level."""
LEAST_MODULARITY = 1e-9
"""Less is a rounding error."""

Labels = NDArray[np.int64]
Split = NDArray[np.bool_]
"""A partition of the leaves: one boolean per node, True if it is split."""


@dataclass(frozen=True, eq=False, repr=False, init=False)
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

    labels: tuple[Labels, ...]
    main: int
    stability: tuple[float, ...] | None = None
    structure: Structure | None = None

    def __init__(
        self,
        labels: Iterable[Labels],
        main: int,
        stability: Iterable[float] | None = None,
        structure: Structure | None = None,
    ) -> None:
        values = (
            tuple(map(_read_only, labels)),
            main,
            None if stability is None else tuple(map(float, stability)),
            structure,
        )
        for field, value in zip(fields(self), values, strict=True):
            object.__setattr__(self, field.name, value)

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


def _read_only(labels: Labels) -> Labels:
    shown = np.asarray(labels).view()
    shown.flags.writeable = False
    return shown


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
    tree
        The tree. Its leaf k is vertex k of the graph.
    graph
        A `Graph`, a networkx graph or a symmetric matrix, as for `structural_entropy`.
    X
        Features, one row per leaf, or distances; None to choose the main level by the edges alone.
    scale
        As in `similarity_graph`; features are scaled the same way.
    metric
        As in `similarity_graph`; "precomputed" if X holds distances (sparse ones are left out).
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

    Notes
    -----
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
    found = _partitions(tree, kept_levels(tree, graph, min(n_levels, tree.n_leaves)), n_levels)
    labels = [*(leaf_labels(tree.parent, split, tree.n_leaves) for split in found), np.arange(tree.n_leaves)]
    return Levels(labels, 0)


def _wished(tree: Tree, graph: Graph, wishes: Wishes, X: NDArray[np.floating] | None) -> Levels:
    if wishes.resolution is not None:
        return Levels([modular_cut(tree, graph, wishes.resolution, wishes.min_size)], 0)
    if wishes.n_clusters is not None:
        return Levels(wished_cuts(tree, graph, wishes), 0)
    found = levels_and_main(tree, graph, X)
    return found if wishes == Wishes() else Levels(within_limits(tree, found.labels, wishes), 0)


def compared_features(X: ArrayLike | None, tree: Tree, scale: Scale, metric: Metric) -> NDArray[np.floating] | None:
    """The features scaled as for a similarity graph; rows of length 1 for cosine; coordinates for dense distances."""
    check_choice("metric", metric, Metric)
    if X is None:
        return None
    points = (
        classical_coordinates(X, generator(0, "landmarks"))
        if metric == "precomputed"
        else scale_features(dense_features(X), scale)
    )
    if points is not None and len(points) != tree.n_leaves:
        raise ValueError(f"X has {len(points)} rows, but the tree has {tree.n_leaves} leaves. Row k must be leaf k.")
    return unit_rows(points) if points is not None and metric == "cosine" else points


def main_level(
    tree: Tree,
    graph: GraphLike,
    X: ArrayLike | None = None,
    *,
    scale: Scale = "minmax",
    metric: Metric = "euclidean",
) -> int:
    """Choose which of the `levels` to look at first.

    A lasting partition may be the main level if it lasts: at least five times as long as partitions of a continuum
    would, which the finest partitions of the same data show. With features it also may if it does not last, but its
    clusters are apart: a silhouette of at least 0.3, a stability of at least 0.9, and on every border at least 30 %
    fewer points than at the means of the clusters. Among those, it is the one of the highest score: modularity, times
    the silhouette where there are features, times the square of the stability. Stability is that of a quick search
    without refinement. Clusters of less than the least size in `best_cut` do not count, so that stray points make no
    level. If no partition may be the main level, it is the one that lasts longest, weighted by modularity; if none
    lasts at all, the coarsest level. To test whether there is any structure, use `beyond_chance`.

    Parameters
    ----------
    tree
        The tree. Its leaf k is vertex k of the graph.
    graph
        A `Graph`, a networkx graph or a symmetric matrix, as for `structural_entropy`.
    X
        Features, one row per leaf, or distances; None to choose by the edges alone.
    scale
        As in `similarity_graph`; features are scaled the same way.
    metric
        As in `similarity_graph`; "precomputed" if X holds distances (sparse ones are left out).

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


def main_labels(tree: Tree, graph: Graph) -> Labels:
    """The labels of the `main_level`."""
    found = levels_and_main(tree, graph)
    return found.labels[found.main]


def levels_and_main(
    tree: Tree,
    graph: Graph,
    X: NDArray[np.floating] | None = None,
    *,
    structure: Structure | None = None,
    former: Labels | None = None,
) -> Levels:
    """The `levels` and the `main_level`, found together.

    X are features as they were compared. If there is no `structure`, a level of one cluster is put first, unless there
    is one. With `former` labels (-1 where there are none), the main level is the one that agrees most with them.
    """
    found = _found(tree, graph, X, former)
    without = structure is not None and not structure.found and found.labels[0].max() > 0
    above = [np.zeros(tree.n_leaves, np.int64)] if without else []
    return Levels([*above, *found.labels], found.main + len(above), structure=structure)


def _found(tree: Tree, graph: Graph, X: NDArray[np.floating] | None, former: Labels | None) -> Levels:
    leaving = leaving_parts(tree, graph)
    scale = _Scale(tree, graph, leaving.meeting)
    stairs = by_conductance(tree, graph, leaving)
    # The finest partition by distance is the coarsest by conductance.
    above = by_distance(tree, graph, leaving).best(MAX_RATED, apart=ALIKE / 2, with_finest=False)
    inside = stairs.best(MAX_RATED, apart=ALIKE / 2)
    above, inside = ([stretch for stretch in part if scale.holds(stretch.split)] for part in (above, inside))
    usual = stairs.usual()
    if former is None:
        main = main_stretch([*above, *inside], usual, tree, graph, X)
    else:
        main = followed_stretch([*above, *inside], tree, former)
    described = _enough_levels(tree, graph)
    held = list(dropwhile(lambda split: not scale.holds(split), described))
    lasting = [] if main is None else scale.offered(above, inside, main, usual)
    chain = scale.weave([stretch.split for stretch in lasting], held)
    if not chain:
        return Levels([coarsest_cut(tree, graph)], 0)
    place = 0 if main is None else next(k for k, split in enumerate(chain) if split is main.split)
    return Levels([leaf_labels(tree.parent, split, tree.n_leaves) for split in chain], place)


class _Scale:
    """Partitions of one tree, ordered by how fine they are."""

    def __init__(self, tree: Tree, graph: Graph, meeting: NDArray[np.float64]) -> None:
        self.tree, total = tree, graph.volume or 1.0
        self.shares = node_volumes(tree, graph.degrees) / total
        self.inside = (2 * subtree_sums(tree.parent, meeting) + node_volumes(tree, graph.self_weights)) / total

    def offered(self, above: list[Stretch], inside: list[Stretch], main: Stretch, usual: float) -> list[Stretch]:
        """The main partition, those of highest worth, and those that fill holes; coarse to fine.

        What fills a hole lasts at least as long as is `usual` in a continuum; between clear levels nothing does.
        """
        stretches = [*above, *inside]
        bits = [self.entropy(stretch.split) for stretch in stretches]
        chosen = [next(k for k, stretch in enumerate(stretches) if stretch is main)]

        def is_free(k: int) -> bool:
            return all(abs(bits[k] - bits[other]) >= ALIKE for other in chosen)

        for places, most in ((range(len(above)), MAX_ABOVE), (range(len(above), len(stretches)), MAX_INSIDE)):
            best = max((stretches[k].worth for k in places), default=0.0)
            for k in sorted(places, key=lambda k: -stretches[k].worth):
                here = sum(other in places for other in chosen)
                if here < most and stretches[k].worth > LEAST_WORTH * best and is_free(k):
                    chosen.append(k)
        for _ in range(MAX_LEVELS - len(chosen)):
            ends = pairwise([FEW, *sorted(bits[k] for k in chosen)])
            fillers = [
                (high - low, stretches[k].worth, k)
                for low, high in ends
                if high - low >= HOLE
                for k in range(len(stretches))
                if low + ALIKE <= bits[k] <= high - ALIKE and stretches[k].lasting >= usual
            ]
            if not fillers:
                break
            chosen.append(max(fillers)[2])
        return [stretches[k] for k in sorted(chosen)]

    def weave(self, lasting: list[Split], described: list[Split]) -> list[Split]:
        """One chain of nested partitions: the lasting ones and, fitted in between, the descriptive ones.

        A partition that differs by less than `ALIKE` from one already there is left out.
        """
        chain, bits = list(lasting), [self.entropy(split) for split in lasting]
        for split in described:
            place = int(np.searchsorted(bits, self.entropy(split), side="right"))
            fitted = split | chain[place - 1] if place > 0 else split
            fitted = fitted & chain[place] if place < len(chain) else fitted
            fineness = self.entropy(fitted)
            if len(chain) < MAX_LEVELS and all(abs(fineness - other) >= ALIKE for other in bits):
                chain.insert(place, fitted)
                bits.insert(place, fineness)
        return chain

    def entropy(self, split: Split) -> float:
        """Entropy in bits of the parts' shares of the volume."""
        shares = self.shares[parts_of(self.tree, split)]
        return float(-np.dot(shares, np.log2(shares, where=shares > 0, out=np.zeros_like(shares))))

    def holds(self, split: Split) -> bool:
        """Whether the parts hold more weight than the degrees alone would explain: positive `modularity`."""
        parts = parts_of(self.tree, split)
        return float(self.inside[parts].sum() - np.square(self.shares[parts]).sum()) > LEAST_MODULARITY


def modularity(labels: Labels, graph: Graph) -> float:
    """Share of the volume inside clusters beyond what the degrees alone would explain.

    Newman and Girvan's Q, loops of the graph included: the sum of (w_ij - d_i d_j / V) / V over i and j in one cluster.
    It is 0 for one cluster of all vertices, and for any clusters of a graph with all similarities equal. O(m).

    >>> g = Graph.from_edges([0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5])
    >>> round(modularity(np.array([0, 0, 0, 1, 1, 1]), g), 3)
    0.357
    """
    if graph.volume == 0:
        return 0.0
    i, j, w = graph.edges()
    inside = 2 * float(w[labels[i] == labels[j]].sum()) + float(graph.self_weights.sum())
    shares = np.bincount(labels, graph.degrees) / graph.volume
    return inside / graph.volume - float(np.square(shares).sum())


def _enough_levels(tree: Tree, graph: Graph) -> list[Split]:
    """The partitions of the smallest number of levels that keeps `SHARE` of the saving, coarse to fine."""
    if not is_small(tree, MAX_LEVELS):
        return _enough_one_by_one(tree, graph)
    table = LevelTable(tree, graph)
    star = structural_entropy(keep_nodes(tree, np.zeros(tree.n_nodes, np.bool_)), graph)
    wanted = SHARE * (star - structural_entropy(tree, graph))
    depth = next((depth for depth in range(2, MAX_LEVELS) if table.saving(depth) >= wanted), MAX_LEVELS)
    few = min(depth, tree.n_leaves)
    return _partitions(tree, table.kept(few), depth) if few > 1 and tree.n_leaves > 2 else []


def _enough_one_by_one(tree: Tree, graph: Graph) -> list[Split]:
    """The same, for trees on which finding the best levels would take too long."""
    star = structural_entropy(keep_nodes(tree, np.zeros(tree.n_nodes, np.bool_)), graph)
    wanted = SHARE * (star - structural_entropy(tree, graph))
    for depth in range(2, MAX_LEVELS + 1):
        level = one_by_one(tree, graph, depth)
        if depth == MAX_LEVELS or star - structural_entropy(keep_nodes(tree, level > 0), graph) >= wanted:
            break
    return _partitions(tree, level, depth)


def _partitions(tree: Tree, level: NDArray[np.int64], depth: int) -> list[Split]:
    """The partitions of a tree with this many levels below the root, coarse to fine; none if no node is kept."""
    return [_split_above(tree, level == k) for k in range(1, depth)] if level.any() else []


def _split_above(tree: Tree, clusters: NDArray[np.bool_]) -> Split:
    """The partition into these nodes, none above another; leaves under none of them are single clusters."""
    marks = clusters.copy()
    marks[-1] = True
    split = ~clusters & (kept_parents(tree.parent, marks) == tree.root)
    split[-1] = True
    split[: tree.n_leaves] = False
    return split

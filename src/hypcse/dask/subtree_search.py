"""Refinement of a tree over a graph whose edges no machine holds: subtrees on workers, the tree above them here.

By Eq. (4) each can be searched with the edges inside it, its leaves counting with their whole degrees.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from distributed import Client

from hypcse._checks import check_choice, check_count
from hypcse._choices import Effort
from hypcse._progress import Callback, Reporter
from hypcse.dask.building import cut_graph, piece_paths
from hypcse.dask.client import current_client, run_tasks, scratch_folder, work_folder
from hypcse.dask.distributed_graph import DistributedGraph
from hypcse.dask.edge_files import Edges, load_array, new_files, save_arrays
from hypcse.dask.linkage import MEMORY_LIMIT
from hypcse.dask.rounds import contract_part
from hypcse.entropy.volumes import check_leaves
from hypcse.graph import Graph
from hypcse.kernels.arrays import Ids, Reals
from hypcse.kernels.trees.sweep import subtree_sums
from hypcse.search.binary import searched_tree
from hypcse.search.refining import refine as refine_in_memory
from hypcse.search.run import refined
from hypcse.search.working import in_place
from hypcse.tree import Tree
from hypcse.tree.numbering import renumber


def refine(
    tree: Tree,
    graph: DistributedGraph,
    effort: Effort = "fast",
    *,
    memory_limit: int = MEMORY_LIMIT,
    folder: str | Path | None = None,
    client: Client | None = None,
    callback: Callback | None = None,
) -> Tree:
    """A binary tree over the same leaves whose entropy is never higher, for graphs whose edges no machine holds.

    Workers refine the largest subtrees that fit them, side by side, each with the edges inside it. Then this process
    refines the tree above them, if the graph between them fits `memory_limit`. Nothing moves from one subtree to
    another. A graph within the limit is refined by `hypcse.refine`.

    Parameters
    ----------
    tree
        A binary tree, as `graph_linkage` returns it. Its leaf k is vertex k of the graph.
    graph
        A `DistributedGraph`.
    effort
        "fast" or "thorough", as in `hypcse.refine`.
    memory_limit
        How many edges a worker, and this process in the end, may hold.
    folder
        A folder for temporary files, visible to all workers. By default a temporary one.
    client
        A Dask client, the current one by default. A graph within the limit needs none.
    callback
        Called with a `Progress` after every group of subtrees. Return True to stop: the tree so far is returned.

    Returns
    -------
    Tree
        The refined tree; `tree` itself if nothing was gained.

    Examples
    --------
    >>> import tempfile
    >>> path = Graph.from_edges([0, 1, 2], [1, 2, 3], [3.0, 1.0, 3.0])
    >>> g = DistributedGraph.from_graph(path, tempfile.mkdtemp())
    >>> chain = Tree.from_linkage([[0, 2, 1, 2], [1, 4, 2, 3], [3, 5, 3, 4]])
    >>> refine(chain, g, memory_limit=1000).cut(n_clusters=2).tolist()
    [0, 0, 1, 1]
    """
    check_choice("effort", effort, Effort)
    check_count("memory_limit", memory_limit, 1)
    if not isinstance(graph, DistributedGraph):
        raise TypeError(
            f"graph is a {type(graph).__name__}; refine of hypcse.dask takes a DistributedGraph. Use hypcse.refine, or "
            "DistributedGraph.from_graph."
        )
    check_leaves(tree, graph.n_vertices)
    if graph.n_edges <= memory_limit:
        return refine_in_memory(tree, graph.to_graph(), effort=effort, callback=callback)
    if not tree.is_binary:
        raise ValueError("the tree has nodes of more than two children. Pass a binary one, as graph_linkage returns.")
    client = current_client(client)
    with work_folder(folder, client) as place, scratch_folder(place, "refining") as work:
        return _refine_parts(tree, graph, work, effort, 2 * memory_limit, client, Reporter(callback))


def _refine_parts(
    tree: Tree, graph: DistributedGraph, work: Path, effort: Effort, limit: int, client: Client, reporter: Reporter
) -> Tree:
    """The refined tree; subtrees are searched on workers, and the tree above them here if its graph fits."""
    pieces = work / "pieces"
    pieces.mkdir()
    bounds, counts = cut_graph(graph.part_paths, graph.bounds, pieces, limit, client, short=False)
    paths = piece_paths(pieces, bounds)
    cut = cut_subtrees(tree, counts, limit)
    save_arrays(work, labels=cut.labels, position=cut.positions, degrees=graph.degrees[cut.order])
    save_arrays(work, parent=cut.tree.parent, height=cut.tree.height, joined_from=np.array(cut.tree.joined_from))
    save_arrays(work, first=cut.first, size=cut.size, roots=cut.roots, group=cut.group)
    chunks = new_files(work / "inside", len(paths))
    list(run_tasks(client, scatter_inside, paths, chunks, shared=work, n_groups=cut.n_groups))
    better_parts: list[Refined] = []
    gained, stopped = 0.0, False
    groups = run_tasks(client, refine_group, range(cut.n_groups), chunks=chunks, shared=work, effort=effort)
    for done, (better, gain) in enumerate(groups, 1):
        better_parts, gained = better_parts + better, gained + gain
        stopped = reporter.tell("subtrees", done, cut.n_groups)
        if stopped:
            break
    top, chunks, whole = cut.top(), new_files(work / "between", len(paths)), np.array([0, cut.roots.size])
    if top.n_leaves > 2 and not stopped:
        sizes = run_tasks(client, contract_part, paths, chunks, folder=work, bounds=whole)
        if sum(sizes) <= limit:
            edges = Edges.join(map(Edges.read, chunks)).merged().upper()
            volumes = np.bincount(cut.labels, graph.degrees).astype(np.float64)
            between = graph_with_degrees(edges.source, edges.target, edges.weight, volumes)
            above = refined(top, between, effort=effort)
            top, gained = above.tree, gained + above.gain * between.volume
    return searched_tree(cut.joined(top, better_parts), graph.degrees, tree.names) if gained > 0 else tree


Refined = tuple[int, Ids]
"""A subtree that became better, and its parents."""


def scatter_inside(path: Path, chunk: Path, shared: Path, n_groups: int) -> None:
    """Write the edges inside subtrees, each once, between positions, by the group of their subtree."""
    edges, label, position = Edges.read(path).upper(), load_array(shared, "labels"), load_array(shared, "position")
    subtree = label[edges.source]
    group = np.where(subtree == label[edges.target], load_array(shared, "group")[subtree], -1)
    placed = Edges(position[edges.source], position[edges.target], edges.weight)
    placed.scatter(chunk, group, n_groups)


def refine_group(number: int, chunks: list[Path], shared: Path, effort: Effort) -> tuple[list[Refined], float]:
    """Refine the subtrees of a group: the parents of those that became better, and what that is worth, times V."""
    edges = Edges.gather(chunks, number)
    parent, height, degrees = (load_array(shared, name) for name in ("parent", "height", "degrees"))
    firsts, sizes, roots, group = (load_array(shared, name) for name in ("first", "size", "roots", "group"))
    joined_from = float(load_array(shared, "joined_from"))
    subtree = np.searchsorted(firsts, edges.source, side="right") - 1
    order = np.argsort(subtree, kind="stable")
    edges, subtree = edges.take(order), subtree[order]
    better, gained = [], 0.0
    for k in np.flatnonzero(group == number).tolist():
        first, size, root = int(firsts[k]), int(sizes[k]), int(roots[k])
        inside = edges.take(slice(*np.searchsorted(subtree, [k, k + 1])))
        own = np.array(degrees[first : first + size])
        graph = graph_with_degrees(inside.source - first, inside.target - first, inside.weight, own)
        nodes = subtree_nodes(first, size, root)
        # Parents are internal nodes, which follow the leaves.
        local = np.append(parent[nodes[:-1]] - (root - 2 * size + 2), -1)
        heights = np.append(np.zeros(size), height[nodes[size:]])
        result = refined(Tree(local, heights, unit="volume", joined_from=joined_from), graph, effort=effort)
        if result.gain > 0:
            better.append((k, result.tree.parent))
            gained += result.gain * graph.volume
    return better, gained


@dataclass(frozen=True)
class Subtrees:
    """A binary tree numbered by `in_place`, whose leaf k is vertex `order[k]`, and disjoint subtrees with all leaves.

    Each subtree, from left to right, has a root and a group that one worker searches, -1 for none; the rest is `above`.
    """

    tree: Tree
    order: Ids
    roots: Ids
    group: Ids
    above: Ids

    @cached_property
    def first(self) -> Ids:
        """The first leaf of each subtree."""
        return self.tree.first_positions[self.roots]

    @cached_property
    def size(self) -> Ids:
        """Number of leaves of each subtree."""
        return self.tree.sizes[self.roots]

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return int(self.group.max(initial=-1)) + 1

    @cached_property
    def positions(self) -> Ids:
        """The position of each vertex."""
        return np.argsort(self.order)

    @cached_property
    def labels(self) -> Ids:
        """The subtree of each vertex."""
        return np.repeat(np.arange(self.roots.size), self.size)[self.positions]

    def top(self) -> Tree:
        """The tree whose leaves are the subtrees."""
        nodes = np.concatenate([self.roots, self.above])
        number = np.empty(self.tree.n_nodes, np.int64)
        number[nodes] = np.arange(nodes.size)
        parent = np.append(number[self.tree.parent[nodes[:-1]]], -1)
        return Tree(parent, np.concatenate([np.zeros(self.roots.size), self.tree.height[self.above]]))

    def joined(self, top: Tree, refined: Iterable[tuple[int, Ids]]) -> Ids:
        """Parents, over the vertices in their own order, of a tree over the subtrees, some of them new."""
        n, parent = self.order.size, self.tree.parent.copy()
        for number, local in refined:
            nodes = subtree_nodes(int(self.first[number]), int(self.size[number]), int(self.roots[number]))
            parent[nodes[:-1]] = nodes[local[:-1]]
        nodes = np.concatenate([self.roots, self.above])
        parent[nodes] = np.append(nodes[top.parent[:-1]], -1)
        inside = np.setdiff1d(np.arange(n, parent.size), self.above)
        return renumber(parent, self.tree.height, np.concatenate([self.positions, inside, self.above]))[0]


def subtree_nodes(first: int, size: int, root: int) -> Ids:
    """The leaves and the internal nodes of a subtree, children before parents, of a tree numbered by `in_place`."""
    return np.concatenate([np.arange(first, first + size), np.arange(root - size + 2, root + 1)])


def cut_subtrees(tree: Tree, counts: Ids, limit: int) -> Subtrees:
    """The largest subtrees whose leaves have at most half of `limit` entries, in groups of at most `limit`."""
    order = tree.leaf_order()
    placed, n = in_place(tree), tree.n_leaves
    load = subtree_sums(placed.parent, counts[order].astype(np.float64))
    # A leaf is a subtree whatever its entries.
    above = load > limit // 2
    above[:n] = False
    roots = np.flatnonzero(~above & np.append(above[placed.parent[:-1]], True))
    roots = roots[np.argsort(placed.first_positions[roots], kind="stable")]
    searched = placed.sizes[roots] > 2
    group = np.where(searched, np.cumsum(load[roots] * searched).astype(np.int64) // max(1, limit // 2), -1)
    # Groups are numbered without gaps.
    group[searched] = np.unique(group[searched], return_inverse=True)[1]
    return Subtrees(placed, order, roots, group, np.flatnonzero(above))


def graph_with_degrees(first: Ids, second: Ids, weights: Reals, degrees: Reals) -> Graph:
    """The graph of edges given once each, in which self-weights bring the degrees up to those given."""
    inside = Graph.from_edges(first, second, weights, degrees.size)
    outside = np.maximum(degrees - inside.edge_degrees, 0.0)
    return Graph(inside.indptr, inside.indices, inside.weights, outside)

"""Refinement of a tree over a graph whose edges no machine holds."""

from __future__ import annotations

import secrets
import shutil
from pathlib import Path

import distributed
import numpy as np
from numpy.typing import NDArray

from hypcse._checks import check_choice, check_count
from hypcse._choices import Effort
from hypcse._progress import Callback, Reporter
from hypcse.dask.edges.files import Edges, join_edges, part_name, read_edges, write_edges
from hypcse.dask.engine import current_client, run_tasks, shared_folder
from hypcse.dask.graph import DistributedGraph
from hypcse.dask.linking.linkage import MEMORY_LIMIT
from hypcse.dask.linking.splitting import Round, split_graph
from hypcse.dask.linking.tasks import contract_part
from hypcse.dask.subtrees import cut_subtrees, graph_with_degrees, local_parents
from hypcse.entropy import graph_over
from hypcse.graph import Graph, GraphLike
from hypcse.search.binary import degrees_tree
from hypcse.search.refining import refine as refine_in_memory
from hypcse.search.refining import refinement
from hypcse.tree import Tree


def refine(
    tree: Tree,
    graph: GraphLike | DistributedGraph,
    effort: Effort = "fast",
    *,
    memory_limit: int = MEMORY_LIMIT,
    folder: str | Path | None = None,
    client: distributed.Client | None = None,
    callback: Callback | None = None,
) -> Tree:
    """A binary tree over the same leaves whose entropy is never higher, for graphs whose edges no machine holds.

    The tree is cut into the largest subtrees that fit a worker. Workers refine these side by side, each with the edges
    inside it. Then this process refines the tree above them, if the graph between them fits `memory_limit`. What would
    gain by moving from one subtree to another stays. A graph within the limit is refined by `hypcse.refine`.

    Parameters
    ----------
    tree
        A binary tree, as `graph_linkage` returns it. Its leaf k is vertex k of the graph.
    graph
        A `DistributedGraph`, or whatever `hypcse.refine` takes.
    effort
        "fast" or "thorough", as in `hypcse.refine`.
    memory_limit
        How many edges a worker, and this process in the end, may hold.
    folder
        A folder for files on the way, which are removed in the end; visible to all workers. By default a temporary one.
    client
        A Dask client, the current one by default. A graph within the limit needs none.
    callback
        Called with a `Progress` after every group of subtrees. Return True to stop: the tree so far is returned.

    Returns
    -------
    Tree
        The refined tree; the one given where nothing was gained.

    Examples
    --------
    >>> from hypcse import Graph
    >>> g = Graph.from_edges([0, 1, 2], [1, 2, 3], [3.0, 1.0, 3.0])
    >>> chain = Tree.from_linkage([[0, 2, 1, 2], [1, 4, 2, 3], [3, 5, 3, 4]])
    >>> refine(chain, g, memory_limit=1000).cut(n_clusters=2).tolist()
    [0, 0, 1, 1]
    """
    check_choice("effort", effort, Effort)
    check_count("memory_limit", memory_limit, 1)
    over = graph if isinstance(graph, DistributedGraph) else graph_over(tree, graph)
    if tree.n_leaves != over.n_vertices:
        raise ValueError(f"the tree has {tree.n_leaves} leaves, but the graph has {over.n_vertices} vertices.")
    if over.n_edges <= memory_limit:
        small = over.to_graph() if isinstance(over, DistributedGraph) else over
        return refine_in_memory(tree, small, effort=effort, callback=callback)
    if not tree.is_binary:
        raise ValueError(
            "the tree has nodes of more than two children. Pass a binary one, as graph_linkage returns it."
        )
    client = current_client(client)
    place, kept = shared_folder(folder, client)
    work = place / f"refining-{secrets.token_hex(4)}"
    try:
        given = over if isinstance(over, DistributedGraph) else DistributedGraph.from_graph(over, work / "given")
        return _Refinement(tree, given, work, 2 * memory_limit, client).run(effort, Reporter(callback))
    finally:
        shutil.rmtree(work, ignore_errors=True)
        if kept is not None:
            kept.cleanup()


class _Refinement:
    """One refinement under way."""

    def __init__(
        self, tree: Tree, graph: DistributedGraph, place: Path, limit: int, client: distributed.Client
    ) -> None:
        self.tree, self.graph, self.place, self.limit, self.client = tree, graph, place, limit, client
        for name in ("parts", "shared", "inside", "between"):
            (place / name).mkdir(parents=True)
        self.parts, counts = split_graph(graph, place / "parts", limit, False, client)
        self.subtrees = cut_subtrees(tree, counts, limit)
        self._share()

    def run(self, effort: Effort, reporter: Reporter) -> Tree:
        """The better tree."""
        found, gained, stopped = self._search(effort, reporter)
        top = self.subtrees.top()
        between = None if stopped else self._contract()
        if between is not None and top.n_leaves > 2:
            above = refinement(top, between, effort=effort)
            top, gained = above.tree, gained + above.gain * between.volume
        if gained <= 0:
            return self.tree
        return degrees_tree(self.subtrees.joined(top, found), self.graph.degrees, self.tree.names)

    def _share(self) -> None:
        """Write what all workers read."""
        cut = self.subtrees
        shared: dict[str, NDArray[np.generic]] = {"label": cut.labels(), "position": cut.positions()}
        shared |= {"parent": cut.tree.parent, "height": cut.tree.height, "degrees": self.graph.degrees[cut.order]}
        shared |= {"first": cut.first, "size": cut.size, "roots": cut.roots, "group": cut.group}
        for name, array in shared.items():
            np.save(self.place / "shared" / f"{name}.npy", array, allow_pickle=False)

    def _search(self, effort: Effort, reporter: Reporter) -> tuple[list[Searched], float, bool]:
        """The subtrees that became better, what that is worth, and whether the callback asked to stop."""
        n_groups, shared = self.subtrees.n_groups, self.place / "shared"
        chunks = _chunks(self.place / "inside", self.parts)
        several = len(chunks)
        list(run_tasks(self.client, scatter_inside, self.parts.paths, chunks, [shared] * several, [n_groups] * several))
        given = [chunks] * n_groups, range(n_groups), [shared] * n_groups, [effort] * n_groups
        found: list[Searched] = []
        gained, stopped = 0.0, False
        for done, (better, gain) in enumerate(run_tasks(self.client, refine_group, *given), 1):
            found, gained = found + better, gained + gain
            stopped = reporter.tell("subtrees", done, n_groups)
            if stopped:
                break
        return found, gained, stopped

    def _contract(self) -> Graph | None:
        """The graph between subtrees, None where it does not fit."""
        chunks = _chunks(self.place / "between", self.parts)
        labels, bounds = self.place / "shared" / "label.npy", np.array([0, self.subtrees.roots.size])
        several = len(chunks)
        sizes = run_tasks(self.client, contract_part, self.parts.paths, chunks, [labels] * several, [bounds] * several)
        if sum(sizes) > self.limit:
            return None
        edges = join_edges(map(read_edges, chunks)).merged()
        upper = edges.take(edges.source < edges.target)
        volumes = np.bincount(self.subtrees.labels(), self.graph.degrees).astype(np.float64)
        return graph_with_degrees(upper.source, upper.target, upper.weight, volumes)


def _chunks(folder: Path, parts: Round) -> list[Path]:
    return [folder / part_name(part) for part in range(parts.entries.size)]


SHARED = ("label", "position", "parent", "height", "degrees", "first", "size", "roots", "group")
"""Arrays that all workers read: by vertex, by node, by position, and by subtree."""

Searched = tuple[int, NDArray[np.int64]]


def scatter_inside(path: Path, place: Path, shared: Path, n_groups: int) -> None:
    """Write the edges inside subtrees, each once, between positions, with one row group per group of subtrees."""
    edges, label = read_edges(path), np.load(shared / "label.npy", mmap_mode="r")
    group, position = np.load(shared / "group.npy"), np.load(shared / "position.npy", mmap_mode="r")
    subtree = label[edges.source]
    inside = (edges.source < edges.target) & (subtree == label[edges.target]) & (group[subtree] >= 0)
    kept, where = edges.take(inside), group[subtree[inside]]
    named = Edges(position[kept.source], position[kept.target], kept.weight)
    order = np.lexsort((named.source, where))
    write_edges(place, named.take(order), np.searchsorted(where[order], np.arange(n_groups + 1)))


def refine_group(chunks: list[Path], number: int, shared: Path, effort: Effort) -> tuple[list[Searched], float]:
    """Refine the subtrees of a group: the parents of those that became better, and what that is worth, times V."""
    edges = join_edges(read_edges(chunk, number) for chunk in chunks)
    arrays = {name: np.load(shared / f"{name}.npy", mmap_mode="r") for name in SHARED}
    subtree = np.searchsorted(arrays["first"], edges.source, side="right") - 1
    order = np.argsort(subtree, kind="stable")
    edges, subtree = edges.take(order), subtree[order]
    found, gained = [], 0.0
    for which in np.flatnonzero(arrays["group"] == number).tolist():
        begin, end = np.searchsorted(subtree, [which, which + 1])
        first, size, root = (int(arrays[name][which]) for name in ("first", "size", "roots"))
        inside = edges.take(slice(begin, end))
        degrees = np.array(arrays["degrees"][first : first + size])
        graph = graph_with_degrees(inside.source - first, inside.target - first, inside.weight, degrees)
        inner = slice(root - size + 2, root + 1)
        height = np.concatenate([np.zeros(size), arrays["height"][inner]])
        tree = Tree(local_parents(arrays["parent"], first, size, root), height)
        refined = refinement(tree, graph, effort=effort)
        if refined.gain > 0:
            found.append((which, refined.tree.parent))
            gained += refined.gain * graph.volume
    return found, gained

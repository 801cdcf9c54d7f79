"""Refinement of a tree over a graph whose edges no machine holds."""

from __future__ import annotations

from pathlib import Path

import distributed
import numpy as np
from numpy.typing import NDArray

from hypcse._checks import check_choice, check_count
from hypcse._choices import Effort
from hypcse._progress import Callback, Reporter
from hypcse.dask.client import current_client, run_tasks, scratch_folder, work_folder
from hypcse.dask.distributed_graph import DistributedGraph
from hypcse.dask.edge_files import (
    Edges,
    gather_edges,
    join_edges,
    load_array,
    new_files,
    read_edges,
    save_arrays,
    scatter_edges,
)
from hypcse.dask.linking.average_rounds import contract_part
from hypcse.dask.linking.checkpoints import split_graph
from hypcse.dask.linking.linkage_in_rounds import MEMORY_LIMIT
from hypcse.dask.subtrees import cut_subtrees, graph_with_degrees, subtree_nodes
from hypcse.dask.tree_scores import check_leaves
from hypcse.entropy import graph_over
from hypcse.graph import GraphLike
from hypcse.search.binary import degrees_tree
from hypcse.search.refining import refine as refine_in_memory
from hypcse.search.run import refined
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
        The refined tree; `tree` itself if nothing was gained.

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
    check_leaves(tree, over)
    if over.n_edges <= memory_limit:
        small = over.to_graph() if isinstance(over, DistributedGraph) else over
        return refine_in_memory(tree, small, effort=effort, callback=callback)
    if not tree.is_binary:
        raise ValueError(
            "the tree has nodes of more than two children. Pass a binary one, as graph_linkage returns it."
        )
    client = current_client(client)
    with work_folder(folder, client) as place, scratch_folder(place, "refining") as work:
        if not isinstance(over, DistributedGraph):
            over = DistributedGraph.from_graph(over, work / "graph")
        return _refine_parts(tree, over, work, effort, 2 * memory_limit, client, Reporter(callback))


def _refine_parts(
    tree: Tree,
    graph: DistributedGraph,
    work: Path,
    effort: Effort,
    limit: int,
    client: distributed.Client,
    reporter: Reporter,
) -> Tree:
    """The refined tree; subtrees are searched on workers, and the tree above them here if its graph fits."""
    pieces = work / "pieces"
    pieces.mkdir()
    split, counts = split_graph(graph, pieces, limit, False, client)
    cut = cut_subtrees(tree, counts, limit)
    save_arrays(work, labels=cut.labels, position=cut.positions, degrees=graph.degrees[cut.order])
    save_arrays(work, parent=cut.tree.parent, height=cut.tree.height, joined_from=np.array(cut.tree.joined_from))
    save_arrays(work, first=cut.first, size=cut.size, roots=cut.roots, group=cut.group)
    chunks = new_files(work / "inside", len(split.paths))
    list(run_tasks(client, scatter_inside, split.paths, chunks, shared=work, n_groups=cut.n_groups))
    better_parts: list[Refined] = []
    gained, stopped = 0.0, False
    groups = run_tasks(client, refine_group, range(cut.n_groups), chunks=chunks, shared=work, effort=effort)
    for done, (better, gain) in enumerate(groups, 1):
        better_parts, gained = better_parts + better, gained + gain
        stopped = reporter.tell("subtrees", done, cut.n_groups)
        if stopped:
            break
    top, chunks, bounds = cut.top(), new_files(work / "between", len(split.paths)), np.array([0, cut.roots.size])
    if top.n_leaves > 2 and not stopped:
        sizes = run_tasks(client, contract_part, split.paths, chunks, folder=work, bounds=bounds)
        if sum(sizes) <= limit:
            edges = join_edges(map(read_edges, chunks)).merged().upper()
            volumes = np.bincount(cut.labels, graph.degrees).astype(np.float64)
            between = graph_with_degrees(edges.source, edges.target, edges.weight, volumes)
            above = refined(top, between, effort=effort)
            top, gained = above.tree, gained + above.gain * between.volume
    return degrees_tree(cut.joined(top, better_parts), graph.degrees, tree.names) if gained > 0 else tree


Refined = tuple[int, NDArray[np.int64]]
"""A subtree that became better, and its parents."""


def scatter_inside(path: Path, chunk: Path, shared: Path, n_groups: int) -> None:
    """Write the edges inside subtrees, each once, between positions, by the group of their subtree."""
    edges, label, position = read_edges(path).upper(), load_array(shared, "labels"), load_array(shared, "position")
    subtree = label[edges.source]
    group = np.where(subtree == label[edges.target], load_array(shared, "group")[subtree], -1)
    placed = Edges(position[edges.source], position[edges.target], edges.weight)
    scatter_edges(chunk, placed, group, n_groups)


def refine_group(number: int, chunks: list[Path], shared: Path, effort: Effort) -> tuple[list[Refined], float]:
    """Refine the subtrees of a group: the parents of those that became better, and what that is worth, times V."""
    edges = gather_edges(chunks, number)
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

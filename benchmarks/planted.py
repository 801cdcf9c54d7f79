"""Planted partitions, as a user of Louvain would try them: `python -m benchmarks planted`."""

from __future__ import annotations

import argparse
import time

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

import hypcse
from benchmarks.quality.sheet import Sheet

CASES = ((20, 50, 0.3, 0.02), (20, 100, 0.2, 0.05), (10, 100, 0.15, 0.03))
"""Groups, vertices of each, and the probabilities of an edge inside a group and between two."""
SEEDS = (0, 1, 2)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument("--seeds", nargs="*", type=int, default=list(SEEDS), metavar="S")


def show(options: argparse.Namespace, console: Console) -> int:
    """One row per graph and seed."""
    _row(*CASES[0], seed=0)
    rows = [_row(*case, seed=seed) for case in CASES for seed in options.seeds]
    sheet = Sheet(
        "Planted partitions",
        ("graph", "seed", "entropy", "seconds", "best NMI of a level", "main level", "its NMI", "Louvain's NMI"),
        tuple(rows),
        ("The tree is `refine(graph_linkage(graph), graph)`; seconds are those of the two calls, with all compiled.",),
    )
    console.print(sheet.to_rich())
    for remark in sheet.remarks:
        console.print(remark, markup=False)
    return 0


def planted(n_groups: int, size: int, p_in: float, p_out: float, seed: int) -> tuple[hypcse.Graph, NDArray[np.int64]]:
    """A random graph with more edges inside groups than between them, and the group of each vertex."""
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(n_groups), size)
    chance = np.where(y[:, None] == y, p_in, p_out)
    i, j = np.nonzero(np.triu(rng.random(chance.shape) < chance, 1))
    return hypcse.Graph.from_edges(i, j, None, y.size), y


def _row(n_groups: int, size: int, p_in: float, p_out: float, *, seed: int) -> tuple[str, ...]:
    import networkx as nx
    from sklearn.metrics import normalized_mutual_info_score as information

    graph, y = planted(n_groups, size, p_in, p_out, seed)
    begin = time.perf_counter()
    tree = hypcse.refine(hypcse.graph_linkage(graph), graph)
    seconds = time.perf_counter() - begin
    found = hypcse.levels(tree, graph)
    main = found[hypcse.main_level(tree, graph)]
    theirs = np.empty(y.size, np.int64)
    for number, members in enumerate(
        nx.community.louvain_communities(nx.from_scipy_sparse_array(graph.to_scipy()), seed=seed)
    ):
        theirs[list(members)] = number
    return (
        f"{n_groups} x {size}, {p_in:g} / {p_out:g}",
        str(seed),
        f"{hypcse.structural_entropy(tree, graph):.4f}",
        f"{seconds:.2f}",
        f"{max(information(y, one) for one in found):.3f}",
        str(int(main.max()) + 1),
        f"{information(y, main):.3f}",
        f"{information(y, theirs):.3f}",
    )

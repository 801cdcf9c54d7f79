"""Linkage in rounds on a cluster, beside the tree in memory: `python -m benchmarks cluster-linkage`."""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

import hypcse
from benchmarks.quality.sheet import Sheet
from hypcse._choices import Linkage

N_POINTS, MEMORY_LIMIT = 40_000, 60_000
METHODS: tuple[Linkage, ...] = ("average", "paris", "single")
PARTS = (2, 3, 7)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument("--points", type=int, default=N_POINTS, metavar="N")
    parser.add_argument("--memory-limit", type=int, default=MEMORY_LIMIT, metavar="EDGES")
    parser.add_argument("--workers", type=int, default=2, metavar="W", help="processes of the local cluster")
    parser.add_argument("--parts", nargs="*", type=int, default=list(PARTS), metavar="P")


def show(options: argparse.Namespace, console: Console) -> int:
    """One row per method and number of parts; the exit code is 1 where a tree differs from the one in memory."""
    from distributed import Client, LocalCluster

    graph = clustered_graph(options.points)
    rows: list[tuple[str, ...]] = []
    with (
        LocalCluster(n_workers=options.workers, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        for method in METHODS:
            begin = time.perf_counter()
            expected = hypcse.graph_linkage(graph, method)
            alone = time.perf_counter() - begin
            for n_parts in options.parts:
                rows.append(_row(graph, method, n_parts, options.memory_limit, expected, alone, client))
                console.print(" | ".join(rows[-1]), markup=False)
    sheet = Sheet(
        f"Linkage in rounds: {graph.n_vertices:,} vertices, {graph.n_edges:,} edges, {options.memory_limit:,} held",
        ("method", "parts", "rounds", "edges after each round", "seconds", "seconds in memory", "Robinson-Foulds"),
        tuple(rows),
        (f"A local cluster of {options.workers} processes; the first run of each method may compile.",),
    )
    console.print(sheet.to_rich())
    for remark in sheet.remarks:
        console.print(remark, markup=False)
    return 1 if any(row[-1] != "0" for row in rows) else 0


def clustered_graph(n_points: int) -> hypcse.Graph:
    """The similarity graph of Gaussian groups of unequal width, ten neighbours each."""
    rng = np.random.default_rng(0)
    center, width = rng.normal(size=(50, 16)) * 4, rng.uniform(0.5, 2, 50)
    group = rng.integers(0, 50, n_points)
    return hypcse.similarity_graph(center[group] + rng.normal(size=(n_points, 16)) * width[group, None], n_neighbors=10)


def _row(
    graph: hypcse.Graph, method: Any, n_parts: int, limit: int, expected: hypcse.Tree, alone: float, client: Any
) -> tuple[str, ...]:
    from hypcse.dask import DistributedGraph, graph_linkage
    from hypcse.dask.linking.kept import read_history

    with tempfile.TemporaryDirectory() as place:
        over = DistributedGraph.from_graph(graph, Path(place) / "graph", n_parts)
        begin = time.perf_counter()
        kept = Path(place) / "rounds"
        tree = graph_linkage(over, method, memory_limit=limit, checkpoint_dir=kept, client=client)
        seconds = time.perf_counter() - begin
        history = read_history(kept)
    return (
        method,
        str(n_parts),
        str(len(history) - 1),
        " ".join(f"{n_edges:,}" for n_edges in history),
        f"{seconds:.1f}",
        f"{alone:.1f}",
        f"{hypcse.robinson_foulds(tree, expected):.0f}",
    )

"""Search over trees on a graph: linkage, refinement, cuts and levels."""

from __future__ import annotations

import os
from collections.abc import Sequence
from math import log10
from typing import Any

import numpy as np
from numpy.typing import NDArray

import hypcse
from benchmarks.case import Rng, Workload, case
from benchmarks.cases.graph import nested_gaussians
from benchmarks.cases.metrics import NOTHING_CACHED
from hypcse._choices import Linkage

PEN_DIGITS = 10_992
N_FINEST = 100
BRANCHING = 10


@case(sizes=(100_000, 1_000_000), growth="n log n")
def graph_average(n_points: int, rng: Rng) -> Workload:
    """Average linkage on a nested graph of about 5.7 n edges."""
    return link(nested_graph(n_points, rng), "average")


@case(sizes=(100_000, 1_000_000), growth="n log n", peer="sknetwork.hierarchy.Paris", peer_up_to=100_000)
def graph_paris(n_points: int, rng: Rng) -> Workload:
    """Paris linkage on a nested graph of about 5.7 n edges."""
    # The peer takes no loops, so that neither side has them.
    graph = nested_graph(n_points, rng).without_loops()
    own = link(graph, "paris")
    return Workload(
        own.run,
        peer=_peer_paris(graph),
        note=f"{NOTHING_CACHED}; no loops",
        facts=own.facts,
        peer_facts=lambda merges: hypcse.score(tree_of_merges(merges), graph=graph),
    )


@case(sizes=(100_000,), growth="n log n")
def graph_hcse(n_points: int, rng: Rng) -> Workload:
    """The linkage of HCSE on a nested graph of about 5.7 n edges."""
    return link(nested_graph(n_points, rng), "entropy")


@case(sizes=(100_000, 1_000_000), growth="n log n")
def refine_fast(n_points: int, rng: Rng) -> Workload:
    """Fast refinement of average linkage on a nested graph of about 5.7 n edges."""
    return refining(nested_graph(n_points, rng))


@case(sizes=(100_000,), growth="n log n")
def best_cut_and_levels(n_points: int, rng: Rng) -> Workload:
    """The best cut and the default levels of average linkage on a nested graph."""
    graph = nested_graph(n_points, rng)
    rows, tree = _rows(graph), hypcse.graph_linkage(graph)

    def run() -> tuple[NDArray[np.int64], Sequence[NDArray[np.int64]]]:
        fresh = hypcse.Tree(tree.parent, tree.height), hypcse.Graph(*rows)
        return hypcse.best_cut(*fresh), hypcse.levels(*fresh)

    return Workload(run, note=NOTHING_CACHED, facts=lambda found: _cut_facts(*found))


@case(sizes=(2_000, 20_000), growth="n log n")
def stability_of_levels(n_points: int, rng: Rng) -> Workload:
    """The stability of all levels of a refined tree on a nested graph, in five draws of its edges."""
    graph = nested_graph(n_points, rng)
    found = hypcse.levels(hypcse.search_tree(graph), graph)
    return Workload(
        run=lambda: hypcse.stability(found, graph),
        note="",
        facts=lambda values: {f"level_{k}": value for k, value in enumerate(values, 1)},
    )


@case(sizes=(PEN_DIGITS,), growth="n log n")
def engine_pen_digits_average(n_points: int, rng: Rng) -> Workload:
    """Average linkage on the graph of PenDigits."""
    return link(pen_digits_graph(n_points, rng), "average")


@case(sizes=(PEN_DIGITS,), growth="n log n")
def engine_pen_digits_paris(n_points: int, rng: Rng) -> Workload:
    """Paris linkage on the graph of PenDigits."""
    return link(pen_digits_graph(n_points, rng), "paris")


@case(sizes=(PEN_DIGITS,), growth="n log n")
def engine_pen_digits_hcse(n_points: int, rng: Rng) -> Workload:
    """The linkage of HCSE on the graph of PenDigits."""
    return link(pen_digits_graph(n_points, rng), "entropy")


@case(sizes=(PEN_DIGITS,), growth="n log n")
def engine_pen_digits_refine_fast(n_points: int, rng: Rng) -> Workload:
    """Fast refinement of average linkage on the graph of PenDigits."""
    return refining(pen_digits_graph(n_points, rng))


def nested_graph(n_points: int, rng: Rng) -> hypcse.Graph:
    """The graph of nested Gaussians in 3 dimensions: ten groups in each, the finest of about 100 points."""
    n_levels = max(1, round(log10(n_points / N_FINEST)))
    X = nested_gaussians(n_points, rng, BRANCHING, n_levels, n_features=3)
    return hypcse.similarity_graph(X, n_neighbors=9, bandwidth="median", algorithm="kd-tree")


def pen_digits_graph(n_points: int, rng: Rng) -> hypcse.Graph:
    """The paper's graph of PenDigits where the data are at hand, else a nested graph of so many points."""
    if n_points == PEN_DIGITS and os.environ.get("HYPCSE_DATA"):
        from hypcse.datasets import load

        return hypcse.similarity_graph(load("pen-digits")[0])
    return nested_graph(n_points, rng)


def tree_of_merges(merges: NDArray[np.float64]) -> hypcse.Tree:
    """A linkage matrix as a tree with join k at height k: the peer's heights between components are infinite."""
    heights = np.arange(1.0, len(merges) + 1)
    return hypcse.Tree.from_linkage(np.column_stack([merges[:, :2], heights, merges[:, 3]]))


def link(graph: hypcse.Graph, method: Linkage) -> Workload:
    """A linkage of a graph."""
    rows = _rows(graph)
    return Workload(
        run=lambda: hypcse.graph_linkage(hypcse.Graph(*rows), method),
        note=NOTHING_CACHED,
        facts=lambda tree: {**hypcse.score(tree, graph=graph), "n_edges": graph.n_edges},
    )


def refining(graph: hypcse.Graph) -> Workload:
    """Fast refinement of average linkage on a graph."""
    rows, tree = _rows(graph), hypcse.graph_linkage(graph)
    before = hypcse.structural_entropy(tree, graph)
    return Workload(
        run=lambda: hypcse.refine(hypcse.Tree(tree.parent, tree.height), hypcse.Graph(*rows)),
        note=NOTHING_CACHED,
        facts=lambda refined: {**hypcse.score(refined, graph=graph), "before": before, "n_edges": graph.n_edges},
    )


def _peer_paris(graph: hypcse.Graph) -> Any:
    from scipy.sparse import csr_matrix

    rows = graph.weights, graph.indices.astype(np.int32), graph.indptr.astype(np.int32)
    matrix = csr_matrix(rows, shape=(graph.n_vertices, graph.n_vertices))

    def peer() -> NDArray[np.float64]:
        from sknetwork.hierarchy import Paris

        return Paris().fit_predict(matrix)

    return peer


def _cut_facts(cut: NDArray[np.int64], nested: Sequence[NDArray[np.int64]]) -> dict[str, float]:
    clusters = {f"level_{k}_clusters": float(labels.max() + 1) for k, labels in enumerate(nested, 1)}
    return {"cut_clusters": float(cut.max() + 1), "n_levels": float(len(nested)), **clusters}


def _rows(graph: hypcse.Graph) -> tuple[Any, Any, Any, Any]:
    return graph.indptr, graph.indices, graph.weights, graph.self_weights

"""The similarity graph, and a tree through text and back."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import hypcse
from benchmarks.case import Rng, Workload, case
from benchmarks.cases.metrics import chain

N_FEATURES = 16
N_NEIGHBORS = 10


@case(sizes=(10_992,), growth="n^2", peer="sklearn.neighbors.kneighbors_graph", max_growth=None)
def similarity_graph_pen_digits_like(n_points: int, rng: Rng) -> Workload:
    """The similarity graph at the size of PenDigits: 10,992 points, 16 features."""
    X = nested_gaussians(n_points, rng)

    def peer() -> object:
        # Imported here, not above: the process that starts the others must stay small.
        from sklearn.neighbors import kneighbors_graph

        return kneighbors_graph(X, N_NEIGHBORS, mode="distance")

    return Workload(
        run=lambda: hypcse.similarity_graph(X),
        peer=peer,
        note="below 20,000 points hypcse calls scikit-learn itself: the ratio shows what weighing adds",
        facts=_graph_facts,
    )


# No growth is claimed: above 50,000 points the automatic choice reads lists, as many as a sample needs.
@case(sizes=(100_000, 1_000_000), growth="none claimed: lists", max_growth=None)
def similarity_graph_large(n_points: int, rng: Rng) -> Workload:
    """The similarity graph of many points, 16 features, with the search chosen automatically: lists above 50,000."""
    X = nested_gaussians(n_points, rng)
    return Workload(run=lambda: hypcse.similarity_graph(X), facts=_graph_facts)


@case(sizes=(100_000, 1_000_000), growth="n log n")
def newick_round_trip(n_points: int, rng: Rng) -> Workload:
    """A chain written as Newick text and read back."""
    parent, height = chain(rng.permutation(n_points))
    return Workload(
        run=lambda: hypcse.Tree.from_newick(hypcse.Tree(parent, height).to_newick()),
        note="a new Tree a call",
        facts=lambda tree: {"same": float(tree == hypcse.Tree(parent, height))},
    )


def nested_gaussians(
    n_points: int, rng: Rng, branching: int = 5, n_levels: int = 2, n_features: int = N_FEATURES
) -> NDArray[np.float64]:
    """Points around centers around centers: Gaussians, each a third as wide as the one above."""
    centers = np.zeros((1, n_features))
    for level in range(n_levels, 0, -1):
        centers = np.repeat(centers, branching, axis=0)
        centers += rng.normal(scale=3.0**level, size=centers.shape)
    member = rng.integers(len(centers), size=n_points)
    return centers[member] + rng.normal(size=(n_points, n_features))


def _graph_facts(graph: hypcse.Graph) -> dict[str, float]:
    return {"n_edges": float(graph.n_edges), "volume": graph.volume}

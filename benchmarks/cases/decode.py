"""From an embedding to a tree: the minimum spanning tree of leaves."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec

import numpy as np
from numpy.typing import NDArray

import hypcse
from benchmarks.case import Rng, Workload, case
from benchmarks.cases.graph import N_FEATURES, nested_gaussians

RADIUS = 0.999
Peer = Callable[[], NDArray[np.float64]]


@case(
    sizes=(5_000, 10_000, 100_000),
    growth="n^2 in a cluster at worst",
    peer="sklearn.cluster.AgglomerativeClustering",
    max_growth=None,
    peer_up_to=10_000,
)
def spanning_16d(n_points: int, rng: Rng) -> Workload:
    """The spanning tree of leaves in 25 clusters in 16 dimensions."""
    leaves = clustered_leaves(n_points, N_FEATURES, rng)

    def peer() -> NDArray[np.float64]:
        from sklearn.cluster import AgglomerativeClustering

        return AgglomerativeClustering(n_clusters=None, distance_threshold=0, linkage="single").fit(leaves).distances_

    return _spanning(leaves, peer)


@case(sizes=(10_000, 100_000), growth="n^2 in a cluster at worst", max_growth=None)
def spanning_8d(n_points: int, rng: Rng) -> Workload:
    """The spanning tree of leaves in 25 clusters in 8 dimensions."""
    return _spanning(clustered_leaves(n_points, 8, rng))


@case(sizes=(10_000, 100_000, 1_000_000), growth="n log n")
def spanning_2d(n_points: int, rng: Rng) -> Workload:
    """The spanning tree of leaves in 25 clusters in 2 dimensions."""
    return _spanning(clustered_leaves(n_points, 2, rng))


@case(sizes=(10_000, 100_000), growth="n^2", max_growth=None)
def spanning_uniform_directions(n_points: int, rng: Rng) -> Workload:
    """The spanning tree of leaves in uniform directions in 16 dimensions, where a k-d tree prunes nothing."""
    return _spanning(on_sphere(rng.normal(size=(n_points, N_FEATURES))))


@case(sizes=(10_000, 100_000), growth="n^2 in a cluster at worst", max_growth=None)
def spanning_neighbors(n_points: int, rng: Rng) -> Workload:
    """The spanning tree by neighbors of leaves in 25 clusters in 16 dimensions."""
    leaves = clustered_leaves(n_points, N_FEATURES, rng)
    return Workload(
        lambda: hypcse.search.spanning_tree(leaves, method="neighbors"), facts=lambda tree: _facts(tree.length)
    )


@case(
    sizes=(10_000, 100_000),
    growth="n^2 in a cluster at worst",
    peer="fast_hdbscan" if find_spec("fast_hdbscan") else None,
    max_growth=None,
)
def spanning_beside_fast_hdbscan(n_points: int, rng: Rng) -> Workload:
    """The spanning tree of 25 clusters in 16 dimensions, beside fast_hdbscan where it is installed."""
    leaves = clustered_leaves(n_points, N_FEATURES, rng)
    return _spanning(leaves, _fast_hdbscan(leaves) if find_spec("fast_hdbscan") else None)


@case(
    sizes=(10_000, 100_000),
    growth="n^2 in a cluster at worst",
    peer="hdbscan" if find_spec("hdbscan") else None,
    max_growth=None,
)
def spanning_beside_hdbscan(n_points: int, rng: Rng) -> Workload:
    """The spanning tree of 25 clusters in 16 dimensions, beside hdbscan where it is installed."""
    leaves = clustered_leaves(n_points, N_FEATURES, rng)
    return _spanning(leaves, _hdbscan(leaves) if find_spec("hdbscan") else None)


def clustered_leaves(n_points: int, n_features: int, rng: Rng) -> NDArray[np.float64]:
    """Nested Gaussians, five in each of five, on one radius of the ball."""
    return on_sphere(nested_gaussians(n_points, rng, n_features=n_features))


def on_sphere(X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rows scaled to the largest radius of leaves."""
    return RADIUS * X / np.linalg.norm(X, axis=1, keepdims=True)


def _spanning(leaves: NDArray[np.float64], peer: Peer | None = None) -> Workload:
    return Workload(
        run=lambda: hypcse.search.spanning_tree(leaves),
        peer=peer,
        facts=lambda tree: _facts(tree.length),
        peer_facts=_facts,
    )


def _facts(lengths: NDArray[np.float64]) -> dict[str, float]:
    return {"length": float(np.sum(lengths, dtype=np.float64))}


def _fast_hdbscan(leaves: NDArray[np.float64]) -> Peer:
    # Imported before it is timed: its import alone compiles for half a minute.
    spanning = import_module("fast_hdbscan.hdbscan").compute_minimum_spanning_tree
    return lambda: spanning(leaves, min_samples=1)[0][:, 2]


def _hdbscan(leaves: NDArray[np.float64]) -> Peer:
    rounds = import_module("hdbscan._hdbscan_boruvka")

    def peer() -> NDArray[np.float64]:
        from sklearn.neighbors import KDTree

        tree = KDTree(leaves, leaf_size=40)
        return rounds.KDTreeBoruvkaAlgorithm(tree, 1, leaf_size=13, approx_min_span_tree=False).spanning_tree()[:, 2]

    return peer

"""Linkage and refinement on graphs with hubs. A million vertices: `--case power_law_hcse --size 1000000`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import hypcse
from benchmarks.case import Rng, Workload, case
from benchmarks.cases.discrete import link, refining
from hypcse._choices import Linkage

N_EDGES = 5


@case(sizes=(10_000, 100_000), growth="n log n")
def star_average(n_points: int, rng: Rng) -> Workload:
    """Average linkage on a star with random weights."""
    return link(star(n_points, rng), "average")


@case(sizes=(10_000, 100_000), growth="n log n")
def star_paris(n_points: int, rng: Rng) -> Workload:
    """Paris linkage on a star with random weights."""
    return link(star(n_points, rng), "paris")


@case(sizes=(10_000, 100_000), growth="n log n")
def star_hcse(n_points: int, rng: Rng) -> Workload:
    """The linkage of HCSE on a star with weights of 1, all of whose pairs are tied."""
    return link(star(n_points, None), "entropy")


@case(sizes=(10_000, 100_000), growth="n log^2 n", max_growth=30.0)
def power_law_average(n_points: int, rng: Rng) -> Workload:
    """Average linkage on a power-law graph of about 5 n edges."""
    return _on_power_law(n_points, rng, "average")


@case(sizes=(10_000, 100_000), growth="n log^2 n", max_growth=30.0)
def power_law_paris(n_points: int, rng: Rng) -> Workload:
    """Paris linkage on a power-law graph of about 5 n edges."""
    return _on_power_law(n_points, rng, "paris")


@case(sizes=(10_000, 100_000), growth="n log^2 n", max_growth=30.0)
def power_law_hcse(n_points: int, rng: Rng) -> Workload:
    """The linkage of HCSE on a power-law graph of about 5 n edges."""
    return _on_power_law(n_points, rng, "entropy")


# Above 100,000 vertices refinement begins from the given tree alone, so growth is measured below.
@case(sizes=(10_000, 100_000), growth="n once the budget of a sweep binds, near 50,000 vertices", max_growth=30.0)
def refine_hubs(n_points: int, rng: Rng) -> Workload:
    """Fast refinement where 50 hubs have all the edges, three for each other vertex."""
    return refining(hubs(n_points, 50, 3, rng))


@case(sizes=(10_000, 100_000), growth="n once the budget of a sweep binds, near 50,000 vertices", max_growth=30.0)
def refine_two_hubs(n_points: int, rng: Rng) -> Workload:
    """Fast refinement where each of two hubs has an edge to every other vertex, of random weight."""
    leaves = np.arange(2, n_points)
    ends = np.repeat([0, 1], leaves.size), np.tile(leaves, 2)
    return refining(hypcse.Graph.from_edges(*ends, rng.uniform(1, 2, size=2 * leaves.size), n_points))


@case(sizes=(10_000, 100_000), growth="n once the budget of a sweep binds, near 50,000 vertices", max_growth=30.0)
def refine_star(n_points: int, rng: Rng) -> Workload:
    """Fast refinement of a star with random weights, every tree of which is as deep as can be."""
    return refining(star(n_points, rng))


@case(sizes=(20_000, 200_000), growth="n log n")
def path_multilevel(n_points: int, rng: Rng) -> Workload:
    """Multilevel linkage on a path whose weights grow along it."""
    first = np.arange(n_points - 1)
    return link(hypcse.Graph.from_edges(first, first + 1, first + 1.0, n_points), "multilevel")


def hubs(n_vertices: int, n_hubs: int, n_edges: int, rng: Rng) -> hypcse.Graph:
    """The first vertices are hubs; each other one draws so many edges to them, with weights from 1 to 2."""
    leaves = np.repeat(np.arange(n_hubs, n_vertices), n_edges)
    drawn = rng.integers(n_hubs, size=leaves.size)
    return hypcse.Graph.from_edges(drawn, leaves, rng.uniform(1, 2, size=leaves.size), n_vertices)


def star(n_vertices: int, rng: Rng | None) -> hypcse.Graph:
    """Vertex 0 next to all others, with weights from 1 to 2, or of 1 without a generator."""
    leaves = np.arange(1, n_vertices)
    weights = np.ones(leaves.size) if rng is None else rng.uniform(1, 2, size=leaves.size)
    return hypcse.Graph.from_edges(np.zeros_like(leaves), leaves, weights, n_vertices)


def power_law_edges(n_vertices: int, n_edges: int, rng: Rng) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Ends of the edges of a graph of Barabasi and Albert: each vertex brings so many to those that have many.

    An end is drawn from all ends of edges that came before. Where that is the drawn end of such an edge, it was drawn
    in turn, and is followed. Edges may be drawn twice.
    """
    source = np.repeat(np.arange(1, n_vertices), n_edges)
    drawn = (rng.random(source.size) * (2 * n_edges * (source - 1))).astype(np.int64)
    follow = np.flatnonzero((drawn % 2 == 1) & (drawn // 2 >= n_edges))
    while follow.size:
        drawn[follow] = drawn[drawn[follow] // 2]
        follow = follow[(drawn[follow] % 2 == 1) & (drawn[follow] // 2 >= n_edges)]
    target = np.where(drawn % 2 == 0, source[drawn // 2], 0)
    # Vertex 1 has but one to choose.
    target[:n_edges] = 0
    return source, target


def _on_power_law(n_points: int, rng: Rng, method: Linkage) -> Workload:
    source, target = power_law_edges(n_points, N_EDGES, rng)
    return link(hypcse.Graph.from_edges(source, target, np.ones(source.size), n_points), method)

"""Whether data hold more structure than chance makes; for a graph, chance is a shuffle of its edges."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from hypcse._checks import check_choice
from hypcse._choices import Metric, Scale
from hypcse._random import generator
from hypcse.entropy import one_dimensional_entropy, structural_entropy
from hypcse.graph import Graph, as_graph, scale_features
from hypcse.graph.convert import in_range, with_edges
from hypcse.graph.neighbors.search import unit_rows
from hypcse.kernels.arrays import Floating, Ids, Reals
from hypcse.partitions.evidence import MIN_POINTS, UNTESTED, Structure, judge
from hypcse.partitions.tables import classical_coordinates, table_structure
from hypcse.points.convert import is_affinity, is_networkx
from hypcse.search.multilevel import multilevel_tree

LEAST_SAVED = 0.03
"""Smallest excess in doublings that counts as structure of a graph, however significant."""
SPREAD = 0.005
"""Smallest standard deviation of chance, in doublings, that a few shuffles can measure."""
MAX_DRAWS, MIN_DRAWS = 40, 3
MAX_DRAWN = 1_000_000
"""Largest number of edges of all draws together; larger graphs get fewer draws."""
ROUNDS, FITTINGS = 3, 30
"""How many times each edge is considered for an exchange, and each degree is brought nearer to what it was."""
RESOLUTIONS = (0.0, 1.0)
"""Of the groups from which trees are made."""


def beyond_chance(
    data: Any, *, scale: Scale = "minmax", metric: Metric = "euclidean", random_state: int = 0
) -> Structure:
    """Test whether a table or a graph has more structure than chance would produce.

    A graph is compared with shuffled graphs of the same degrees: how much entropy does a tree save over the star of all
    vertices? First the edges are tested without weights and, if these look like chance, with weights.

    A neighbor graph always saves more than its shuffles, because neighbors of a point are near each other. So a table
    is compared with random tables of one cloud, whose columns have one mode each and are correlated as those of the
    table: how little weight leaves the parts? Parts of 10 points or more count, and the size that stands out most
    decides. Rows that are equal count once.

    A column of at most ten different values keeps these in the random tables, so that it cannot be structure by itself.
    The other columns are tested without such columns first, then all.

    Parameters
    ----------
    data
        A `Graph`, a networkx graph or a sparse symmetric affinity; features, one row per point; or with
        metric="precomputed" distances between points (square or condensed; sparse ones are not tested).
    scale, metric
        As in `similarity_graph`; features are scaled the same way.
    random_state
        Seed of the draws and of the sample of points. Of a table of more than 1,000 points, 1,000 are tested; and if
        these show nothing, the neighborhood of one point, where small clusters show.

    Returns
    -------
    Structure
        The verdict, and how far beyond chance the data lie.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> noise = rng.uniform(size=(200, 2))
    >>> beyond_chance(noise).word, beyond_chance(np.concatenate([noise, noise + 3])).word
    ('none', 'clear')
    """
    check_choice("metric", metric, Metric)
    rng = generator(random_state, "chance")
    if is_networkx(data) or (metric != "precomputed" and is_affinity(data)):
        data = as_graph(data)
    if isinstance(data, Graph):
        return graph_structure(data, rng)
    points: Floating | None
    points = classical_coordinates(data, rng) if metric == "precomputed" else scale_features(data, scale, metric)
    if points is not None and metric == "cosine":
        # Rows of zeros have no direction.
        points = unit_rows(points[points.any(axis=1)])
    if points is None or len(points) < MIN_POINTS:
        return UNTESTED
    verdict = table_structure(points, rng)
    if metric == "precomputed" or np.shape(data)[1] != points.shape[1]:
        # The columns are not those of the data.
        return replace(verdict, rests_on=())
    names = list(getattr(data, "columns", range(points.shape[1])))
    named = (names[int(k)] for k in verdict.rests_on)
    return replace(verdict, rests_on=tuple(name if isinstance(name, int) else str(name) for name in named))


def graph_structure(graph: Graph, rng: np.random.Generator) -> Structure:
    """Test the edges without weights and, if these look like chance, with weights."""
    if min(graph.n_vertices, graph.n_edges) < MIN_POINTS:
        return UNTESTED
    graph = in_range(graph)
    i, j, weights = graph.edges()
    verdict = _of_edges(with_edges(graph, i, j, np.ones_like(weights)), rng)
    return verdict if verdict.found or weights.min() == weights.max() else _of_edges(graph, rng)


def _of_edges(graph: Graph, rng: np.random.Generator) -> Structure:
    """Compare what a tree saves over the star of all vertices with what trees of the same search save on shuffles."""
    n_draws = int(np.clip(MAX_DRAWN // max(graph.n_edges, 1), MIN_DRAWS, MAX_DRAWS))
    savings = [_saving(graph), *(_saving(shuffle_edges(graph, rng)) for _ in range(n_draws))]
    doublings = np.log2(np.maximum(savings, 1e-12))[:, None]
    return judge(doublings[0], doublings[1:], least=LEAST_SAVED, spread=SPREAD)


def _saving(graph: Graph) -> float:
    """Bits that a tree saves."""
    trees = [multilevel_tree(graph, resolution) for resolution in RESOLUTIONS]
    return one_dimensional_entropy(graph) - min(structural_entropy(tree, graph) for tree in trees)


def shuffle_edges(graph: Graph, rng: np.random.Generator, rounds: int = ROUNDS) -> Graph:
    """The graph with its edges exchanged at random: every vertex keeps its number of edges, and about its degree.

    Edges (a, b) and (c, d) become (a, d) and (c, b), unless one of these is a loop or exists. Weights are redistributed
    at random, then multiplied by one factor per vertex until degrees are close to what they were. O(m log m).
    """
    first, second, weights = graph.edges()
    i, j = first.astype(np.int64), second.astype(np.int64)
    half = i.size // 2
    for _ in range(rounds):
        order = rng.permutation(i.size)
        one, other = order[:half], order[half : 2 * half]
        turn = rng.random(half) < 0.5
        i[other], j[other] = np.where(turn, j[other], i[other]), np.where(turn, i[other], j[other])
        made = _keys(np.append(i[one], i[other]), np.append(j[other], j[one]), graph.n_vertices)
        _, back, times = np.unique(made, return_inverse=True, return_counts=True)
        free = (times[back] == 1) & ~np.isin(made, _keys(i, j, graph.n_vertices))
        free &= np.append(i[one] != j[other], i[other] != j[one])
        both = free[:half] & free[half:]
        one, other = one[both], other[both]
        j[one], j[other] = j[other], j[one]
    return with_edges(graph, i, j, _fit_degrees(i, j, rng.permutation(weights), graph.edge_degrees))


def _fit_degrees(i: Ids, j: Ids, weights: Reals, degrees: Reals) -> Reals:
    """Weights of edges multiplied by one factor per vertex, so that they add up to about these degrees."""
    for _ in range(FITTINGS if weights.min() < weights.max() else 0):
        now = np.bincount(i, weights, degrees.size) + np.bincount(j, weights, degrees.size)
        factor = np.sqrt(np.divide(degrees, now, where=now > 0, out=np.ones_like(now)))
        weights = weights * factor[i] * factor[j]
    return weights


def _keys(i: Ids, j: Ids, n: int) -> Ids:
    """One number for the edge between i and j, in either direction."""
    return np.minimum(i, j) * n + np.maximum(i, j)

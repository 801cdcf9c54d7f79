"""Whether data hold more structure than chance makes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hypcse._checks import check_choice
from hypcse._choices import Metric, Scale
from hypcse._random import generator
from hypcse.graph import Graph, as_graph, scale_features
from hypcse.graph.convert import in_range, with_edges
from hypcse.graph.features import dense_features
from hypcse.graph.neighbors.search import unit_rows
from hypcse.partitions.evidence import MIN_POINTS, UNTESTED, Structure, judge
from hypcse.partitions.shuffles import graph_savings
from hypcse.partitions.tables import classical_coordinates, table_structure
from hypcse.points.convert import is_affinity, is_networkx

LEAST_SAVED = 0.03
"""Smallest excess in doublings that counts as structure of a graph, however significant."""
SPREAD = 0.005
"""Smallest standard deviation of chance, in doublings, that a few shuffles can measure."""


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
    scale
        As in `similarity_graph`; features are scaled the same way.
    metric
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
        if min(data.n_vertices, data.n_edges) < MIN_POINTS:
            return UNTESTED
        return _of_graph(data, rng)
    points: NDArray[np.floating] | None
    if metric == "precomputed":
        points = classical_coordinates(data, rng)
    else:
        points = scale_features(dense_features(data), scale, metric)
    if points is None:
        return UNTESTED
    if metric == "cosine":
        # Rows of zeros have no direction.
        points = unit_rows(points[points.any(axis=1)])
    if len(points) < MIN_POINTS:
        return UNTESTED
    found = table_structure(points, rng)
    names = _column_names(data, points.shape[1], metric)
    return replace(found, rests_on=tuple(names[int(k)] for k in found.rests_on) if names else ())


def _column_names(data: Any, n_columns: int, metric: Metric) -> list[str | int]:
    """Names or positions of the columns that are compared; none if they are not those of the data."""
    if metric == "precomputed" or np.shape(data)[1] != n_columns:
        return []
    return [k if isinstance(k, int) else str(k) for k in getattr(data, "columns", range(n_columns))]


def _of_graph(graph: Graph, rng: np.random.Generator) -> Structure:
    """Test the edges without weights and, if these look like chance, with weights."""
    graph = in_range(graph)
    i, j, weights = graph.edges()
    alike = weights.min() == weights.max()
    found = judge(*graph_savings(with_edges(graph, i, j, np.ones_like(weights)), rng), least=LEAST_SAVED, spread=SPREAD)
    return found if found.found or alike else judge(*graph_savings(graph, rng), least=LEAST_SAVED, spread=SPREAD)

"""Whether data hold more structure than chance makes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hypcse._checks import check_choice
from hypcse._choices import Evidence, Metric, Scale
from hypcse._random import generator
from hypcse.chance.graphs import graph_savings
from hypcse.chance.tables import classical_coordinates, table_separations
from hypcse.graph import Graph, as_graph, scale_features
from hypcse.graph.edges import with_edges
from hypcse.graph.features import dense_features
from hypcse.graph.neighbors import unit_rows
from hypcse.graph.units import in_range
from hypcse.points.convert import is_affinity, is_networkx

LEAST_SCORE, CLEAR_SCORE = 3.0, 6.0
"""Standard deviations above chance from which structure is found, and from which it is clear."""
LEAST_SPREAD = 0.005
"""Smallest standard deviation of chance, in doublings, that a few draws can measure."""
LEAST_SAVED, LEAST_APART = 0.03, 0.75
"""Smallest excess in doublings that counts as structure, however significant: for a graph, and for a table."""
MIN_POINTS = 20
"""With fewer points or edges, chance can produce any structure."""
MAX_POINTS = 1500
"""Number of points of a table that are tested together."""
GLANCE, PLAIN_SCORE = 500, 2 * CLEAR_SCORE
"""Number of points tested first, and the score from which no more points are needed."""


@dataclass(frozen=True)
class Structure:
    """How far data lie beyond chance.

    Attributes
    ----------
    word
        "clear", "weak", "none", or "untested" if there is too little to compare: fewer than 20 points or edges, or
        sparse distances.
    score
        By how many standard deviations the data exceed the mean of chance.
    excess
        The same in doublings: 1.0 means parts twice as far apart (for a table), or twice as much saved (for a graph).

    Examples
    --------
    >>> structure = Structure("weak", 4.0, 1.2)
    >>> structure.found, str(structure)
    (True, 'weak structure beyond chance (4.0 standard deviations)')
    """

    word: Evidence
    score: float
    excess: float

    @property
    def found(self) -> bool:
        """Whether clusters are worth showing; True if untested."""
        return self.word != "none"

    def __str__(self) -> str:
        if self.word == "untested":
            return f"structure untested: this needs {MIN_POINTS} points or edges, and distances of all pairs"
        named = "no structure" if self.word == "none" else f"{self.word} structure"
        return f"{named} beyond chance ({self.score:.1f} standard deviations)"


UNTESTED = Structure("untested", 0.0, 0.0)


def beyond_chance(
    data: Any, *, scale: Scale = "minmax", metric: Metric = "euclidean", random_state: int = 0
) -> Structure:
    """Test whether a table or a graph has more structure than chance would produce.

    A graph is compared with shuffled graphs of the same degrees: how much entropy does a tree save over the star of all
    vertices? First the edges are tested without weights and, if these look like chance, with weights. A neighbour graph
    always saves more than its shuffles, because neighbours of a point are near each other. So a table is compared with
    random tables, drawn evenly from a box with the variances of its principal components: how little weight leaves the
    parts? Partitions from 1/2 bit to 3 bits of entropy, that is from two to about ten parts, are compared, and the
    scale that stands out most counts.

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
        Seed of the draws and of the sample of points. A table of more than 500 points is first tested on 500 of them,
        which is enough if they lie 12 standard deviations beyond chance; then on up to 1,500; a larger table also on
        the neighbourhood of one point, where small clusters show.

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
    rng, first = (generator(random_state, purpose) for purpose in ("chance", "a glance at chance"))
    if is_networkx(data) or (metric != "precomputed" and is_affinity(data)):
        data = as_graph(data)
    if isinstance(data, Graph):
        if min(data.n_vertices, data.n_edges) < MIN_POINTS:
            return UNTESTED
        return _of_graph(data, rng)
    points: NDArray[np.floating] | None
    if metric == "precomputed":
        points = classical_coordinates(data, MAX_POINTS, rng)
    else:
        points = scale_features(dense_features(data), scale)
    if points is None or len(points) < MIN_POINTS:
        return UNTESTED
    compared = unit_rows(points) if metric == "cosine" else points
    if len(points) > GLANCE:
        glance = _judge(
            *table_separations(_some(compared, GLANCE, first), metric == "cosine", first), least=LEAST_APART
        )
        if glance.word == "clear" and glance.score >= PLAIN_SCORE:
            return glance
    return _of_points(compared, metric == "cosine", rng)


def _of_graph(graph: Graph, rng: np.random.Generator) -> Structure:
    """Test the edges without weights and, if these look like chance, with weights."""
    graph = in_range(graph)
    i, j, weights = graph.edges()
    alike = weights.min() == weights.max()
    found = _judge(*graph_savings(with_edges(graph, i, j, np.ones_like(weights)), rng), least=LEAST_SAVED)
    return found if found.found or alike else _judge(*graph_savings(graph, rng), least=LEAST_SAVED)


def _of_points(points: NDArray[np.floating], on_sphere: bool, rng: np.random.Generator) -> Structure:
    whole = points if len(points) <= MAX_POINTS else _some(points, MAX_POINTS, rng)
    found = _judge(*table_separations(whole, on_sphere, rng), least=LEAST_APART)
    if found.found or len(points) <= MAX_POINTS:
        return found
    # A sample of all points thins out clusters of a few points each.
    near = _judge(*table_separations(_near(points, rng), on_sphere, rng), least=LEAST_APART)
    return near if near.word == "clear" else found


def _some(points: NDArray[np.floating], number: int, rng: np.random.Generator) -> NDArray[np.floating]:
    return points[np.sort(rng.choice(len(points), number, replace=False))]


def _near(points: NDArray[np.floating], rng: np.random.Generator) -> NDArray[np.floating]:
    """The neighbours of one of the points."""
    squares = np.square(points - points[rng.integers(len(points))]).sum(axis=1)
    return points[np.sort(np.argpartition(squares, MAX_POINTS)[:MAX_POINTS])]


def _judge(value: NDArray[np.float64], chance: NDArray[np.float64], *, least: float) -> Structure:
    """Compare the data with the draws, each at several scales, in doublings.

    Each draw, like the data, counts at the scale where it exceeds the mean of the others most, so that the choice of
    the scale favours neither.
    """
    n_draws = len(chance)
    mean = chance.mean(axis=0)
    others = (chance.sum(axis=0) - chance) / (n_draws - 1)
    by_chance = (chance - others).max(axis=1)
    excess = float((value - mean).max())
    score = (excess - float(by_chance.mean())) / max(float(by_chance.std(ddof=1)), LEAST_SPREAD)
    if score < LEAST_SCORE or excess < least:
        return Structure("none", score, excess)
    return Structure("clear" if score >= CLEAR_SCORE else "weak", score, excess)

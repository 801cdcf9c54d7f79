"""Whether data hold more structure than chance makes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hypcse._checks import check_choice
from hypcse._choices import Evidence, Metric, Scale
from hypcse._random import generator
from hypcse.chance.edges import with_edges
from hypcse.chance.graphs import graph_savings
from hypcse.chance.noise import cloud_like
from hypcse.chance.tables import classical_coordinates, separation, telling_columns
from hypcse.graph import Graph, as_graph, scale_features
from hypcse.graph.features import dense_features, few_valued
from hypcse.graph.neighbors import unit_rows
from hypcse.graph.units import in_range
from hypcse.points.convert import is_affinity, is_networkx

LEAST_SCORE, CLEAR_SCORE = 3.0, 6.0
"""Standard deviations above chance from which structure is found, and from which it is clear."""
LEAST_SAVED, LEAST_APART = 0.03, 0.75
"""Smallest excess in doublings that counts as structure, however significant: for a graph, and for a table."""
SAVED_SPREAD, APART_SPREAD = 0.005, 0.1
"""Smallest standard deviation of chance, in doublings, that a few draws can measure: for a graph, and for a table."""
N_DRAWS = (5, 10, 20)
"""Numbers of draws of a table after which the answer may be clear enough."""
LEAST_DEVIATION = 0.3
"""Smallest standard deviation, over draws, of the scale that stands out most; a few draws may be alike by luck."""
PLAIN_SCORE = 2 * CLEAR_SCORE
"""The score from which no more draws are needed."""
MIN_POINTS = 20
"""With fewer points or edges, chance can produce any structure."""
MAX_POINTS = 1000
"""Number of points of a table that are tested together."""


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
    rests_on
        Columns of a table, by name or by position, without which there is no structure. If there is structure, this is
        at most one column. If there is none, these are columns of few different values, such as a coin or a year,
        that alone set rows apart, which does not count.

    Examples
    --------
    >>> structure = Structure("weak", 4.0, 1.2)
    >>> structure.found, str(structure)
    (True, 'weak structure beyond chance (4.0 standard deviations)')
    """

    word: Evidence
    score: float
    excess: float
    rests_on: tuple[str | int, ...] = ()

    @property
    def found(self) -> bool:
        """Whether clusters are worth showing; True if untested."""
        return self.word != "none"

    def __str__(self) -> str:
        if self.word == "untested":
            return f"structure untested: this needs {MIN_POINTS} points or edges, and distances of all pairs"
        named = "no structure" if self.word == "none" else f"{self.word} structure"
        columns = f", but for {', '.join(map(str, self.rests_on))}" if self.rests_on and not self.found else ""
        return f"{named} beyond chance ({self.score:.1f} standard deviations){columns}"


UNTESTED = Structure("untested", 0.0, 0.0)


def beyond_chance(
    data: Any, *, scale: Scale = "minmax", metric: Metric = "euclidean", random_state: int = 0
) -> Structure:
    """Test whether a table or a graph has more structure than chance would produce.

    A graph is compared with shuffled graphs of the same degrees: how much entropy does a tree save over the star of all
    vertices? First the edges are tested without weights and, if these look like chance, with weights.

    A neighbour graph always saves more than its shuffles, because neighbours of a point are near each other. So a table
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
        these show nothing, the neighbourhood of one point, where small clusters show.

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
        points = classical_coordinates(data, MAX_POINTS, rng)
    else:
        points = scale_features(dense_features(data), scale)
    if points is None or len(points) < MIN_POINTS:
        return UNTESTED
    found = _of_points(unit_rows(points) if metric == "cosine" else points, rng)
    if metric == "precomputed":
        return replace(found, rests_on=())
    names = getattr(data, "columns", range(points.shape[1]))
    return replace(found, rests_on=tuple(names[k] for k in found.rests_on))


def _of_graph(graph: Graph, rng: np.random.Generator) -> Structure:
    """Test the edges without weights and, if these look like chance, with weights."""
    graph = in_range(graph)
    i, j, weights = graph.edges()
    alike = weights.min() == weights.max()
    found = _judge(*graph_savings(with_edges(graph, i, j, np.ones_like(weights)), rng), least=LEAST_SAVED, spread=SAVED_SPREAD)
    return found if found.found or alike else _judge(*graph_savings(graph, rng), least=LEAST_SAVED, spread=SAVED_SPREAD)


def _of_points(points: NDArray[np.floating], rng: np.random.Generator) -> Structure:
    """Test a sample of the points, and if it shows nothing, the neighbours of one of them."""
    n = len(points)
    whole = points if n <= MAX_POINTS else points[rng.choice(n, MAX_POINTS, replace=False)]
    found = _of_columns(_distinct(whole), rng)
    if found.found or n <= MAX_POINTS:
        return found
    # A sample of all points thins out clusters of a few points each.
    squares = np.square(points - points[rng.integers(n)]).sum(axis=1)
    near = _of_columns(_distinct(points[np.argpartition(squares, MAX_POINTS)[:MAX_POINTS]]), rng)
    return near if near.word == "clear" else found


def _distinct(points: NDArray[np.floating]) -> NDArray[np.float64]:
    """Rows that differ, around 0 and at most 1, because single precision has limits and separations have no unit."""
    centered = points.astype(np.float64) - points.mean(axis=0, dtype=np.float64)
    # A power of two, so that the division is exact.
    return np.unique(np.ldexp(centered, -np.frexp(np.abs(centered).max())[1]), axis=0)


def _of_columns(points: NDArray[np.float64], rng: np.random.Generator) -> Structure:
    """Test distinct points, and see on which columns the answer rests."""
    if len(points) == 1:
        return Structure("none", 0.0, 0.0)
    found, columns = _first_found(points, rng)
    if found.word == "none":
        return replace(found, rests_on=_steps(points))
    if found.word == "untested":
        return found
    if points.shape[1] == 1:
        return replace(found, rests_on=(0,))
    table = np.unique(points[:, columns], axis=0)
    telling = columns[telling_columns(table, separation(table).part)]
    if telling.size == 1 and not _first_found(np.delete(points, telling, axis=1), rng)[0].word in ("weak", "clear"):
        return replace(found, rests_on=(int(telling[0]),))
    return found


def _first_found(points: NDArray[np.float64], rng: np.random.Generator) -> tuple[Structure, NDArray[np.int64]]:
    """The structure of the columns of many values or, if there is none, of all columns; and these columns."""
    few = few_valued(points)
    columns = np.arange(len(few))
    if few.any() and not few.all():
        found = _against_noise(points[:, ~few], rng)
        if found.word in ("weak", "clear"):
            return found, columns[~few]
    return _against_noise(points, rng), columns


def _against_noise(points: NDArray[np.float64], rng: np.random.Generator) -> Structure:
    """Compare the separation of points with that of as many draws of noise as it takes."""
    points = np.unique(points, axis=0)
    if len(points) < MIN_POINTS:
        return UNTESTED
    own = separation(points).values
    noise = cloud_like(points)
    draws: list[NDArray[np.float64]] = []
    found = UNTESTED
    for n_draws in N_DRAWS:
        while len(draws) < n_draws:
            draw = np.unique(noise.draw(len(points), rng), axis=0)
            if len(draw) < MIN_POINTS:
                return UNTESTED
            draws.append(separation(draw, own.size).values)
        found = _judge(own, np.array(draws), least=LEAST_APART, spread=APART_SPREAD)
        if found.excess < LEAST_APART or found.score >= PLAIN_SCORE:
            break
    return found


def _steps(points: NDArray[np.float64]) -> tuple[int, ...]:
    """The columns of few values each of which sets rows apart that the columns of many values do not."""
    few = few_valued(points)
    others = np.unique(points[:, ~few], axis=0)
    if len(others) < MIN_POINTS or not few.any():
        return ()
    least = separation(others, 1).values[0] + LEAST_APART
    if separation(points, 1).values[0] < least:
        return ()
    tables = ((k, np.unique(points[:, ~few | (np.arange(few.size) == k)], axis=0)) for k in np.flatnonzero(few))
    return tuple(int(k) for k, table in tables if separation(table, 1).values[0] >= least)


def _judge(value: NDArray[np.float64], chance: NDArray[np.float64], *, least: float, spread: float) -> Structure:
    """Compare the data with the draws, each at several scales, in doublings.

    At each scale, standard deviations count. Each draw, like the data, counts at the scale where it exceeds the mean of
    the others most, so that the choice of the scale favours neither.
    """
    mean = chance.mean(axis=0)
    deviation = np.maximum(chance.std(axis=0, ddof=1), spread)
    others = (chance.sum(axis=0) - chance) / (len(chance) - 1)
    by_chance = ((chance - others) / deviation).max(axis=1)
    excess = float((value - mean).max())
    beyond = float(((value - mean) / deviation).max() - by_chance.mean())
    score = beyond / max(float(by_chance.std(ddof=1)), LEAST_DEVIATION)
    if score < LEAST_SCORE or excess < least:
        return Structure("none", score, excess)
    return Structure("clear" if score >= CLEAR_SCORE else "weak", score, excess)

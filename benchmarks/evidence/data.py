"""What a case is: data from a seed, with the answer that is known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import hypcse
from hypcse._choices import Scale

Floats = NDArray[np.float64]
Labels = NDArray[np.int64]
CUTS = range(2, 65)
"""Numbers of clusters at which dendrograms are cut; the best cut counts, which only the truth can tell."""
CHOICES = range(2, 21)
"""Numbers of clusters among which the silhouette, modularity or BIC chooses."""


class Data(NamedTuple):
    """A table or a graph, and its known partitions, coarse to fine.

    partitions : labels of every known level; -1 stands for outliers and background.
    scale      : how columns are brought to one scale, for every method.
    """

    partitions: tuple[Labels, ...]
    X: Floats | None = None
    graph: hypcse.Graph | None = None
    scale: Scale = "minmax"

    @property
    def y(self) -> Labels:
        """The finest partition."""
        return self.partitions[-1]

    @property
    def features(self) -> Floats:
        """What methods on tables are given."""
        assert self.X is not None
        return np.asarray(hypcse.graph.scale_features(self.X, self.scale), np.float64)

    def neighbor_graph(self) -> hypcse.Graph:
        """What methods on graphs are given: of a table the graph that ours makes by default."""
        if self.X is None:
            assert self.graph is not None
            return self.graph.without_loops()
        return hypcse.similarity_graph(self.X, scale=self.scale, bandwidth="auto").without_loops()


class Hierarchy(NamedTuple):
    """What a method finds: partitions at several scales, and the tree, where there is one."""

    levels: tuple[Labels, ...]
    tree: hypcse.Tree | None = None


@dataclass(frozen=True)
class Case:
    """Data under a name, drawn by a seed, or the same for each.

    group : cases whose means are shown together.
    at    : where the case lies on the horizontal axis of the group's plot.
    drawn : whether the seed changes the data; otherwise there is one draw.
    kind  : "table" or "graph".
    """

    name: str
    group: str
    make: Callable[[int], Data]
    at: float | None = None
    drawn: bool = True
    kind: str = "table"

"""Points as a file or a data set gives them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hypcse import Graph, similarity_graph


@dataclass(frozen=True)
class Points:
    """Features (n, d) or a graph or both, and where known a label and a name for each point.

    titles : of the columns.
    notes  : what was done to the data on the way, to be said aloud.
    """

    features: NDArray[np.float64] | None
    labels: NDArray[np.generic] | None = None
    names: tuple[str, ...] | None = None
    titles: tuple[str, ...] | None = None
    graph: Graph | None = None
    notes: tuple[str, ...] = ()

    @property
    def n_points(self) -> int:
        """How many there are."""
        if self.features is not None:
            return len(self.features)
        return 0 if self.graph is None else self.graph.n_vertices

    def similarity(self, **graph_options: Any) -> Graph:
        """The graph that was given, or the similarity graph of the features."""
        return self.graph if self.graph is not None else similarity_graph(self.features, **graph_options)

"""What a method is given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hypcse.discrete import join_components
from hypcse.graph import Graph, scale_features, similarity_graph
from hypcse.tree import Tree


@dataclass(frozen=True)
class Points:
    """Points to cluster: their features, their graph, or both.

    given        : features (n, d) as they came, or None.
    given_graph  : a graph over the points, or None for the similarity graph of the features.
    scale        : how features are scaled.
    random_state : the seed of a method that draws.
    callback     : what a method that reports progress reports to.
    """

    given: NDArray[Any] | None
    given_graph: Graph | None
    scale: str = "minmax"
    random_state: int = 0
    callback: Callable[[Any], object] | None = None

    @property
    def raw(self) -> NDArray[Any]:
        """The features as they came."""
        if self.given is None:
            raise ValueError("this method clusters features: pass X.")
        return self.given

    @property
    def n_points(self) -> int:
        """How many points there are."""
        return self.graph.n_vertices if self.given is None else len(self.given)

    @cached_property
    def features(self) -> NDArray[np.float64]:
        """Scaled features in float64, computed in float32 as the evaluation convention has it."""
        return scale_features(self.raw, self.scale).astype(np.float64)

    @cached_property
    def graph(self) -> Graph:
        """The graph that was given, or the similarity graph of the features."""
        if self.given_graph is not None:
            return self.given_graph
        if self.given is None:
            raise ValueError("this method clusters a graph: pass graph=, or X to make the similarity graph of.")
        return similarity_graph(self.given, scale=self.scale)

    def joined(self, tree: Tree) -> Tree:
        """A tree found on the graph, with what no edge joins joined by the features, where there are any."""
        if self.given is None:
            return tree
        return join_components(tree, self.graph, self.given, scale=self.scale, bridges=True)

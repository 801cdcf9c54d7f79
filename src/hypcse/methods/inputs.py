"""What a method is given."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hypcse._choices import Scale
from hypcse._progress import Callback
from hypcse.discrete import join_components
from hypcse.graph import Graph
from hypcse.points import Points
from hypcse.tree import Tree


@dataclass(frozen=True)
class Inputs:
    """The points that a method clusters, and how.

    points       : their features, their graph, or both.
    scale        : how features are scaled.
    random_state : the seed of a method that draws.
    callback     : what a method that takes long reports to.
    """

    points: Points
    scale: Scale = "minmax"
    random_state: int = 0
    callback: Callback | None = None

    @property
    def raw(self) -> NDArray[Any]:
        """The features as they came."""
        return self.points.table

    @property
    def n_points(self) -> int:
        """How many points there are."""
        return self.points.n_points

    @cached_property
    def scaled(self) -> NDArray[np.float32]:
        """The features on their scale, in float32 as the evaluation convention has it."""
        scale, _ = self.points.suited(self.scale, 1.0)
        return self.points.scaled(scale)[1]

    @cached_property
    def features(self) -> NDArray[np.float64]:
        """Scaled features in float64."""
        return self.scaled.astype(np.float64)

    @cached_property
    def graph(self) -> Graph:
        """The graph that was given, or the similarity graph of the features."""
        return self.points.similarity(scale=self.scale)

    def joined(self, tree: Tree) -> Tree:
        """A tree found on the graph, with what no edge joins joined by the features, where there are any."""
        if self.points.features is None:
            return tree
        metric = self.points.metric
        return join_components(tree, self.graph, self.scaled, scale="none", metric=metric, bridges=True)

"""The input of a method."""

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
    random_state : seed of random methods.
    callback     : receives the progress of long methods.
    """

    points: Points
    scale: Scale = "minmax"
    random_state: int = 0
    callback: Callback | None = None

    @property
    def raw(self) -> NDArray[Any]:
        """The unscaled features."""
        return self.points.table

    @property
    def n_points(self) -> int:
        """Number of points."""
        return self.points.n_points

    @cached_property
    def scaled(self) -> NDArray[np.float32]:
        """The scaled features, in float32 as in the paper's evaluation."""
        scale, _ = self.points.suited(self.scale, 1.0)
        return self.points.scaled(scale)[1]

    @cached_property
    def features(self) -> NDArray[np.float64]:
        """Scaled features in float64."""
        return self.scaled.astype(np.float64)

    @cached_property
    def graph(self) -> Graph:
        """The given graph, or the similarity graph of the features."""
        return self.points.similarity(scale=self.scale)

    def joined(self, tree: Tree) -> Tree:
        """A tree found on the graph, with its components joined by the features, if there are any."""
        if self.points.features is None:
            return tree
        metric = self.points.metric
        return join_components(tree, self.graph, self.scaled, scale="none", metric=metric, bridges=True)

"""The made hierarchies, described as data: one more is one more line of `CASES`."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any


@dataclass(frozen=True)
class Case:
    """A hierarchy to draw points from: nested Gaussians, or a block model where there are `degrees`.

    branching    : parts of each part, level by level from the top; (3, 3, 3) are 27 Gaussians in nine groups of three.
    n_features   : columns that tell clusters apart; with 0 there is a graph and nothing else.
    spread       : standard deviation of the points of a cluster. That of the centres of the finest level around their
                   parent's is 1.5 in every column, and that of each level above `step_ratio` times as much.
    size_ratio   : points of the largest cluster over those of the smallest.
    spread_ratio : spread of the widest cluster over that of the narrowest.
    n_noise      : columns that tell nothing, each one normal distribution.
    heavy_tails  : whether points are spread by Student's t of 3 degrees of freedom instead of a normal distribution.
    degrees      : expected edges of a vertex inside its block, to the other blocks of its group, and so on outwards.
    """

    name: str
    branching: tuple[int, ...]
    n_features: int
    spread: float
    n_points: int = 1000
    step_ratio: float = 2.0
    size_ratio: float = 1.0
    spread_ratio: float = 1.0
    n_noise: int = 0
    heavy_tails: bool = False
    degrees: tuple[float, ...] = ()

    @property
    def n_clusters(self) -> int:
        """Clusters of the finest level."""
        return prod(self.branching)


_BRANCHING = {2: (5, 5), 3: (3, 3, 3), 4: (2, 3, 2, 2)}
_DEGREES = (10.0, 4.0, 2.0)


def _gaussians(n_levels: int, n_features: int, spread: float, what: str = "gaussians", **more: Any) -> Case:
    return Case(f"{what}-{n_levels}x{n_features}-{spread:g}", _BRANCHING[n_levels], n_features, spread, **more)


CASES = {
    case.name: case
    for case in (
        # In the plane centres come close by chance, so that groups would overlap.
        _gaussians(2, 2, 0.25, step_ratio=4.0),
        _gaussians(3, 2, 0.25, step_ratio=4.0),
        _gaussians(2, 8, 0.65),
        _gaussians(2, 64, 2.5),
        _gaussians(3, 8, 0.25),
        _gaussians(3, 8, 0.65),
        _gaussians(3, 8, 1.0),
        _gaussians(3, 64, 1.25),
        _gaussians(4, 4, 0.5),
        _gaussians(4, 16, 1.0),
        _gaussians(3, 8, 0.65, "sizes", size_ratio=10.0),
        _gaussians(3, 8, 0.65, "densities", spread_ratio=4.0),
        _gaussians(3, 8, 0.65, "noise", n_noise=4),
        _gaussians(3, 8, 0.5, "tails", heavy_tails=True),
        Case("blocks-4x4", (4, 4), 8, 2.0, degrees=_DEGREES),
        Case("blocks-4x4-graph", (4, 4), 0, 0.0, degrees=_DEGREES),
    )
}
"""All cases by name."""

ABOUT = (
    "Each case has 1,000 points in clusters, which lie in groups, and these in larger groups, so that every true level "
    "is known. `gaussians-3x8-0.65` are Gaussians on three levels in 8 dimensions: 27 in nine groups in three larger "
    "ones. As standard deviations in every column, points lie 0.65 from their centre, centres 1.5 from that of their "
    "group, and centres of groups 3 from that above, and so on, twice as far at each level (four times in the plane). "
    "`sizes`: the largest cluster has ten times the points of the smallest. `densities`: the widest is four times as "
    "wide as the narrowest. `noise`: four more columns tell nothing. `tails`: points are spread by Student's t of 3 "
    "degrees of freedom. `blocks-4x4` is a random graph of four groups of four blocks, in which a vertex has 10 edges "
    "inside its block, 4 to the rest of its group and 2 elsewhere, with features that overlap; `blocks-4x4-graph` has "
    "no features, and rows that need them are left out there. Every seed draws the data anew. Clusters may overlap by "
    "chance, so 100 cannot always be reached. Similarity graphs have the median bandwidth."
)

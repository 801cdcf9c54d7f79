"""Data with one known partition, described as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from hypcse.datasets import available, describe

Group = Literal["public", "made", "planted", "noise"]
GROUPS: dict[Group, str] = {
    "public": "public tables",
    "made": "made tables",
    "planted": "planted partitions",
    "noise": "noise",
}
"""Kinds of cases, and what a report calls them."""


@dataclass(frozen=True)
class FlatCase:
    """Data whose clusters are known.

    group      : "public" tables with their classes, "made" ones that the seed draws, "planted" partitions of random
                 graphs, or "noise", which is one cluster.
    n_features : columns; with 0 there is a graph and nothing else.
    chances    : of a planted partition, the probability of an edge inside a group, and between two.
    """

    name: str
    group: Group
    n_points: int
    n_features: int
    n_clusters: int
    chances: tuple[float, float] | None = None

    @property
    def is_drawn(self) -> bool:
        """Whether each seed draws the data anew."""
        return self.group != "public"


def _public(name: str) -> FlatCase:
    known = describe(name)
    return FlatCase(name, "public", known.n_points, known.n_features, known.n_classes)


def _planted(n_groups: int, size: int, inside: float, between: float) -> FlatCase:
    name = f"partition-{n_groups}x{size}-{inside:g}-{between:g}"
    return FlatCase(name, "planted", n_groups * size, 0, n_groups, (inside, between))


FLAT_CASES = {
    case.name: case
    for case in (
        *map(_public, available()),
        FlatCase("breast-cancer-diagnostic", "public", 569, 30, 2),
        FlatCase("moons", "made", 1000, 2, 2),
        FlatCase("circles", "made", 1000, 2, 2),
        FlatCase("blobs-densities", "made", 1000, 2, 3),
        FlatCase("blobs-stretched", "made", 1000, 2, 3),
        FlatCase("blobs-apart", "made", 1000, 2, 5),
        _planted(20, 50, 0.3, 0.02),
        _planted(20, 100, 0.2, 0.05),
        _planted(10, 100, 0.15, 0.03),
        *(FlatCase(f"noise-{n_features}d", "noise", 1000, n_features, 1) for n_features in (2, 8, 32)),
    )
}
"""All cases by name."""

ABOUT = (
    "Public tables are the nine of the paper, and `breast-cancer-diagnostic`, scikit-learn's `load_breast_cancer`, "
    "which is another table than `breast-cancer`; its iris, wine and digits are among the nine already and do not "
    "count twice. Classes stand in for clusters there, and need not be any. Made tables have 1,000 points in the "
    "plane: `moons` and `circles` with noise of 0.05; `blobs-densities`, three Gaussians 10 apart with standard "
    "deviations of 0.5, 1 and 2.5; `blobs-stretched`, three of 1, 6 apart, then sheared; `blobs-apart`, five of 1, "
    "12 apart. `partition-20x50-0.3-0.02` is a graph without features: 20 groups of 50 vertices, with an edge of "
    "probability 0.3 inside a group and 0.02 between two. `noise-8d` are 1,000 points drawn evenly from a cube of 8 "
    "dimensions, which is one cluster. Each seed draws the made data anew."
)

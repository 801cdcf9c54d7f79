"""The findings about a tree: its levels, how stable they are, and whether there is structure beyond chance."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from rich.console import Console

from hypcse import Structure
from hypcse.chance.resampling import is_quick
from hypcse.discrete.cutting.levels import Labels
from hypcse.show.source import flat_of
from hypcse.tree.flat import count_clusters


@dataclass(frozen=True, eq=False)
class Findings:
    """Nested labels, coarse to fine, and what is known of them.

    main      : the level of the flat labels, or to look at where these are one cluster for want of structure; None if
                the user asked for a number of clusters.
    stability : one value per level, or None if it was not measured.
    """

    levels: list[Labels]
    main: int | None
    structure: Structure
    stability: list[float] | None

    @property
    def counts(self) -> list[int]:
        """Clusters of each level."""
        return [count_clusters(labels) for labels in self.levels]

    def report(self) -> dict[str, Any]:
        """For `scores.json`."""
        rounded = None if self.stability is None else [round(value, 4) for value in self.stability]
        return {
            "levels": self.counts,
            "main_level": None if self.main is None else self.main + 1,
            "stability": rounded,
            "structure": {"found": self.structure.found, **asdict(self.structure)},
        }

    def lines(self) -> list[str]:
        """For people: structure, and the levels."""
        structure = str(self.structure)
        told = list(map(str, self.counts))
        for k, value in enumerate(self.stability or ()):
            # Stability means nothing for one cluster of all points, or for clusters of one point.
            if 1 < self.counts[k] < self.levels[k].size:
                told[k] += f" ({value:.2f})"
        measured = "" if self.stability is None else ", with their stability"
        levels = f"Levels by number of clusters{measured}: {', '.join(told)}."
        return [f"{structure[0].upper()}{structure[1:]}.", levels]


def find(model: Any, wanted: bool | None = None) -> Findings:
    """The findings of a fitted model. Stability is measured if asked for, or by default if it is quick."""
    shown = flat_of(model)
    main = next((k for k, labels in enumerate(model.levels_) if np.array_equal(labels, shown)), None)
    measured = None
    if wanted or (wanted is None and is_quick(model.graph_)):
        with Console(stderr=True).status("measuring stability"):
            measured = model.stability_
    return Findings(model.levels_, main, model.structure_, measured)

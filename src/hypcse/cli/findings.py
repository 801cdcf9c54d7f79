"""What there is to say about a tree: its levels, how stable they are, and whether there is anything beyond chance."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from rich.console import Console

from hypcse import Graph, Structure, Tree, beyond_chance, stability
from hypcse.chance.stability import is_quick
from hypcse.cli.job import Job
from hypcse.cli.reading.points import Points
from hypcse.discrete.levels import Labels, levels_and_main


@dataclass(frozen=True, eq=False)
class Findings:
    """Nested labels, coarse to fine, the place of the one to look at first, and what is known of them.

    stability : of each level, or None where it was not measured.
    """

    levels: list[Labels]
    main: int
    structure: Structure
    stability: list[float] | None

    @property
    def counts(self) -> list[int]:
        """Clusters of each level."""
        return [int(labels.max()) + 1 for labels in self.levels]

    def report(self) -> dict[str, Any]:
        """For `scores.json`."""
        rounded = None if self.stability is None else [round(value, 4) for value in self.stability]
        return {
            "levels": self.counts,
            "main_level": self.main + 1,
            "stability": rounded,
            "structure": {"found": self.structure.found, **asdict(self.structure)},
        }

    def lines(self) -> list[str]:
        """For a person: structure, and the levels."""
        structure = str(self.structure)
        told = list(map(str, self.counts))
        for k, value in enumerate(self.stability or ()):
            # Of all points together, or each alone, stability says nothing.
            if 1 < self.counts[k] < self.levels[k].size:
                told[k] += f" ({value:.2f})"
        measured = "" if self.stability is None else ", with their stability"
        levels = f"Levels by number of clusters{measured}: {', '.join(told)}."
        return [f"{structure[0].upper()}{structure[1:]}.", levels]


def find(tree: Tree, graph: Graph, points: Points, job: Job, known: Structure | None = None) -> Findings:
    """Compare with chance unless that is known, choose levels, and measure how stable they are."""
    scale = job.graph_options["scale"]
    data = graph if points.features is None else points.features
    structure = beyond_chance(data, scale=scale, random_state=job.seed) if known is None else known
    found = levels_and_main(tree, graph, structure.found)
    measured = None
    if job.stability or (job.stability is None and is_quick(graph)):
        with Console(stderr=True).status("measuring stability"):
            measured = stability(found.labels, graph, points.features, scale=scale, random_state=job.seed)
    return Findings(found.labels, found.main, structure, measured)

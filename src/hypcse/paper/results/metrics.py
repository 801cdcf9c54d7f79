"""The metrics of experiments: the scores of any tree, and what experiments count and measure besides."""

from __future__ import annotations

from dataclasses import dataclass

from hypcse.metrics import SCORES
from hypcse.paper.data import FEW
from hypcse.paper.hierarchies import MAX_DEPTH, level_score

_IN_HEADS = {"share": " (percent)", "MB": " (MB)"}
"""Units that the head of a table tells."""


@dataclass(frozen=True)
class Metric:
    """What tables have figures of.

    name   : by which experiments and records know it.
    phrase : what it is called within a sentence.
    unit   : that of a `Score`, or "count", "clusters" (counts, of which there are means), "seconds" or "MB".
    higher : whether more is better.
    """

    name: str
    phrase: str
    unit: str
    higher: bool = False

    @property
    def title(self) -> str:
        """What it is called at the head of a table.

        >>> METRICS["dendrogram_purity"].title, METRICS["accuracy"].title
        ('Dendrogram purity (percent)', 'Accuracy (percent), random splits')
        """
        name, comma, more = with_capital(self.phrase).partition(",")
        return f"{name}{_IN_HEADS.get(self.unit, '')}{comma}{more}"

    @property
    def factor(self) -> int:
        """What a value is multiplied by to be shown: shares are percentages."""
        return 100 if self.unit == "share" else 1

    def digits(self, value: float) -> int:
        """Decimals that a value, times the factor, is shown with."""
        if self.unit == "count":
            return 0
        if self.unit == "share":
            return 1
        if self.unit == "clusters":
            return 0 if value == round(value) else 1
        return 3 if abs(value) < 100 else 1 if abs(value) < 10_000 else 0


def with_capital(text: str) -> str:
    """A text that begins with a capital letter, the others as they are."""
    return text[0].upper() + text[1:]


def _per_class(n_labels: int) -> Metric:
    labels = "1 label" if n_labels == 1 else f"{n_labels} labels"
    return Metric(f"accuracy_{n_labels}", f"accuracy, {labels} per class", "share", True)


def _counts(*names: str, unit: str = "count") -> list[Metric]:
    return [Metric(name, name.replace("_", " "), unit) for name in names]


PLANTED_PURITIES = tuple(level_score("purity", level) for level in range(1, MAX_DEPTH + 1))
"""Purities at planted levels, coarse to fine."""

METRICS = {
    metric.name: metric
    for metric in (
        *(Metric(score.name, score.phrase, score.unit, score.higher) for score in SCORES),
        Metric("mean_purity", "mean purity", "share", True),
        *(Metric(name, f"purity at planted level {k}", "share", True) for k, name in enumerate(PLANTED_PURITIES, 1)),
        Metric("partitions_hit", "partitions hit", "share", True),
        Metric("best_ari", "adjusted Rand index of the best level", "index", True),
        Metric("main_ari", "adjusted Rand index of the main level", "index", True),
        Metric("best_level_ari", "adjusted Rand index of the best level", "index", True),
        Metric("accuracy", "accuracy, random splits", "share", True),
        Metric("accuracy_stratified", "accuracy, stratified splits", "share", True),
        *map(_per_class, FEW),
        *_counts("points", "features", "classes", "distinct_points", "edges", "components"),
        *_counts("clusters", "best_level_clusters", unit="clusters"),
        Metric("seconds", "seconds", "seconds"),
        Metric("peak_mb", "peak memory", "MB"),
    )
}
"""Every metric by name."""

"""The metrics of experiments: the scores of any tree, and what experiments count and measure besides."""

from __future__ import annotations

from dataclasses import dataclass

from hypcse.metrics import SCORES
from hypcse.paper.classifiers import FEW
from hypcse.paper.hierarchies import MAX_DEPTH, level_score


@dataclass(frozen=True)
class Metric:
    """What tables have figures of: its name in records, its phrase within a sentence, its unit, and if more is better.

    The unit is that of a `Score`, or "count", "clusters" (counts that have means), "seconds" or "MB".
    """

    name: str
    phrase: str
    unit: str
    higher: bool = False

    @property
    def title(self) -> str:
        """What it is called at the head of a table."""
        name, comma, more = with_capital(self.phrase).partition(",")
        return f"{name}{ {'share': ' (percent)', 'MB': ' (MB)'}.get(self.unit, '') }{comma}{more}"

    @property
    def factor(self) -> int:
        """What a value is multiplied by to be shown: shares are percentages."""
        return 100 if self.unit == "share" else 1

    def digits(self, value: float) -> int:
        """Decimals that a value, times the factor, is shown with."""
        if self.unit in ("count", "share"):
            return 0 if self.unit == "count" else 1
        if self.unit == "clusters":
            return 0 if value == round(value) else 1
        return 3 if abs(value) < 100 else 1 if abs(value) < 10_000 else 0


def with_capital(text: str) -> str:
    """A text that begins with a capital letter, the others as they are."""
    return text[0].upper() + text[1:]


PLANTED_PURITIES = tuple(level_score("purity", level) for level in range(1, MAX_DEPTH + 1))
"""Purities at planted levels, coarse to fine."""
_ARI = "adjusted Rand index of the"
_COUNTS = ("points", "features", "classes", "distinct_points", "edges", "components")

METRICS = {
    metric.name: metric
    for metric in (
        *(Metric(score.name, score.phrase, score.unit, score.higher) for score in SCORES),
        Metric("mean_purity", "mean purity", "share", True),
        *(Metric(name, f"purity at planted level {k}", "share", True) for k, name in enumerate(PLANTED_PURITIES, 1)),
        Metric("partitions_hit", "partitions hit", "share", True),
        Metric("best_ari", f"{_ARI} best level", "index", True),
        Metric("main_ari", f"{_ARI} main level", "index", True),
        Metric("best_level_ari", f"{_ARI} best level", "index", True),
        Metric("accuracy", "accuracy, random splits", "share", True),
        Metric("accuracy_stratified", "accuracy, stratified splits", "share", True),
        *(Metric(f"accuracy_{n}", f"accuracy, {n} label{'s' * (n > 1)} per class", "share", True) for n in FEW),
        *(Metric(name, name.replace("_", " "), "count") for name in _COUNTS),
        *(Metric(name, name.replace("_", " "), "clusters") for name in ("clusters", "best_level_clusters")),
        Metric("seconds", "seconds", "seconds"),
        Metric("peak_mb", "peak memory", "MB"),
    )
}
"""Every metric by name."""

"""The parts of the evidence, as data: cases, what is read from a method, and how it is scored."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.evidence import flat, known, nested
from benchmarks.evidence.data import Case, Data, Floats, Hierarchy, Labels
from benchmarks.evidence.methods import METHODS, Method

N_DRAWS = 3


@dataclass(frozen=True)
class Part:
    """Cases that are scored alike.

    reads   : "levels", "labels" or "outliers" of a method.
    measure : the score that is shown, higher being better, and in words.
    """

    name: str
    title: str
    cases: dict[str, Case]
    reads: str
    score: Callable[[Data, Any], dict[str, float]]
    measure: str
    words: str

    def methods(self) -> Iterator[Method]:
        """Those that give what is read."""
        return (method for method in METHODS.values() if method.gives(self.reads) is not None)


@dataclass(frozen=True)
class Row:
    """One method on one draw of a case."""

    part: str
    case: str
    seed: int
    method: str


def of_hierarchy(data: Data, found: Hierarchy) -> dict[str, float]:
    """For each known partition AMI of the level that fits best, and purity of the tree; and their means."""
    from sklearn.metrics import adjusted_mutual_info_score

    import hypcse

    several = {"ami": [max(adjusted_mutual_info_score(y, one) for one in found.levels) for y in data.partitions]}
    if found.tree is not None:
        several["purity"] = [hypcse.dendrogram_purity(found.tree, y) for y in data.partitions]
    scores = {name: float(np.mean(values)) for name, values in several.items()}
    return scores | {f"{name}_{k}": float(v) for name, values in several.items() for k, v in enumerate(values, 1)}


def of_labels(data: Data, labels: Labels) -> dict[str, float]:
    """Agreement with the known partition; noise, -1, is one cluster, but not among those that are counted.

    >>> of_labels(Data((np.array([0, 0, 1, 1]),)), np.array([3, 3, -1, -1]))
    {'ari': 1.0, 'ami': 1.0, 'clusters': 1, 'whole': 1.0}
    """
    from sklearn.metrics import adjusted_mutual_info_score, adjusted_rand_score

    clusters = int(np.unique(labels[labels >= 0]).size)
    return {
        "ari": float(adjusted_rand_score(data.y, labels)),
        "ami": float(adjusted_mutual_info_score(data.y, labels)),
        "clusters": clusters,
        "whole": float(clusters <= 1),
    }


def of_outliers(data: Data, scores: Floats) -> dict[str, float]:
    """Area under the ROC curve."""
    from sklearn.metrics import roc_auc_score

    return {"auc": float(roc_auc_score(data.y < 0, scores))}


_BEST = "mean AMI over all known levels, of the best level each"
_FLAT = "adjusted Rand index of the labels, nothing told"


def _parts() -> Iterator[Part]:
    read = ("levels", of_hierarchy, "ami", _BEST)
    yield _part("hierarchies", "Planted hierarchies", nested.cases(), *read)
    yield _part("known", "Trees known from outside", known.cases(), *read)
    yield _part("flat", "Flat clusters", flat.cases(), "labels", of_labels, "ari", _FLAT)
    whole = "share of draws left in one piece"
    yield _part("noise", "Nothing there", flat.noise_cases(), "labels", of_labels, "whole", whole)
    aside = "AMI of the labels, background as a cluster of its own"
    yield _part("background", "Clusters in background", flat.background_cases(), "labels", of_labels, "ami", aside)
    few = "AMI of the labels, nothing told"
    yield _part("minorities", "Minorities", flat.minority_cases(), "labels", of_labels, "ami", few)
    auc = "area under the ROC curve"
    yield _part("outliers", "Outliers", flat.outlier_cases(), "outliers", of_outliers, "auc", auc)


def _part(name: str, title: str, cases: Iterator[Case], *more: Any) -> Part:
    return Part(name, title, {case.name: case for case in cases}, *more)


PARTS = {part.name: part for part in _parts()}


def plan(parts: list[str], cases: list[str] | None, methods: list[str] | None, n_draws: int) -> list[Row]:
    """The rows of so many draws; a case or method that no part has is an error that lists them."""
    chosen = [(PARTS[part], case) for part in parts for case in PARTS[part].cases.values()]
    for wanted, names in ((cases, [case.name for _, case in chosen]), (methods, list(METHODS))):
        unknown = set(wanted or ()) - set(names)
        if unknown:
            raise ValueError(f"there is no {unknown.pop()!r}. Choose from {'; '.join(names)}.")
    return [
        Row(part.name, case.name, seed, method.name)
        for part, case in chosen
        if cases is None or case.name in cases
        for seed in range(n_draws if case.drawn else 1)
        for method in part.methods()
        if case.kind in method.takes and (methods is None or method.name in methods)
    ]

"""Inputs of methods, their options as their signatures have them, and a clock that reports their progress."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from inspect import signature
from math import inf
from typing import Any, get_type_hints

import numpy as np
from numpy.typing import NDArray

from hypcse._checks import check_number, did_you_mean
from hypcse._choices import Scale
from hypcse._progress import Callback, Reporter, Stopped
from hypcse.graph import Graph
from hypcse.points import Points
from hypcse.search import join_components
from hypcse.storage.options import options_class
from hypcse.tree import Tree


@dataclass(frozen=True)
class Inputs:
    """The points that a method clusters, how their features are scaled, the seed, and who receives the progress."""

    points: Points
    scale: Scale = "minmax"
    random_state: int = 0
    callback: Callback | None = None

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


@dataclass(frozen=True)
class Option:
    """An option: its name, its default, and the annotation of its values."""

    name: str
    default: Any
    kind: Any


def keyword_options(function: Callable[..., Any], without: Iterable[str] = ()) -> tuple[Option, ...]:
    """The options of a function: its keyword-only parameters, except the names left out."""
    kinds = get_type_hints(function)
    options: list[Option] = []
    for name, parameter in signature(function).parameters.items():
        if parameter.kind == parameter.KEYWORD_ONLY and name not in without:
            own, nested = Option(name, parameter.default, kinds[name]), options_class(kinds[name])
            options += [own] if nested is None else keyword_options(nested.__init__)
    return tuple(options)


def check_names(method: str, names: Iterable[str], known: Iterable[str]) -> None:
    """Raise for the first name that is not an option of the method, and suggest the nearest."""
    known = list(known)
    for name in names:
        if name not in known:
            guess = did_you_mean(name, known)
            listed = f"Its options are {', '.join(known)}." if known else "It has none."
            raise TypeError(f"{method} has no option {name!r}.{guess} {listed}")


class Clock(Reporter):
    """Reports progress, and knows when a method has to stop: if the callback returns True, or after `max_seconds`."""

    def __init__(self, method: str, callback: Callback | None, max_seconds: float | None) -> None:
        super().__init__(callback)
        self.method, self.max_seconds = method, max_seconds
        self.limit = inf if max_seconds is None else check_number("max_seconds", max_seconds, 0.0, above=True)

    def check(self, stage: str, done: int, total: int) -> None:
        """Report progress; raise `Stopped` if the method has to stop, because half a tree is not a result."""
        stop, seconds = self.tell(stage, done, total), self.seconds
        where = f"after {seconds:.1f} s with {done / max(total, 1):.0%} of its {stage} done"
        if stop and done < total:
            raise Stopped(f"{self.method} was stopped by its callback {where}; it has no partial result.")
        if seconds > self.limit and done < total:
            way_out = f"max_seconds={self.max_seconds}. Raise it, or pass None for no limit."
            raise Stopped(f"{self.method} was stopped {where}: {way_out}")

    def stops(self, epoch: int, n_epochs: int, loss: float, best: float, measure: str) -> bool:
        """Report an epoch, and return whether it is the last one; `best` is the value of the best tree by `measure`."""
        stop = self.tell("training", epoch, n_epochs, value=best, measure=measure, loss=loss)
        return stop or epoch == n_epochs or self.seconds > self.limit


def check_rate(value: object) -> float:
    """A learning rate; beyond the limit every step exceeds the range of float32."""
    return check_number("learning_rate", value, 0.0, 10_000, above=True)

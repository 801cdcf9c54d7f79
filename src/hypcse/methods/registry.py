"""Names, needs and options of the methods, and the one way to run them."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass
from inspect import signature
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hypcse._checks import check_features
from hypcse._random import check_seed
from hypcse.graph import Graph, scale_features, similarity_graph
from hypcse.methods import feature_linkage, graph_search
from hypcse.tree import Tree


@dataclass(frozen=True)
class Method:
    """A method: how it is called, and what it takes.

    build : takes features (n, d) or a Graph, as `takes` says, and its options by keyword; returns a Tree.
    """

    name: str
    takes: Literal["features", "graph"]
    summary: str
    memory: str
    build: Callable[..., Tree]

    @property
    def options(self) -> tuple[str, ...]:
        """Names of the keyword options."""
        return tuple(
            name
            for name, parameter in signature(self.build).parameters.items()
            if parameter.kind == parameter.KEYWORD_ONLY
        )


METHODS = (
    Method(
        "single-linkage",
        "features",
        "nearest members; the paper's SingleLinkage",
        "O(n)",
        feature_linkage.single,
    ),
    Method("ward", "features", "least growth of the variance within", "O(n)", feature_linkage.ward),
    Method("average-linkage", "features", "mean distance between members", "O(n^2)", feature_linkage.average),
    Method("complete-linkage", "features", "farthest members", "O(n^2)", feature_linkage.complete),
    Method("graph-average", "graph", "mean weight between members", "O(n + m)", graph_search.average),
    Method("graph-paris", "graph", "weight over the product of volumes", "O(n + m)", graph_search.paris),
    Method("hcse", "graph", "what lowers structural entropy most, join by join", "O(n + m)", graph_search.hcse),
)


def available() -> list[str]:
    """Names of all methods."""
    return [method.name for method in METHODS]


def describe(name: str) -> Method:
    """The method of that name."""
    for method in METHODS:
        if method.name == name:
            return method
    near = difflib.get_close_matches(str(name), available(), n=1)
    guess = f" Did you mean {near[0]!r}?" if near else ""
    raise ValueError(f"method {name!r} is not known.{guess} Choose one of {', '.join(available())}.")


def run(
    name: str,
    X: ArrayLike | None = None,
    *,
    graph: Graph | None = None,
    random_state: int = 0,
    scale: str = "minmax",
    **options: Any,
) -> Tree:
    """The tree that a method finds.

    Feature methods take X, scaled by `scale` as `similarity_graph` scales it. Graph methods take `graph`, or the
    similarity graph of X where none is given. Options are the method's own; an unknown one is an error. Methods
    without randomness ignore `random_state`.

    >>> run("ward", [[0.0], [1.0], [5.0]]).cut(n_clusters=2).tolist()
    [0, 0, 1]
    """
    method = describe(name)
    check_seed(random_state)
    unknown = sorted(set(options) - set(method.options))
    if unknown:
        raise TypeError(f"{name} has no option {unknown[0]!r}; its options are {list(method.options) or 'none'}.")
    if method.takes == "graph":
        if graph is None and X is None:
            raise ValueError(f"{name} clusters a graph: pass graph=, or X to make the similarity graph of.")
        return method.build(similarity_graph(X, scale=scale) if graph is None else graph, **options)
    if X is None:
        raise ValueError(f"{name} clusters features: pass X.")
    return method.build(_features(X, scale), **options)


def _features(X: ArrayLike, scale: str) -> NDArray[np.float64]:
    """Scaled features in float64, computed in float32 as the evaluation convention has it."""
    return scale_features(check_features(X), scale).astype(np.float64)

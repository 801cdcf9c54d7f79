"""Names, requirements and options of the methods, and the one way to run them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Literal

import numpy as np

from hypcse._checks import did_you_mean
from hypcse._choices import Scale
from hypcse._progress import Callback
from hypcse._random import check_seed
from hypcse.methods import linkages
from hypcse.methods.linkages import bisecting_kmeans
from hypcse.methods.options import Inputs, Option, check_names, keyword_options
from hypcse.points import Points
from hypcse.storage.options import nest_options, spread_options
from hypcse.tree import Tree


@dataclass(frozen=True)
class Method:
    """A method: its name, what it takes, a summary, and how its memory grows.

    build     : function from the `Inputs`, and options by keyword, to a Tree, or its name below `hypcse.paper.methods`.
    estimator : instead of it, the public name of an estimator, whose parameters are the options.
    trains    : whether it needs torch.
    """

    name: str
    takes: Literal["features", "graph", "both"]
    summary: str
    memory: str
    build: Callable[..., Tree] | str | None = None
    estimator: str | None = None
    trains: bool = False

    @property
    def parameters(self) -> tuple[Option, ...]:
        """The keyword options with their defaults and types."""
        if self.estimator is None:
            return keyword_options(self._function())
        return keyword_options(self.kind().__init__, without=("scale", "random_state"))

    @property
    def options(self) -> tuple[str, ...]:
        """Names of the keyword options."""
        return tuple(option.name for option in self.parameters)

    @property
    def can_run(self) -> bool:
        """Whether everything it needs is installed."""
        return not self.trains or all(find_spec(name) is not None for name in ("torch", "geoopt"))

    def kind(self) -> Any:
        """The class of the estimator."""
        import hypcse

        return getattr(hypcse, str(self.estimator))

    def tree(self, inputs: Inputs, **options: Any) -> Tree:
        """Run the method and return its tree."""
        if self.trains:
            import hypcse.neural.backend  # noqa: F401
        if self.takes == "features" and inputs.points.features is None:
            others = ", ".join(method.name for method in METHODS if method.takes == "graph")
            raise ValueError(f"{self.name} clusters features. Pass a table, or choose a method for graphs: {others}.")
        if inputs.n_points == 1:
            return Tree(np.array([-1]), np.zeros(1))
        if self.estimator is None:
            return self._function()(inputs, **options)
        options = {"random_state": inputs.random_state, "scale": inputs.scale, **options}
        if "callback" in self.options:
            options.setdefault("callback", inputs.callback)
        return self.kind()(**nest_options(self.kind(), options)).fit(inputs.points).tree_

    def _function(self) -> Callable[..., Tree]:
        if callable(self.build):
            return self.build
        module, _, name = str(self.build).rpartition(".")
        return getattr(import_module(f"hypcse.paper.methods.{module}"), name)


METHODS = (
    Method("single-linkage", "features", "nearest members; the paper's SingleLinkage", "O(n)", linkages.single),
    Method("ward", "features", "least growth of the variance within", "O(n)", linkages.ward),
    Method("average-linkage", "features", "mean distance between members", "O(n^2)", linkages.average),
    Method("complete-linkage", "features", "farthest members", "O(n^2)", linkages.complete),
    Method("bisecting-kmeans", "features", "2-means again and again; the paper's BKM", "O(n)", bisecting_kmeans),
    Method("hdbscan", "features", "the full tree of HDBSCAN: mutual reachability", "O(n)", linkages.hdbscan),
    Method("graph-average", "graph", "mean weight between members", "O(n + m)", linkages.graph_average),
    Method("graph-paris", "graph", "weight over the product of volumes", "O(n + m)", linkages.graph_paris),
    Method("hcse", "graph", "what lowers structural entropy most, join by join", "O(n + m)", linkages.hcse),
    Method("spec-wrsc", "graph", "spectral clusters, joined by sparsest cuts", "O(n + m)", "spectral.spec_wrsc"),
    Method("dp-cluster-hsbm", "graph", "spectral blocks joined by density", "O(n + m)", "spectral.dp_cluster_hsbm"),
    Method("entropy", "both", "EntropyClustering: graph-average, refined", "O(n + m)", estimator="EntropyClustering"),
    Method("hypcse", "both", "HypCSE: a hyperbolic encoder, trained", "O(n + m)", estimator="HypCSE", trains=True),
    Method("untrained", "both", "HypCSE without training: its control", "O(n + m)", "untrained.untrained", trains=True),
    Method("hyphc", "both", "leaves on a hyperbolic circle, trained on triples", "O(n)", "hyphc.hyphc", trains=True),
    Method("fph", "both", "probabilities of parents, by gradients", "O(n m)", "fph.fph", trains=True),
    Method("eph", "both", "the same over whole trees drawn at random", "O(n m)", "fph.eph", trains=True),
    Method("ufit", "both", "an ultrametric fitted to distances by gradients", "O(n + m)", "ufit.ufit", trains=True),
)


def available() -> list[str]:
    """Return the names of all methods.

    Returns
    -------
    list of str
        Names, as `run` and `describe` take them.

    Examples
    --------
    >>> "ward" in available()
    True
    """
    return [method.name for method in METHODS]


def describe(name: str) -> Method:
    """The method of that name.

    Parameters
    ----------
    name
        One of `available`.

    Returns
    -------
    Method
        What it takes, and its options.

    Examples
    --------
    >>> describe("hdbscan").options
    ('min_samples', 'max_seconds')
    """
    known = {method.name: method for method in METHODS}
    if name not in known:
        guess = did_you_mean(name, known)
        raise ValueError(f"method {name!r} is not known.{guess} Choose one of {', '.join(known)}.")
    return known[name]


def run(
    name: str,
    X: Any = None,
    *,
    graph: Any = None,
    random_state: int = 0,
    scale: Scale = "minmax",
    callback: Callback | None = None,
    **options: Any,
) -> Tree:
    """Run a method and return its tree.

    With features, graph-average and graph-paris join components by `join_components`, unless `join=False`; hcse does
    with `join=True`.

    Parameters
    ----------
    name
        One of `available`.
    X
        Anything that `Points.of` takes: a table, a graph, an AnnData, `Points`. Names of points name the leaves.
    graph
        A graph over the rows of X. Without one, graph methods use the similarity graph of X; methods that take both use
        X and either graph.
    random_state
        Seed; methods without randomness ignore it.
    scale
        How feature methods scale features, as for `similarity_graph`.
    callback
        Called with a `Progress` after every part of the work; return True to stop. Iterative methods (ufit,
        hyphc, fph, eph, entropy, hypcse) then return the best tree so far; the others raise a `TimeoutError`.
    **options
        Options of the method; see `describe`. An unknown one is an error.

    Returns
    -------
    Tree
        The hierarchy.

    Examples
    --------
    >>> run("ward", [[0.0], [1.0], [5.0]]).cut(n_clusters=2).tolist()
    [0, 0, 1]
    """
    method = describe(name)
    if options:
        options = spread_options(method.kind(), options) if method.estimator else options
        check_names(name, options, method.options)
    points = Points.of(X, graph)
    tree = method.tree(Inputs(points, scale, check_seed(random_state), callback), **options)
    return tree.with_names(points.names)

"""Names, needs and options of the methods, and the one way to run them."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from numpy.typing import ArrayLike

from hypcse._checks import check_features
from hypcse._random import check_seed
from hypcse.graph import Graph
from hypcse.methods import bisecting, density, feature_linkage, graph_search, hyperbolic, spectral
from hypcse.methods.hyphc import hyphc
from hypcse.methods.options import Option, check_names, keyword_options
from hypcse.methods.points import Points
from hypcse.methods.probabilistic import eph, fph
from hypcse.methods.ufit import ufit
from hypcse.tree import Tree


@dataclass(frozen=True)
class Method:
    """A method: how it is called, and what it takes.

    takes : "features" (scaled, (n, d)), a "graph", or both of them as `Points`.
    build : takes that, and its options by keyword; returns a Tree.
    named : the options, where the signature of `build` does not tell them.
    whole : whether `build` is given the `Points` although it takes one side of them: it draws, or reports progress.
    """

    name: str
    takes: Literal["features", "graph", "both"]
    summary: str
    memory: str
    build: Callable[..., Tree]
    named: Callable[[], tuple[Option, ...]] | None = None
    whole: bool = False

    @property
    def parameters(self) -> tuple[Option, ...]:
        """The keyword options with their defaults and types."""
        return keyword_options(self.build) if self.named is None else self.named()

    @property
    def options(self) -> tuple[str, ...]:
        """Names of the keyword options."""
        return tuple(option.name for option in self.parameters)


METHODS = (
    Method(
        "single-linkage",
        "features",
        "nearest members; the paper's SingleLinkage",
        "O(n)",
        feature_linkage.single,
        whole=True,
    ),
    Method("ward", "features", "least growth of the variance within", "O(n)", feature_linkage.ward, whole=True),
    Method("average-linkage", "features", "mean distance between members", "O(n^2)", feature_linkage.average),
    Method("complete-linkage", "features", "farthest members", "O(n^2)", feature_linkage.complete),
    Method(
        "bisecting-kmeans",
        "features",
        "split in two by 2-means, down to single points; the paper's BKM",
        "O(n)",
        bisecting.bisecting_kmeans,
        whole=True,
    ),
    Method(
        "hdbscan",
        "features",
        "single linkage of mutual reachability; the full tree of HDBSCAN",
        "O(n)",
        density.hdbscan,
        whole=True,
    ),
    Method("graph-average", "graph", "mean weight between members", "O(n + m)", graph_search.average, whole=True),
    Method("graph-paris", "graph", "weight over the product of volumes", "O(n + m)", graph_search.paris, whole=True),
    Method(
        "hcse",
        "graph",
        "what lowers structural entropy most, join by join",
        "O(n + m)",
        graph_search.hcse,
        whole=True,
    ),
    Method(
        "spec-wrsc",
        "graph",
        "spectral clusters, joined by recursive sparsest cuts",
        "O(n + m)",
        spectral.spec_wrsc,
        whole=True,
    ),
    Method(
        "dp-cluster-hsbm",
        "graph",
        "spectral blocks joined by density, private for a finite epsilon; our reading",
        "O(n + m)",
        spectral.dp_cluster_hsbm,
        whole=True,
    ),
    Method(
        "hypcse",
        "both",
        "the estimator HypCSE: a trained hyperbolic encoder, decoded and refined",
        "O(n + m)",
        hyperbolic.hypcse,
        hyperbolic.hypcse_options,
    ),
    Method(
        "untrained",
        "both",
        "the control of hypcse: encoders that were never trained, decoded and refined",
        "O(n + m)",
        hyperbolic.untrained,
    ),
    Method("hyphc", "both", "leaves on a hyperbolic circle, trained on triples of points", "O(n)", hyphc),
    Method("fph", "both", "probabilities of parents by gradient descent on Dasgupta's cost", "O(n m)", fph),
    Method("eph", "both", "the same over whole trees drawn at random; successor of fph", "O(n m)", eph),
    Method("ufit", "both", "an ultrametric fitted to distances by gradient descent", "O(n + m)", ufit),
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
    callback: Callable[[Any], object] | None = None,
    **options: Any,
) -> Tree:
    """The tree that a method finds.

    Feature methods take X, scaled by `scale` ("minmax", "standard", "rank" or "none") as `similarity_graph` scales it.
    Graph methods take `graph`, or the similarity graph of X where none is given; methods that take both take X and
    either graph. Options are the method's own; an unknown one is an error. Methods without randomness ignore
    `random_state`, those that are done at once ignore `callback`.

    With features, graph-average and graph-paris join components by `join_components`; `join=False` leaves them as the
    graph alone does, and `join=True` asks hcse for the same.

    >>> run("ward", [[0.0], [1.0], [5.0]]).cut(n_clusters=2).tolist()
    [0, 0, 1]
    """
    method = describe(name)
    if options:
        check_names(name, options, method.options)
    given = None if X is None else check_features(X)
    points = Points(given, graph, scale, check_seed(random_state), callback)
    what = {"features": lambda: points.features, "graph": lambda: points.graph, "both": lambda: points}
    return method.build(points if method.whole else what[method.takes](), **options)

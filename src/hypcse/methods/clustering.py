"""Any method as an estimator: one interface for what `hypcse fit` runs, saves and shows."""

from __future__ import annotations

from typing import Any

from numpy.random import Generator, RandomState
from sklearn.base import ClusterMixin

from hypcse._choices import Bandwidth, Metric, Refine, Scale
from hypcse._progress import Callback
from hypcse.estimators.base import Fitting
from hypcse.estimators.entropy_clustering import effort_of
from hypcse.estimators.new_points import NewPoints
from hypcse.estimators.preparing import Prepared
from hypcse.estimators.saved import Attributes
from hypcse.methods.options import Inputs, check_names
from hypcse.methods.registry import describe
from hypcse.storage.options import nest_options
from hypcse.tree import Tree


class MethodClustering(NewPoints, ClusterMixin, Fitting):
    """Any method of the registry as an estimator, with the same attributes as the other estimators.

    Parameters
    ----------
    method
        Name of the method; see `hypcse.methods.available`.
    n_clusters
        Number of flat clusters; by default as many as the main level has.
    options
        Options of the method, by name.
    refine
        Effort of a refinement afterwards: "fast", "thorough", or False for none.
    n_neighbors, bandwidth, scale, metric, random_state
        As in `EntropyClustering`.
    callback
        Called with a `Progress` after every part of the work; return True to stop, see `hypcse.methods.run`.
    n_jobs, verbose
        As in `EntropyClustering`.

    Attributes
    ----------
    tree_, labels_, levels_, linkage_matrix_, children_, distances_, graph_, bandwidth_, entropy_, structure_
        As in `EntropyClustering`, and so is `stability_`.
    n_features_in_, feature_names_in_
        Number and names of the features.

    Examples
    --------
    >>> MethodClustering("ward", 2).fit([[0.0], [1.0], [5.0]]).labels_.tolist()
    [0, 0, 1]
    """

    def __init__(
        self,
        method: str = "graph-average",
        n_clusters: int | None = None,
        *,
        options: dict | None = None,
        refine: Refine = False,
        n_neighbors: int = 10,
        bandwidth: Bandwidth = "auto",
        scale: Scale = "minmax",
        metric: Metric = "euclidean",
        random_state: int | RandomState | Generator | None = 0,
        callback: Callback | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.method = method
        self.n_clusters = n_clusters
        self.options = options
        self.refine = refine
        self.n_neighbors = n_neighbors
        self.bandwidth = bandwidth
        self.scale = scale
        self.metric = metric
        self.random_state = random_state
        self.callback = callback
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _check_parameters(self) -> None:
        options = self.options or {}
        check_names(self.method, options, describe(self.method).options)
        if self.metric != "euclidean" and describe(self.method).takes == "features":
            raise ValueError(f"metric={self.metric!r} is for methods on graphs; {self.method} is Euclidean.")

    def _grow(self, ready: Prepared, seed: int, callback: Callback | None) -> tuple[Tree, Attributes]:
        method, effort = describe(self.method), effort_of(self.refine)
        options = dict(self.options or {})
        if effort is not None and "join" in method.options:
            # Refinement uses only the edges; components are joined once, afterwards.
            options.setdefault("join", False)
        inputs = Inputs(ready.points.of(ready.points, ready.graph), self.scale, seed, callback)
        tree = method.tree(inputs, **options)
        if effort is None:
            return tree, {}
        return ready.search(seed, callback, linkage=None, effort=effort, starts=[tree]), {}


def estimator_of(method: str, options: dict[str, Any], **shared: Any) -> Any:
    """The unfitted estimator of a method: its own if it has one, else `MethodClustering`."""
    known = describe(method)
    check_names(method, options, known.options)
    if known.estimator is None:
        defaults = {option.name: option.default for option in known.parameters}
        changed = {name: value for name, value in options.items() if value != defaults[name]}
        return MethodClustering(method, options=changed, **shared)
    if known.trains:
        import hypcse.neural.backend  # noqa: F401
    return known.kind()(**nest_options(known.kind(), {**shared, **options}))

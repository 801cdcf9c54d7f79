"""Ours and its peers, by name: the calls, and what each gives."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from sklearn.ensemble import IsolationForest
from sklearn.neighbors import LocalOutlierFactor

import hypcse
from benchmarks.evidence import graphs, tables
from benchmarks.evidence.data import CUTS, Data, Floats, Hierarchy, Labels

TABLE, BOTH = ("table",), ("table", "graph")
"""Kinds of data that a method takes; a graph is made from a table, never the other way round."""


@dataclass(frozen=True)
class Method:
    """A method: packages, the call as the page shows it, the data it takes, and a function for each thing it gives."""

    name: str
    packages: tuple[str, ...]
    call: str
    takes: tuple[str, ...]
    levels: Callable[[Data, int], Hierarchy] | None = None
    labels: Callable[[Data, int], Labels] | None = None
    outliers: Callable[[Data, int], Floats] | None = None

    def gives(self, what: str) -> Any:
        """The function for "levels", "labels" or "outliers"; None if it has none."""
        return getattr(self, what)


def _fit(data: Data, seed: int, **options: Any) -> hypcse.EntropyClustering:
    model = hypcse.EntropyClustering(random_state=seed, scale=data.scale, **options)
    return model.fit(data.graph if data.X is None else data.X)


def _levels(data: Data, seed: int) -> Hierarchy:
    model = _fit(data, seed)
    return Hierarchy(tuple(model.levels_), model.tree_)


def _cuts(data: Data, seed: int) -> Hierarchy:
    model = _fit(data, seed)
    cuts = (hypcse.best_cut(model.tree_, model.graph_, n_clusters=k) for k in CUTS if k < data.y.size)
    return Hierarchy(tuple(cuts), model.tree_)


def _ours() -> Iterator[Method]:
    own = partial(Method, packages=("hypcse",), takes=BOTH)
    yield own(
        "hypcse",
        call="`EntropyClustering()`",
        levels=_levels,
        labels=lambda data, seed: _fit(data, seed).labels_,
        outliers=lambda data, seed: _fit(data, seed).outlier_scores_,
    )
    yield own("hypcse, cuts", call="`best_cut` of its tree into 2 to 64 clusters", levels=_cuts)
    yield own(
        "hypcse, outliers",
        call="`EntropyClustering(mark_outliers=True)`",
        labels=lambda data, seed: _fit(data, seed, mark_outliers=True).labels_,
    )


def _of_tables() -> Iterator[Method]:
    for package in ("scipy", "fastcluster"):
        for method in ("ward", "average", "single"):
            linkage = partial(tables.linkage, package=package, method=method)
            # A chosen cut of single linkage splits off single points; fastcluster gives SciPy's trees.
            labels = (
                partial(tables.chosen_cut, linkage)
                if (package, method[0]) in (("scipy", "w"), ("scipy", "a"))
                else None
            )
            yield Method(
                f"{method}, {package}",
                (package,),
                f'`linkage(X, "{method}")`',
                TABLE,
                partial(tables.cut, linkage),
                labels,
            )
    genie = ("Genie", ("genieclust",), "`Genie()`, merges in their order", TABLE)
    yield Method(*genie, partial(tables.cut, tables.genie), partial(tables.chosen_cut, tables.genie))
    for package, size in (("scikit-learn", 5), ("scikit-learn", 15), ("hdbscan", 5), ("fast_hdbscan", 5)):
        yield Method(
            f"HDBSCAN, {package}" + (f", {size}" if size != 5 else ""),
            (package,),
            f"`HDBSCAN(min_cluster_size={size})`",
            TABLE,
            partial(tables.density_levels, package=package, size=size),
            partial(tables.density_labels, package=package, size=size),
            tables.glosh if package == "hdbscan" else None,
        )
    yield Method("EVoC", ("evoc",), "`EVoC()`, columns centered", TABLE, tables.evoc_levels, tables.evoc_labels)
    sklearn = partial(Method, packages=("scikit-learn",), takes=TABLE)
    yield sklearn("k-means", call="`KMeans(k, n_init=10)`", labels=tables.kmeans)
    yield sklearn("mixture", call="`GaussianMixture(k)`, full or diagonal", labels=tables.mixture)
    isolation = lambda data, seed: -IsolationForest(random_state=seed).fit(data.features).score_samples(data.features)  # noqa: E731
    yield sklearn("isolation forest", call="`IsolationForest()`", outliers=isolation)
    factor = lambda data, _: -LocalOutlierFactor().fit(data.features).negative_outlier_factor_  # noqa: E731
    yield sklearn("LOF", call="`LocalOutlierFactor()`", outliers=factor)


def _of_graphs() -> Iterator[Method]:
    leiden = "`RBConfigurationVertexPartition`, resolutions 1/8 to 8; labels at 1"
    yield Method("Leiden", ("leidenalg", "igraph"), leiden, BOTH, graphs.leiden_levels, graphs.leiden_labels)
    infomap = "`Infomap(num_trials=10)`; labels of the top"
    yield Method("Infomap", ("infomap",), infomap, BOTH, graphs.infomap_levels, graphs.infomap_labels)
    network = partial(Method, packages=("scikit-network",), takes=BOTH)
    paris, louvain = (partial(graphs.dendrogram, name=name) for name in ("Paris", "LouvainIteration"))
    yield network("Paris", call="`Paris()`", levels=partial(tables.cut, paris), labels=graphs.paris_labels)
    yield network(
        "Louvain", call="`LouvainIteration()`; `Louvain()`", levels=partial(tables.cut, louvain), labels=graphs.louvain
    )


METHODS = {method.name: method for methods in (_ours, _of_tables, _of_graphs) for method in methods()}
OURS = tuple(method.name for method in _ours())

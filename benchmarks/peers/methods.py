"""Ours and its peers, by name: each from a table of features to labels, as a user would call it."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

N_TOLD = 10
"""Clusters that methods which must be told a number are told: the planted groups."""

Labels: TypeAlias = NDArray[np.int64]
Table: TypeAlias = NDArray[np.float32]


@dataclass(frozen=True)
class Found:
    """Labels, -1 for noise, None where a method gives a tree alone; and all levels of a method that has several."""

    labels: Labels | None
    levels: tuple[Labels, ...] = ()


@dataclass(frozen=True)
class Peer:
    """A method, the packages it needs, and how it is called.

    package    : what to install, with its version in the table.
    call       : the call, as the table shows it.
    max_points : sizes beyond it are not tried.
    """

    name: str
    package: str
    call: str
    fit: Callable[[Table], Found]
    needs: tuple[str, ...] = ()
    max_points: int | None = None


def _entropy(X: Table) -> Found:
    import hypcse

    model = hypcse.EntropyClustering(random_state=0).fit(X)
    return Found(model.labels_, tuple(model.levels_))


def _hypcse(X: Table) -> Found:
    import hypcse

    model = hypcse.HypCSE(random_state=0).fit(X)
    return Found(model.labels_, tuple(model.levels_))


def _our_ward(X: Table) -> Found:
    import hypcse

    return Found(hypcse.methods.run("ward", X, scale="none").cut(n_clusters=N_TOLD))


def _our_hdbscan(X: Table) -> Found:
    import hypcse

    hypcse.methods.run("hdbscan", X, scale="none")
    return Found(None)


def _sklearn_hdbscan(X: Table) -> Found:
    from sklearn.cluster import HDBSCAN

    return Found(HDBSCAN(n_jobs=-1, copy=True).fit_predict(X))


def _sklearn_ward(X: Table) -> Found:
    from sklearn.cluster import AgglomerativeClustering

    return Found(AgglomerativeClustering(N_TOLD, linkage="ward").fit_predict(X))


def _fastcluster(X: Table) -> Found:
    import fastcluster
    from scipy.cluster.hierarchy import fcluster

    return Found(fcluster(fastcluster.linkage_vector(X, "ward"), N_TOLD, "maxclust") - 1)


def _hdbscan(X: Table) -> Found:
    import hdbscan

    return Found(hdbscan.HDBSCAN(core_dist_n_jobs=-1).fit_predict(X))


def _fast_hdbscan(X: Table) -> Found:
    import fast_hdbscan

    return Found(fast_hdbscan.HDBSCAN().fit_predict(X))


def _evoc(X: Table) -> Found:
    import evoc

    model = evoc.EVoC(random_state=0)
    return Found(model.fit_predict(X), tuple(model.cluster_layers_))


def _paris(X: Table) -> Found:
    from scipy.sparse import csr_matrix
    from sknetwork.hierarchy import Paris, cut_straight

    return Found(cut_straight(Paris().fit_predict(csr_matrix(_graph(X).to_scipy())), n_clusters=N_TOLD))


def _igraph_leiden(X: Table) -> Found:
    graph, weights = _igraph(X)
    # igraph draws from Python's own generator.
    random.seed(0)
    found = graph.community_leiden(objective_function="modularity", weights=weights, n_iterations=-1)
    return Found(np.array(found.membership, np.int64))


def _leidenalg(X: Table) -> Found:
    import leidenalg

    graph, weights = _igraph(X)
    kind = leidenalg.ModularityVertexPartition
    found = leidenalg.find_partition(graph, kind, weights=weights, n_iterations=-1, seed=0)
    return Found(np.array(found.membership, np.int64))


def _infomap(X: Table) -> Found:
    import infomap

    i, j, weights = _graph(X).edges()
    work = infomap.Infomap(silent=True, seed=1)
    work.add_nodes(range(len(X)))
    work.add_links(list(zip(i.tolist(), j.tolist(), weights.tolist(), strict=True)))
    work.run()
    modules = [work.get_modules(depth) for depth in range(1, work.max_depth)]
    levels = [np.unique([one[k] for k in range(len(X))], return_inverse=True)[1] for one in modules]
    return Found(levels[0], tuple(levels))


def _genie(X: Table) -> Found:
    import genieclust

    return Found(genieclust.Genie(n_clusters=N_TOLD).fit_predict(X))


def _igraph(X: Table) -> tuple[Any, Any]:
    import igraph

    i, j, weights = _graph(X).edges()
    return igraph.Graph(len(X), np.column_stack([i, j])), weights


def _graph(X: Table) -> Any:
    """The neighbor graph that those who cluster graphs are given, and pay for."""
    import hypcse

    return hypcse.similarity_graph(X, bandwidth="median").without_loops()


_LEIDEN = 'community_leiden(objective_function="modularity", n_iterations=-1)'
PEERS = (
    Peer("EntropyClustering", "hypcse", "`EntropyClustering()`", _entropy),
    Peer("HDBSCAN, fast_hdbscan", "fast_hdbscan", "`fast_hdbscan.HDBSCAN()`", _fast_hdbscan),
    Peer("HDBSCAN, scikit-learn", "scikit-learn", "`HDBSCAN(n_jobs=-1)`", _sklearn_hdbscan),
    Peer("HDBSCAN, hdbscan", "hdbscan", "`hdbscan.HDBSCAN(core_dist_n_jobs=-1)`", _hdbscan),
    Peer("EVoC", "evoc", "`EVoC()`", _evoc),
    Peer("Leiden, igraph", "igraph", f"`{_LEIDEN}`", _igraph_leiden),
    Peer("Leiden, leidenalg", "leidenalg", "`ModularityVertexPartition`, `n_iterations=-1`", _leidenalg, ("igraph",)),
    Peer("Paris, scikit-network", "scikit-network", f"`Paris()`, cut into {N_TOLD}", _paris),
    Peer("Infomap", "infomap", "`Infomap(seed=1)`, its top modules", _infomap),
    Peer("Genie", "genieclust", f"`genieclust.Genie({N_TOLD})`", _genie),
    Peer("Ward, ours", "hypcse", f'`methods.run("ward")`, cut into {N_TOLD}', _our_ward),
    Peer("Ward, fastcluster", "fastcluster", f'`linkage_vector(X, "ward")`, cut into {N_TOLD}', _fastcluster),
    Peer("Ward, scikit-learn", "scikit-learn", f"`AgglomerativeClustering({N_TOLD})`", _sklearn_ward),
    Peer("HDBSCAN's tree, ours", "hypcse", '`methods.run("hdbscan")`, the tree alone', _our_hdbscan),
    Peer("HypCSE", "hypcse", "`HypCSE()`", _hypcse, ("torch", "geoopt"), max_points=10_000),
)


def peer_named(name: str) -> Peer:
    """The method of that name."""
    found = {peer.name: peer for peer in PEERS}
    if name not in found:
        raise ValueError(f"there is no peer {name!r}. Choose from {'; '.join(found)}.")
    return found[name]

"""`hypcse fit --cluster`: the same folder, found by the workers of a Dask cluster."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypcse import Tree, score, view
from hypcse._checks import say_count
from hypcse._progress import draw_bar
from hypcse.cli.fit import FLAGS, Job, checkpoints_of, keep_training, stoppable
from hypcse.cli.folder import FILES, PAGE, Findings, folder_files, show_findings
from hypcse.cli.settings import read_words
from hypcse.methods.options import keyword_options
from hypcse.points import Points
from hypcse.points.columns import Columns
from hypcse.storage.whole import check_place, write_file, write_folder
from hypcse.tree.flat import by_size, cluster_sizes
from hypcse.tree.nodes import outline

METHOD = "entropy"
"""The one method that runs on a cluster."""
OWN = ("n_neighbors", "bandwidth", "scale", "refine", "folder", "random_state", "callback", "client")
"""Arguments of a fit on a cluster that the command has options for, or sets itself."""
WAIT = 10
"""Seconds that a scheduler is waited for."""
MAX_SHOWN = 5_000
"""Leaves of the largest tree that the page shows whole."""
MAX_CLUSTERS = 2_000
"""Leaves of the page of a larger one: clusters."""


class Large(NamedTuple):
    """What is known of the points: rows in blocks, or edges in a file; names of columns and rows, and classes."""

    rows: Any
    columns: tuple[str, ...] | None = None
    ids: tuple[str, ...] | None = None
    labels: NDArray[Any] | None = None
    edges: Path | None = None


def run_on_cluster(source: str, out: Path, columns: Columns, job: Job, overwrite: bool, cluster: str) -> None:
    """Cluster the points of a file on a Dask cluster and write the folder of `hypcse fit`; there is no model in it."""
    check_place(out, overwrite, FILES)
    job.check()
    _check_job(job)
    from hypcse.dask import fit

    words = {option.name: option for option in keyword_options(fit, without=OWN)}
    options = {**job.graph, **read_words(job.settings, f"{METHOD} with --cluster", words)}
    options |= {"refine": False if job.refine is False else job.effort, "random_state": job.seed}
    data = open_points(Path(source), columns)
    checkpoints = checkpoints_of(out)
    with connect(cluster) as client, keep_training(checkpoints, job.resume), stoppable(out, checkpoints):
        begin = time.perf_counter()
        with _explain_deaths():
            X = data.rows if data.edges is None else open_edges(data.edges, checkpoints, client)
        with draw_bar(job.method, lines=True) as bar, _explain_deaths():
            result = fit(X, job.n_clusters, folder=checkpoints, callback=bar, client=client, **options)
        labels, row = result.labels.compute(), dict(result.scores)
        if data.labels is not None:
            row = score(result.tree, labels=data.labels, clusters=labels) | row
        seconds = round(time.perf_counter() - begin, 3)
        findings = Findings(result.levels, result.main, result.structure)
        report: dict[str, Any] = {
            "features": 0 if data.rows is None else data.rows.shape[1],
            "edges": result.graph.n_edges,
            "recall": result.graph.recall,
            "notes": [],
            "seconds": seconds,
            "job": {**job.report(source), "cluster": cluster},
        }
        tree: Tree = result.tree if data.ids is None else result.tree.with_names(data.ids)
        shown = labels if result.main is None else result.levels[result.main]
        page = _page_of(tree, result.levels, shown, result.structure, out.name)
        files = folder_files(tree, labels, findings, data.ids, row, report, page)
        place = write_folder(out, files, overwrite, FILES)
    more = []
    if result.graph.recall is not None:
        more.append(f"Share of the true neighbors that were found: {result.graph.recall:.3f}.")
    if tree.n_leaves > MAX_SHOWN:
        more.append(f"{PAGE} shows the top of the tree; tree.nwk has all of it.")
    show_findings(findings, labels, Points(), place, files, {"method": job.method, **row, "seconds": seconds}, more)


def _check_job(job: Job) -> None:
    """Raise for what a cluster cannot do."""
    if job.method != METHOD:
        raise ValueError(f"--method {job.method} does not run with --cluster; {METHOD} does. Leave one of them out.")
    if job.stability:
        raise ValueError("--stability is not measured with --cluster. Leave it out.")
    for name in job.flags:
        raise ValueError(f"{FLAGS[name]} is for methods that train, which do not run with --cluster. Leave it out.")


def open_points(path: Path, columns: Columns) -> Large:
    """The table, or the edges, of a file or a folder; nothing but names and classes is read yet."""
    from hypcse.dask.lazy_tables import open_npy, open_parquet

    if not path.exists():
        raise FileNotFoundError(f"{str(path)!r} does not exist. --cluster reads .parquet and .npy files.")
    allowed = {"edges"} if columns.edges else {"label", "id", "use", "drop"} if path.suffix != ".npy" else set()
    for name, option in columns.options().items():
        if name not in allowed:
            raise ValueError(f"{option} does not go with --cluster and {path.name}. Leave it out.")
    if columns.edges:
        return Large(None, edges=path)
    if path.suffix == ".npy":
        return Large(*open_npy(path))
    if path.suffix == ".parquet" or path.is_dir():
        return Large(*open_parquet(path, use=columns.use, drop=columns.drop, id=columns.id, label=columns.label))
    raise ValueError(f"{path} is read whole, not in blocks. --cluster takes .parquet and .npy files; convert it first.")


def open_edges(path: Path, checkpoints: Path, client: Any) -> Any:
    """The graph of a Parquet file of edges, made in the folder of the run unless it is there."""
    from hypcse.dask import DistributedGraph

    place, source = checkpoints / "given", checkpoints / "given.json"
    files = [path] if path.is_file() else sorted(path.glob("*.parquet"))
    facts = {file.name: [file.stat().st_size, file.stat().st_mtime_ns] for file in files}
    if (place / "graph.json").is_file():
        if not source.is_file() or json.loads(source.read_text(encoding="utf-8")) != facts:
            raise ValueError(
                f"{checkpoints} keeps the graph of another file of edges than {path}, or of {path} before it changed. "
                f"Remove {checkpoints} to start again, or choose another --out."
            )
        return DistributedGraph.from_parquet(place)
    graph = DistributedGraph.from_parquet(path, folder=place, client=client)
    # Last: edges that cannot be read leave nothing to resume.
    write_file(source, json.dumps(facts))
    return graph


@contextmanager
def connect(cluster: str) -> Iterator[Any]:
    """A client of the scheduler at an address, or of workers that are started here, one per core."""
    from distributed import Client, LocalCluster

    if cluster == "local":
        with (
            LocalCluster(threads_per_worker=1, dashboard_address=":0", silence_logs=logging.CRITICAL) as here,
            Client(here) as client,
        ):
            yield client
        return
    if "://" not in cluster:
        raise ValueError(f"--cluster {cluster!r} is neither 'local' nor an address such as tcp://host:8786.")
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    try:
        client = Client(cluster, timeout=WAIT)
    except OSError:
        raise ValueError(
            f"no Dask scheduler answers at {cluster}. Start one with `dask scheduler`, or pass --cluster local."
        ) from None
    with client:
        if not client.nthreads():
            raise ValueError(f"the scheduler at {cluster} has no workers. Start some with `dask worker {cluster}`.")
        yield client


@contextmanager
def _explain_deaths() -> Iterator[None]:
    """A line for workers that died again and again."""
    from distributed import KilledWorker

    try:
        yield
    except KilledWorker as error:
        raise ValueError(
            f"workers died again and again, most likely of too little memory ({str(error).splitlines()[0][:99]}). "
            "Give them more memory, or pass --set memory_limit=... and --set shard_rows=... with smaller numbers."
        ) from None


def _page_of(
    tree: Tree, levels: Sequence[NDArray[np.int64]], labels: NDArray[np.int64], structure: Any, title: str
) -> str:
    """The page of the tree, or of its top, down to at most 2,000 clusters; its heading says which."""
    if tree.n_leaves <= MAX_SHOWN:
        return view(tree, levels=levels, automatic=labels, structure=structure, title=title).html
    # The finest level of at most 2,000 clusters, or so many by height where it has less than half of that.
    coarse = [level for level in levels if level.max() < MAX_CLUSTERS]
    if coarse and coarse[-1].max() + 1 >= MAX_CLUSTERS // 2:
        clusters = coarse[-1]
    else:
        clusters = by_size(tree.cut(n_clusters=min(MAX_CLUSTERS, tree.n_leaves)))
    first, sizes = np.unique(clusters, return_index=True)[1], cluster_sizes(clusters)
    top = outline(tree, clusters).tree
    counts = _count_points(top, sizes)
    return view(
        top,
        names=[f"cluster {k}: {say_count(n, 'point')}" for k, n in enumerate(counts[: top.n_leaves])],
        node_names={k: say_count(counts[k], "point") for k in range(top.n_leaves, top.n_nodes)},
        levels=[level[first] for level in levels if level.max() + 1 < sizes.size],
        automatic=labels[first] if labels.max() <= clusters.max() else None,
        structure=structure,
        title=f"{title}: top of the tree, {sizes.size:,} clusters of {tree.n_leaves:,} points",
    ).html


def _count_points(top: Tree, sizes: NDArray[np.int64]) -> list[int]:
    """Points below each node of a tree whose leaves stand for so many points.

    >>> _count_points(Tree.from_newick("((a,b),c);"), np.array([5, 1, 2]))
    [5, 1, 2, 6, 8]
    """
    totals = [*sizes.tolist(), *[0] * (top.n_nodes - top.n_leaves)]
    for node, parent in enumerate(top.parent[:-1].tolist()):
        totals[parent] += totals[node]
    return totals

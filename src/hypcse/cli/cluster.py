"""`hypcse fit --cluster`: the same folder, found by the workers of a Dask cluster."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from hypcse import Tree, score, view
from hypcse._checks import say_count
from hypcse._progress import draw_bar
from hypcse.cli.fit import FLAGS, Job, checkpoints_of, keep_training, stoppable
from hypcse.cli.folder import FILES, PAGE, Findings, folder_files, show_findings
from hypcse.cli.output import print_notes
from hypcse.cli.settings import read_words
from hypcse.kernels.trees.sweep import subtree_sums
from hypcse.methods.options import keyword_options
from hypcse.points import Points
from hypcse.points.columns import Columns
from hypcse.points.reading import read_points
from hypcse.storage.files import write_file, write_folder
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


def fit_on_cluster(source: str, out: Path, columns: Columns, job: Job, overwrite: bool, cluster: str) -> None:
    """Cluster the points of a file on a Dask cluster and write the folder of `hypcse fit`; there is no model in it."""
    if job.method != METHOD:
        raise ValueError(f"--method {job.method} does not run with --cluster; {METHOD} does. Leave one of them out.")
    if job.stability:
        raise ValueError("--stability is not measured with --cluster. Leave it out.")
    for name in job.flags:
        raise ValueError(f"--{FLAGS[name]} is for methods that train, which do not run with --cluster. Leave it out.")
    from hypcse.dask import fit

    words = {option.name: option for option in keyword_options(fit, without=OWN)}
    options = {**job.graph, **read_words(job.settings or (), f"{METHOD} with --cluster", words)}
    options |= {"refine": False if job.refine is False else job.effort, "random_state": job.seed}
    table = open_points(Path(source), columns)
    n_features, ids, classes = (0, None, None) if table is None else (table.rows.shape[1], table.ids, table.labels)
    checkpoints = checkpoints_of(out)
    with connect(cluster) as client, keep_training(checkpoints, job.resume), stoppable(out, checkpoints):
        begin = time.perf_counter()
        with _explain_deaths():
            X = open_edges(Path(source), checkpoints, client) if table is None else table.rows
        with draw_bar(job.method, lines=True) as bar, _explain_deaths():
            result = fit(X, job.clusters, folder=checkpoints, callback=bar, client=client, **options)
        labels, row = result.labels.compute(), dict(result.scores)
        if classes is not None:
            row = score(result.tree, labels=classes, clusters=labels) | row
        tree: Tree = result.tree if ids is None else result.tree.with_names(ids)
        seconds = time.perf_counter() - begin
        findings = Findings(tree, labels, result.levels, result.main, result.structure, row, seconds)
        facts: dict[str, Any] = {"features": n_features, "edges": result.graph.n_edges, "notes": []}
        page = _page_of(findings, out.name)
        files = folder_files(findings, ids, facts, {**job.report(source), "cluster": cluster}, page)
        place = write_folder(out, files, overwrite, FILES)
    more = [f"{PAGE} shows the top of the tree; tree.nwk has all of it."] if tree.n_leaves > MAX_SHOWN else []
    show_findings(findings, Points(), job.method, place, files, more)


def open_points(path: Path, columns: Columns) -> Any:
    """The table in a file or a folder, of Parquet and NPY only names and classes yet; None if it holds edges."""
    from hypcse.dask.lazy_tables import LazyTable, open_npy, open_parquet
    from hypcse.dask.similarity.blocks import as_rows

    if path.suffix not in (".parquet", ".npy") and not path.is_dir() and not columns.edges:
        points = read_points(path, columns)
        print_notes(points.notes)
        if points.features is None:
            raise ValueError(f"{path} holds a graph. With --cluster, pass a list of edges: --edges.")
        return LazyTable(as_rows(points.table), points.names, points.labels)
    if not path.exists():
        raise FileNotFoundError(f"{str(path)!r} does not exist.")
    allowed = {"edges"} if columns.edges else {"label", "id", "use", "drop"} if path.suffix != ".npy" else set()
    for name, option in columns.options().items():
        if name not in allowed:
            raise ValueError(f"{option} does not go with --cluster and {path.name}. Leave it out.")
    if columns.edges:
        return None
    if path.suffix == ".npy":
        return open_npy(path)
    return open_parquet(path, use=columns.use, drop=columns.drop, id=columns.id, label=columns.label)


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


def _page_of(findings: Findings, title: str) -> str:
    """The page of the tree, or of its top, down to at most 2,000 clusters; its heading says which."""
    tree, levels, structure = findings.tree, findings.levels, findings.structure
    labels = findings.labels if findings.main is None else levels[findings.main]
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
    below = np.zeros(top.n_nodes)
    below[: top.n_leaves] = sizes
    counts = subtree_sums(top.parent, below).astype(np.int64).tolist()
    return view(
        top,
        names=[f"cluster {k}: {say_count(n, 'point')}" for k, n in enumerate(sizes.tolist())],
        node_names={k: say_count(counts[k], "point") for k in range(top.n_leaves, top.n_nodes)},
        levels=[level[first] for level in levels if level.max() + 1 < sizes.size],
        automatic=labels[first] if labels.max() <= clusters.max() else None,
        structure=structure,
        title=f"{title}: top of the tree, {sizes.size:,} clusters of {tree.n_leaves:,} points",
    ).html

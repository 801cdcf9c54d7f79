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
from rich.console import Console

from hypcse import Tree, __version__, score, view
from hypcse._checks import say_count
from hypcse._progress import draw_bar
from hypcse.cli import cluster as large
from hypcse.cli.fit import SPELLED, Job, checkpoints_of, keep_training, stoppable
from hypcse.cli.folder import FILES, PAGE, Findings, label_table, npy_bytes, show_clusters
from hypcse.cli.inputs import read_words
from hypcse.cli.score import finite, show_scores
from hypcse.methods.options import keyword_options
from hypcse.points import Points
from hypcse.points.columns import Columns
from hypcse.storage.whole import check_place, write_file, write_folder
from hypcse.tree.flat import by_size, cluster_sizes, count_clusters
from hypcse.tree.nodes import outline

METHOD = "entropy"
"""The one method that runs on a cluster."""
GIVEN = ("n_neighbors", "bandwidth", "scale", "refine", "folder", "random_state", "callback", "client")
"""Arguments of a fit on a cluster that the command has options for, or gives itself."""
WAIT = 10
"""Seconds that a scheduler is waited for."""


def run_on_cluster(source: str, out: Path, columns: Columns, job: Job, overwrite: bool, cluster: str) -> None:
    """Cluster the points of a file on a Dask cluster and write the folder of `hypcse fit`."""
    check_place(out, overwrite, FILES)
    job.check()
    check_job(job)
    from hypcse.dask import fit

    words = {option.name: option for option in keyword_options(fit, without=GIVEN)}
    options = {**job.graph, **read_words(job.settings, f"{METHOD} with --cluster", words)}
    data = open_points(Path(source), columns)
    kept = checkpoints_of(out)
    with connect(cluster) as client, keep_training(kept, job.resume), stoppable(out, kept):
        begin = time.perf_counter()
        with naming_deaths():
            X = data.rows if data.edges is None else open_edges(data.edges, kept, client)
        with draw_bar(job.method, lines=True) as bar, naming_deaths():
            options |= {"refine": False if job.refine is False else job.effort, "random_state": job.seed}
            found = fit(X, job.n_clusters, folder=kept, callback=bar, client=client, **options)
        labels = found.labels.compute()
        row = dict(found.scores)
        if data.labels is not None:
            row = score(found.tree, labels=data.labels, clusters=labels) | row
        seconds = round(time.perf_counter() - begin, 3)
        asked = {**job.asked(source), "cluster": cluster, "seconds": seconds}
        files = large_files(found, labels, data, row, asked, out.name)
        place = write_folder(out, files, overwrite, FILES)
    show_scores([{"method": job.method, **row, "seconds": seconds}])
    tell(found, labels, place, files)


def check_job(job: Job) -> None:
    """Raise for what a cluster cannot do."""
    if job.method != METHOD:
        raise ValueError(f"--method {job.method} does not run with --cluster; {METHOD} does. Leave one of them out.")
    if job.stability:
        raise ValueError("--stability is not measured with --cluster. Leave it out.")
    for name, value in job.shorthands.items():
        if value is not None:
            raise ValueError(
                f"{SPELLED[name]} is for methods that train, which do not run with --cluster. Leave it out."
            )


def open_points(path: Path, columns: Columns) -> Large:
    """The table, or the edges, of a file or a folder; nothing but names and classes is read yet."""
    from hypcse.dask.reading import open_npy, open_parquet

    if not path.exists():
        raise FileNotFoundError(f"{str(path)!r} does not exist. --cluster reads .parquet and .npy files.")
    asked = columns.options()
    able = {"edges"} if columns.edges else {"label", "id", "use", "drop"} if path.suffix != ".npy" else set()
    for name, spelled in asked.items():
        if name not in able:
            raise ValueError(f"{spelled} does not go with --cluster and {path.name}. Leave it out.")
    if columns.edges:
        return Large(None, edges=path)
    if path.suffix == ".npy":
        return Large(*open_npy(path))
    if path.suffix == ".parquet" or path.is_dir():
        return Large(*open_parquet(path, use=columns.use, drop=columns.drop, id=columns.id, label=columns.label))
    raise ValueError(f"{path} is read whole, not in blocks. --cluster takes .parquet and .npy files; convert it first.")


def open_edges(path: Path, kept: Path, client: Any) -> Any:
    """The graph of a Parquet file of edges, made in the folder of the run unless it is there."""
    from hypcse.dask import DistributedGraph

    place, whose = kept / "given", kept / "given.json"
    files = [path] if path.is_file() else sorted(path.glob("*.parquet"))
    named = {file.name: [file.stat().st_size, file.stat().st_mtime_ns] for file in files}
    if (place / "graph.json").is_file():
        if not whose.is_file() or json.loads(whose.read_text(encoding="utf-8")) != named:
            raise ValueError(
                f"{kept} keeps the graph of another file of edges than {path}, or of {path} before it changed. "
                f"Remove {kept} to start again, or choose another --out."
            )
        return DistributedGraph.from_parquet(place)
    graph = DistributedGraph.from_parquet(path, folder=place, client=client)
    # Last: edges that cannot be read leave nothing to resume.
    write_file(whose, json.dumps(named))
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
def naming_deaths() -> Iterator[None]:
    """A line for workers that died again and again."""
    from distributed import KilledWorker

    try:
        yield
    except KilledWorker as error:
        raise ValueError(
            f"workers died again and again, most likely of too little memory ({str(error).splitlines()[0][:99]}). "
            "Give them more memory, or pass --set memory_limit=... and --set shard_rows=... with smaller numbers."
        ) from None


def tell(found: Any, labels: Any, place: Path, files: dict[str, bytes]) -> None:
    """What was found, and where it is."""
    console = Console(soft_wrap=True, highlight=False)
    findings = Findings(found.levels, found.main, found.structure, None)
    for line in findings.lines():
        console.print(line, markup=False)
    if found.graph.recall is not None:
        console.print(f"Share of the true neighbours that were found: {found.graph.recall:.3f}.", markup=False)
    show_clusters(labels, Points(), findings)
    console.print(f"Written to {place}: {', '.join(sorted(files))}", markup=False)
    if found.tree.n_leaves > large.MAX_SHOWN:
        console.print(f"{PAGE} shows the top of the tree; tree.nwk has all of it.", markup=False)


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


def large_files(
    found: Any,
    labels: NDArray[np.int64],
    data: Large,
    row: dict[str, float],
    job: dict[str, Any],
    title: str,
) -> dict[str, bytes]:
    """Contents of the folder by file name; there is no model, because the graph is not in memory."""
    tree: Tree = found.tree if data.ids is None else found.tree.with_names(data.ids)
    findings = Findings(found.levels, found.main, found.structure, None)
    shown = labels if found.main is None else found.levels[found.main]
    report = {
        "scores": {name: finite(value) for name, value in row.items()},
        "clusters": count_clusters(labels),
        **findings.report(),
        "points": tree.n_leaves,
        "features": 0 if data.rows is None else data.rows.shape[1],
        "edges": found.graph.n_edges,
        "recall": found.graph.recall,
        "notes": [],
        "seconds": job.pop("seconds"),
        "job": job,
        "version": __version__,
    }
    files = {
        "tree.nwk": (tree.to_newick() + "\n").encode(),
        "labels.csv": label_table(labels, found.levels, Points(names=data.ids)).encode(),
        "scores.json": (json.dumps(report, indent=2, allow_nan=False) + "\n").encode(),
        PAGE: page_of(tree, found.levels, shown, found.structure, title).encode("utf-8", "replace"),
    }
    return files | ({"linkage.npy": npy_bytes(tree.to_linkage())} if tree.n_leaves > 1 else {})


def page_of(
    tree: Tree, levels: Sequence[NDArray[np.int64]], labels: NDArray[np.int64], structure: Any, title: str
) -> str:
    """The page of the tree, or of its top, down to at most 2,000 clusters; its heading says which."""
    if tree.n_leaves <= MAX_SHOWN:
        return view(tree, levels=levels, automatic=labels, structure=structure, title=title).html
    clusters = top_clusters(tree, levels)
    first = np.unique(clusters, return_index=True)[1]
    sizes = cluster_sizes(clusters)
    names = [f"cluster {k}: {say_count(int(size), 'point')}" for k, size in enumerate(sizes)]
    shown = [level[first] for level in levels if level.max() <= clusters.max()]
    shown = [level for level in shown if level.max() + 1 < sizes.size]
    automatic = labels[first] if labels.max() <= clusters.max() else None
    told = f"{title}: top of the tree, {sizes.size:,} clusters of {tree.n_leaves:,} points"
    top = outline(tree, clusters).tree
    inner = {k: say_count(n, "point") for k, n in enumerate(count_points(top, sizes)) if k >= top.n_leaves}
    return view(
        top, names=names, node_names=inner, levels=shown, automatic=automatic, structure=structure, title=told
    ).html


def count_points(top: Tree, sizes: NDArray[np.int64]) -> list[int]:
    """Points below each node of a tree whose leaves stand for so many points.

    >>> count_points(Tree.from_newick("((a,b),c);"), np.array([5, 1, 2]))
    [5, 1, 2, 6, 8]
    """
    totals = [*sizes.tolist(), *[0] * (top.n_nodes - top.n_leaves)]
    for node, parent in enumerate(top.parent[:-1].tolist()):
        totals[parent] += totals[node]
    return totals


def top_clusters(tree: Tree, levels: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """The finest level of at most 2,000 clusters, or so many clusters by height where it has less than half of that."""
    fit = [level for level in levels if level.max() < MAX_CLUSTERS]
    if fit and fit[-1].max() + 1 >= MAX_CLUSTERS // 2:
        return fit[-1]
    return by_size(tree.cut(n_clusters=min(MAX_CLUSTERS, tree.n_leaves)))

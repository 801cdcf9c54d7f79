"""`hypcse fit --cluster`: the same folder, found by the workers of a Dask cluster."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console

from hypcse import score
from hypcse._bar import draw_bar
from hypcse.cli.fitting import large
from hypcse.cli.fitting.findings import Findings
from hypcse.cli.fitting.fit import stoppable
from hypcse.cli.fitting.folder import FILES, PAGE
from hypcse.cli.fitting.job import SPELLED, Job
from hypcse.cli.fitting.kept import checkpoints_of, keep_training
from hypcse.cli.fitting.large import Large, large_files
from hypcse.cli.fitting.summary import show_clusters
from hypcse.cli.reading.method_options import read_words
from hypcse.cli.score import show_scores
from hypcse.methods.options import keyword_options
from hypcse.points import Points
from hypcse.points.reading import Columns
from hypcse.writing import check_place, write_file, write_folder

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

"""`hypcse fit`."""

from __future__ import annotations

import csv
import io
import json
import shutil
import time
import warnings
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

from hypcse import Graph, Tree, __version__, best_cut, join_components, methods, refine, score
from hypcse._folders import check_place, write_folder
from hypcse.cli.findings import Findings, find
from hypcse.cli.job import Job
from hypcse.cli.progress import method_progress, search_progress, training_progress
from hypcse.cli.reading.columns import Columns
from hypcse.cli.reading.inputs import read_points
from hypcse.cli.reading.points import Points
from hypcse.cli.score import finite, parse_bandwidth, show_scores
from hypcse.discrete.budget import Effort
from hypcse.estimator.saving import packed
from hypcse.viewer.page import render
from hypcse.viewer.source import gather

PAGE = "tree.html"
FILES = ("embedding.npy", "labels.csv", "linkage.npy", "model", "scores.json", PAGE, "tree.nwk")


def run_fit(source: str, out: Path, columns: Columns, job: Job, overwrite: bool) -> None:
    """Cluster the points of a file and write a folder with all that was found."""
    check_place(out, overwrite, FILES)
    job.check()
    job.graph_options["bandwidth"] = parse_bandwidth(job.graph_options["bandwidth"])
    points = read_points(source, columns)
    _check_names(source, points.names or ())
    for note in points.notes:
        Console(stderr=True, soft_wrap=True, highlight=False).print(f"note: {note}", markup=False)
    begin = time.perf_counter()
    tree, graph, model = _find_tree(points, job, out)
    found = find(tree, graph, points, job, None if model is None else model.structure_)
    labels = best_cut(tree, graph, n_clusters=job.n_clusters) if job.n_clusters else found.levels[found.main]
    row = score(tree, graph=graph, labels=points.labels)
    seconds = time.perf_counter() - begin
    report: dict[str, Any] = {
        "scores": {name: finite(value) for name, value in row.items()},
        "clusters": int(labels.max()) + 1,
        **found.report(),
        "points": tree.n_leaves,
        "features": 0 if points.features is None else points.features.shape[1],
        "edges": graph.n_edges,
        "seconds": round(seconds, 3),
        "job": {"input": source, **asdict(job)},
        "version": __version__,
    }
    files = _files(tree, labels, found.levels, points, report)
    page = _page(tree, graph, labels, found, points, scale=job.graph_options["scale"], title=out.name)
    files[PAGE] = page.encode("utf-8", "replace")
    if model is not None:
        model.labels_, model.levels_, model.structure_ = labels, found.levels, found.structure
        model._stability = None if found.stability is None else np.array(found.stability)
        files["embedding.npy"] = _npy(model.embedding_)
        files |= {f"model/{name}": content for name, content in packed(model).items()}
    write_folder(out, files)
    shutil.rmtree(checkpoints_of(out), ignore_errors=True)
    show_scores([{"method": job.title, **row, "seconds": seconds}])
    _tell(found, labels, job, out, files)


def _tell(found: Findings, labels: NDArray[np.int64], job: Job, out: Path, files: Iterable[str]) -> None:
    """What was found, in a few lines."""
    console = Console(soft_wrap=True, highlight=False)
    for line in found.lines():
        console.print(line, markup=False)
    number = int(labels.max()) + 1
    which = "" if job.n_clusters else f" (level {found.main + 1} of {len(found.levels)})"
    names = ", ".join(sorted({name.split("/")[0] for name in files}))
    line = f"{number} cluster{'' if number == 1 else 's'}{which}. Written to {out}: {names}"
    console.print(line, markup=False)


def _check_names(source: str, names: tuple[str, ...]) -> None:
    twice = next((name for name, times in Counter(names).items() if times > 1), None)
    if twice is not None:
        raise ValueError(f"{source}: two rows are called {twice!r}; leaves need different names. Is it the id column?")


def _find_tree(points: Points, job: Job, out: Path) -> tuple[Tree, Graph, Any]:
    """The method's tree, refined where asked, with the names of the points; its graph; and the model or None."""
    if job.method == "hypcse" and points.n_points > 1:
        # It makes the graph itself, and so knows the bandwidth and that there are features to compare with chance.
        model = _train(points, job, out)
        model.tree_ = _named(model.tree_, points)
        return model.tree_, model.graph_, model
    graph = points.similarity(**job.graph_options)
    given = {"graph": graph, "random_state": job.seed, "scale": job.graph_options["scale"], **job.options}
    if job.refine and "join" in methods.describe(job.method).options:
        # Refinement goes by the edges alone; what they do not tell is joined once, afterwards.
        given = {"join": False, **given}
    with method_progress(job.method) as told:
        tree = methods.run(job.method, points.features, callback=told, **given)
    if job.refine:
        with search_progress() as callback:
            tree = refine(tree, graph, effort=cast(Effort, job.effort), random_state=job.seed, callback=callback)
        tree = join_components(tree, graph, points.features, scale=job.graph_options["scale"], bridges=True)
    return _named(tree, points), graph, None


def checkpoints_of(out: Path) -> Path:
    """Where a training keeps its state until its folder is written."""
    return out.absolute().parent / f"{out.name}.checkpoints"


def _train(points: Points, job: Job, out: Path) -> Any:
    """The estimator `HypCSE`, fitted; interrupted, it says how to go on."""
    from hypcse import HypCSE
    from hypcse.training import TrainingInterrupted

    kept = checkpoints_of(out)
    if kept.exists() and not job.resume:
        raise FileExistsError(f"{kept} holds a training that was stopped. Pass --resume to go on, or remove it.")
    wanted = "thorough" if job.refine and job.effort == "thorough" else job.refine
    model = HypCSE(
        preset=job.preset,
        n_epochs=job.epochs,
        refine=wanted,
        scale=job.graph_options["scale"],
        bandwidth=job.graph_options["bandwidth"],
        n_neighbors=job.graph_options["n_neighbors"],
        random_state=job.seed,
        device=job.device,
        checkpoint_dir=str(kept),
        **job.options,
    )
    try:
        with training_progress() as callback, warnings.catch_warnings():
            # The estimator would keep the best so far; a person who stops the command wants to go on later.
            warnings.simplefilter("error", TrainingInterrupted)
            model.callback = callback
            model.fit(points.features, graph=points.graph)
    except (TrainingInterrupted, KeyboardInterrupt):
        if kept.exists():
            Console(stderr=True, soft_wrap=True, highlight=False).print(
                f"stopped; the same command with --resume goes on from {kept}.", markup=False
            )
        raise KeyboardInterrupt from None
    model.set_params(callback=None, checkpoint_dir=None)
    return model


def _page(
    tree: Tree,
    graph: Graph,
    labels: NDArray[np.int64],
    found: Findings,
    points: Points,
    *,
    scale: str,
    title: str,
) -> str:
    """The page to look at the tree."""
    shown = gather(
        tree,
        graph=graph,
        labels=points.labels,
        features=points.features,
        feature_names=points.titles,
        scale=scale,
        names=None,
        n_clusters=None,
        automatic=labels,
        levels=found.levels,
        stability=found.stability,
        structure=found.structure,
        title=title,
    )
    return render(shown)


def _named(tree: Tree, points: Points) -> Tree:
    return tree if points.names is None else Tree(tree.parent, tree.height, points.names)


def _files(
    tree: Tree,
    labels: NDArray[np.int64],
    partitions: list[NDArray[np.int64]],
    points: Points,
    report: dict[str, Any],
) -> dict[str, bytes]:
    """Contents of the folder by file name."""
    files = {
        "tree.nwk": (tree.to_newick() + "\n").encode(),
        "labels.csv": _label_table(labels, partitions, points).encode(),
        "scores.json": (json.dumps(report, indent=2, allow_nan=False) + "\n").encode(),
    }
    if tree.n_leaves > 1:
        files["linkage.npy"] = _npy(tree.to_linkage())
    return files


def _npy(array: NDArray[np.float64]) -> bytes:
    with io.BytesIO() as buffer:
        np.save(buffer, array, allow_pickle=False)
        return buffer.getvalue()


def _label_table(labels: NDArray[np.int64], partitions: list[NDArray[np.int64]], points: Points) -> str:
    """One row a point: its name, its flat label, and its label at every level from coarse to fine."""
    names = points.names or tuple(map(str, range(labels.size)))
    header = ["name", "label", *(f"level_{k}" for k in range(1, len(partitions) + 1))]
    text = io.StringIO(newline="")
    table = csv.writer(text, lineterminator="\n")
    table.writerow(header)
    table.writerows(zip(names, labels.tolist(), *(level.tolist() for level in partitions), strict=True))
    return text.getvalue()

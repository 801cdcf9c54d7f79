"""`hypcse fit`: read, fit, write."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from rich.console import Console

from hypcse import score
from hypcse._bar import draw_bar
from hypcse._checks import Interrupted
from hypcse.cli.fitting.findings import Findings, find
from hypcse.cli.fitting.folder import FILES, folder_files
from hypcse.cli.fitting.job import Job
from hypcse.cli.fitting.kept import checkpoints_of, has_training, keep_training
from hypcse.cli.fitting.summary import show_clusters
from hypcse.cli.reading.inputs import points_of, tell_notes
from hypcse.cli.score import show_scores
from hypcse.cli.telling.first_run import tell_first_run
from hypcse.points import Points
from hypcse.points.reading import Columns
from hypcse.writing import check_place, write_folder


def run_fit(source: str, out: Path, columns: Columns, job: Job, overwrite: bool) -> None:
    """Cluster the points of a file and write a folder with the results."""
    check_place(out, overwrite, FILES)
    job.check()
    kept = checkpoints_of(out)
    model = job.estimator(kept)
    with keep_training(kept, job.resume) if hasattr(model, "checkpoint_dir") else nullcontext():
        points = points_of(source, columns)
        tell_notes(points)
        tell_first_run()
        begin = time.perf_counter()
        with stoppable(out, kept):
            with draw_bar(job.method) as bar:
                model.set_params(callback=bar).fit(points)
            found = find(model, job.stability)
            row = score(model.tree_, graph=model.graph_, labels=points.labels, clusters=model.labels_)
            seconds = time.perf_counter() - begin
            _free_of_this_run(model)
            scale, bandwidth = points.suited(model.scale, model.bandwidth)
            asked = {**job.asked(source), "scale": scale, "bandwidth": bandwidth, "seconds": round(seconds, 3)}
            files = folder_files(model, points, found, row, asked, Path(source).stem)
        place = write_folder(out, files, overwrite, FILES)
    show_scores([{"method": title_of(model, job), **row, "seconds": seconds}])
    _tell(found, model, points, place, files)


def title_of(model: Any, job: Job) -> str:
    """The method's name, and whether its tree was refined afterwards."""
    return f"{job.method}, refined" if getattr(model, "method", None) and model.refine else job.method


@contextmanager
def stoppable(out: Path, kept: Path) -> Iterator[None]:
    """Let Ctrl-C stop training so that it can be resumed, instead of keeping the best so far as the estimators do."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Interrupted)
            yield
    except (Interrupted, KeyboardInterrupt):
        raise KeyboardInterrupt(
            f"stopped; run the same command with --resume to continue from {kept}."
            if has_training(kept)
            else f"stopped; nothing was written to {out}."
        ) from None


def _free_of_this_run(model: Any) -> None:
    """Remove settings that matter only to this run of the command."""
    model.set_params(callback=None)
    if "checkpoint_dir" in model.get_params(deep=False):
        model.set_params(checkpoint_dir=None)


def _tell(found: Findings, model: Any, points: Points, out: Path, files: dict[str, bytes]) -> None:
    """Print the findings in a few lines and a table."""
    console = Console(soft_wrap=True, highlight=False)
    for line in found.lines():
        console.print(line, markup=False)
    show_clusters(model.labels_, points, found)
    names = ", ".join(sorted({name.split("/")[0] for name in files}))
    console.print(f"Written to {out}: {names}", markup=False)

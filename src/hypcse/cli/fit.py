"""`hypcse fit`: what is asked as one value, the run, and training that can be resumed when it is interrupted."""

from __future__ import annotations

import shutil
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hypcse import methods, score
from hypcse._checks import Interrupted, check_choice
from hypcse._choices import Effort
from hypcse._progress import draw_bar
from hypcse.cli.folder import FILES, files_of_model, find, show_findings
from hypcse.cli.inputs import points_of
from hypcse.cli.output import print_notes
from hypcse.cli.settings import read_options
from hypcse.methods.clustering import estimator_of
from hypcse.points.columns import Columns
from hypcse.storage.files import hold_folder, remove_leftovers
from hypcse.storage.whole import check_place, write_folder

FLAGS = {"preset": "--preset", "n_epochs": "--epochs", "device": "--device"}
"""Options of methods that the command has its own flags for."""


@dataclass(frozen=True)
class Job:
    """What to do with the points.

    refine   : None leaves it to the method: all refine, unless a preset turns it off.
    graph    : arguments of the similarity graph.
    settings : the method's options as NAME=VALUE.
    flags    : options of the method that were given by the command's own flags.
    """

    method: str
    n_clusters: int | None
    refine: bool | None
    effort: Effort
    seed: int
    graph: dict[str, Any]
    settings: list[str] = field(default_factory=list)
    flags: dict[str, Any] = field(default_factory=dict)
    resume: bool = False
    stability: bool | None = None

    def check(self) -> None:
        """Raise for errors that do not depend on the data or the method's options; no method is loaded."""
        check_choice("effort", self.effort, Effort)
        methods.describe(self.method)
        for name, value in self.flags.items():
            if any(word.partition("=")[0].strip() == name for word in self.settings):
                raise ValueError(f"{FLAGS[name]} {value} and --set {name}=... both give {name}. Pass one of them.")

    def estimator(self, checkpoints: Path) -> Any:
        """The estimator to fit; a method that can be resumed keeps its state in `checkpoints`."""
        method = methods.describe(self.method)
        for name in self.flags:
            if name not in method.options:
                raise ValueError(
                    f"{FLAGS[name]} sets {name}, which {self.method} does not have. Omit it, or choose a method "
                    "that has it: `hypcse methods` lists options."
                )
        can_resume = "checkpoint_dir" in method.options
        if self.resume and not can_resume:
            raise ValueError(f"--resume: {self.method} cannot be resumed. Omit it.")
        options = {**self.flags, **read_options(self.settings, method)}
        if can_resume:
            options["checkpoint_dir"] = str(checkpoints)
        shared: dict[str, Any] = {"n_clusters": self.n_clusters, "random_state": self.seed, **self.graph}
        # A preset decides what is not given.
        if self.refine is not None or options.get("preset", "default") == "default":
            shared["refine"] = False if self.refine is False else self.effort
        return estimator_of(self.method, options, **shared)

    def report(self, source: str) -> dict[str, Any]:
        """The job in plain values, for the report."""
        return {
            "input": source,
            "method": self.method,
            "settings": [*(f"{name}={value}" for name, value in self.flags.items()), *self.settings],
            "refine": self.refine,
            "effort": self.effort,
            "clusters": self.n_clusters,
            "seed": self.seed,
            **self.graph,
        }


def run_fit(source: str, out: Path, columns: Columns, job: Job, overwrite: bool) -> None:
    """Cluster the points of a file and write a folder with the results."""
    check_place(out, overwrite, FILES)
    job.check()
    checkpoints = checkpoints_of(out)
    model = job.estimator(checkpoints)
    with keep_training(checkpoints, job.resume) if hasattr(model, "training") else nullcontext():
        points = points_of(source, columns)
        print_notes(points.notes)
        if points.n_points < 2:
            what = "row" if points.graph is None else "vertex"
            raise ValueError(f"{source} has {points.n_points} {what}; at least 2 are needed to make a hierarchy.")
        begin = time.perf_counter()
        with stoppable(out, checkpoints):
            with draw_bar(job.method) as bar:
                model.set_params(callback=bar).fit(points)
            findings = find(model, job.stability)
            row = score(model.tree_, graph=model.graph_, labels=points.labels, clusters=model.labels_)
            seconds = time.perf_counter() - begin
            # What matters only to this run of the command is not saved.
            own = {"callback", "training__checkpoint_dir"} & model.get_params().keys()
            model.set_params(**dict.fromkeys(own))
            scale, bandwidth = points.suited(model.scale, model.bandwidth)
            report = {
                "features": 0 if points.features is None else points.features.shape[1],
                "edges": model.graph_.n_edges,
                "notes": list(points.notes),
                "seconds": round(seconds, 3),
                "job": {**job.report(source), "columns": columns.changes(), "scale": scale, "bandwidth": bandwidth},
            }
            as_parquet = Path(source).suffix == ".parquet"
            files = files_of_model(model, points, findings, row, report, Path(source).stem, as_parquet=as_parquet)
        place = write_folder(out, files, overwrite, FILES)
    # The tree of a comparison method may be refined afterwards.
    refined = getattr(model, "method", None) and model.refine
    scores = {"method": f"{job.method}, refined" if refined else job.method, **row, "seconds": seconds}
    show_findings(findings, model.labels_, points, place, files, scores)


@contextmanager
def stoppable(out: Path, checkpoints: Path) -> Iterator[None]:
    """Let Ctrl-C stop training so that it can be resumed, instead of keeping the best so far as the estimators do."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Interrupted)
            yield
    except (Interrupted, KeyboardInterrupt):
        raise KeyboardInterrupt(
            f"stopped; run the same command with --resume to continue from {checkpoints}."
            if _has_training(checkpoints)
            else f"stopped; nothing was written to {out}."
        ) from None


def checkpoints_of(out: Path) -> Path:
    """Where a training keeps its state until its folder is written."""
    return out.absolute().parent / f"{out.name}.checkpoints"


def _has_training(checkpoints: Path) -> bool:
    """Whether there is a training run to continue."""
    return checkpoints.is_dir() and any(not path.name.startswith(".") for path in checkpoints.iterdir())


@contextmanager
def keep_training(checkpoints: Path, resume: bool) -> Iterator[None]:
    """Lock the checkpoints until the folder is written, and then remove them.

    A second run at the same place is refused at once. So is a place with a stopped training run, unless this run
    resumes it. A run that stops before its first checkpoint leaves nothing.
    """
    if checkpoints.exists() and not checkpoints.is_dir():
        raise FileExistsError(f"{checkpoints} is a file, and checkpoints are to be kept there. Choose another --out.")
    try:
        with hold_folder(checkpoints):
            remove_leftovers(checkpoints, "epoch-*")
            if _has_training(checkpoints) and not resume:
                raise FileExistsError(
                    f"{checkpoints} holds a run that was stopped. Pass --resume to continue it, or remove it."
                )
            yield
            shutil.rmtree(checkpoints, ignore_errors=True)
    finally:
        # Left by a run that ended before its first checkpoint; a folder that holds anything stays.
        with suppress(OSError):
            checkpoints.rmdir()

"""`hypcse fit`: what is asked as one value, the run, and training that can be resumed when it is interrupted."""

from __future__ import annotations

import shutil
import signal
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hypcse import methods
from hypcse._checks import Interrupted
from hypcse._choices import Effort
from hypcse._progress import Progress, draw_bar
from hypcse.cli.folder import FILES, find, model_files, show_findings
from hypcse.cli.inputs import points_of
from hypcse.cli.output import print_notes
from hypcse.cli.settings import read_options
from hypcse.methods.clustering import estimator_of
from hypcse.points.columns import Columns
from hypcse.storage.files import check_place, hold_folder, remove_leftovers, write_folder

FLAGS = {"preset": "preset", "n_epochs": "epochs", "device": "device"}
"""Options of methods that the command has its own options for."""


@dataclass(frozen=True)
class Job:
    """What to do with the points: options of the command; `refine=None` leaves it to the method or its preset."""

    method: str
    settings: list[str] | None
    refine: bool | None
    effort: Effort
    clusters: int | None
    graph: dict[str, Any]
    stability: bool | None
    preset: str | None
    epochs: int | None
    device: str | None
    seed: int
    resume: bool

    @property
    def flags(self) -> dict[str, Any]:
        """Options of the method that were given by the command's own."""
        values = {name: getattr(self, option) for name, option in FLAGS.items()}
        return {name: value for name, value in values.items() if value is not None}

    def check(self) -> None:
        """Raise for errors that do not depend on the data or the method's options; no method is loaded."""
        methods.describe(self.method)
        for name, value in self.flags.items():
            if any(word.partition("=")[0].strip() == name for word in self.settings or ()):
                raise ValueError(f"--{FLAGS[name]} {value} and --set {name}=... both give {name}. Pass one of them.")

    def estimator(self, checkpoints: Path) -> Any:
        """The estimator to fit; a method that can be resumed keeps its state in `checkpoints`."""
        method = methods.describe(self.method)
        for name in self.flags:
            if name not in method.options:
                raise ValueError(
                    f"--{FLAGS[name]} sets {name}, which {self.method} does not have. Omit it, or choose a method "
                    "that has it: `hypcse methods` lists options."
                )
        can_resume = "checkpoint_dir" in method.options
        if self.resume and not can_resume:
            raise ValueError(f"--resume: {self.method} cannot be resumed. Omit it.")
        options = {**self.flags, **read_options(self.settings or (), method)}
        if can_resume:
            options["checkpoint_dir"] = str(checkpoints)
        shared: dict[str, Any] = {"n_clusters": self.clusters, "random_state": self.seed, **self.graph}
        # A preset decides what is not given.
        if self.refine is not None or options.get("preset", "default") == "default":
            shared["refine"] = False if self.refine is False else self.effort
        return estimator_of(self.method, options, **shared)

    def report(self, source: str) -> dict[str, Any]:
        """The job in plain values, for the report."""
        return {
            "input": source,
            "method": self.method,
            "settings": [*(f"{name}={value}" for name, value in self.flags.items()), *(self.settings or ())],
            "refine": self.refine,
            "effort": self.effort,
            "clusters": self.clusters,
            "seed": self.seed,
            **self.graph,
        }


def run_fit(data: str, out: Path | None, columns: Columns, cluster: str | None, overwrite: bool, **asked: Any) -> None:
    """Cluster the points of a file, here or on a Dask cluster, and write a folder with the results."""
    job = Job(**asked)
    out = Path(f"{Path(data).name.partition('.')[0]}-tree") if out is None else out
    if cluster is not None and cluster.isdecimal():
        raise ValueError(
            f"--cluster {cluster} is no address of a Dask cluster. For {cluster} clusters, pass --clusters {cluster}."
        )
    check_place(out, overwrite, FILES)
    job.check()
    if cluster is None:
        _fit_here(data, out, columns, job, overwrite)
        return
    from hypcse.cli.cluster import fit_on_cluster

    fit_on_cluster(data, out, columns, job, overwrite, cluster)


def _fit_here(source: str, out: Path, columns: Columns, job: Job, overwrite: bool) -> None:
    checkpoints = checkpoints_of(out)
    model = job.estimator(checkpoints)
    with keep_training(checkpoints, job.resume) if hasattr(model, "training") else nullcontext():
        points = points_of(source, columns)
        print_notes(points.notes)
        if points.n_points < 2:
            what = "row" if points.graph is None else "vertex"
            raise ValueError(f"{source} has {points.n_points} {what}; at least 2 are needed to make a hierarchy.")
        begin = time.perf_counter()
        with stoppable(out, checkpoints) as check_pressed:
            with draw_bar(job.method) as bar:

                def show(progress: Progress) -> None:
                    check_pressed()
                    bar(progress)

                model.set_params(callback=show).fit(points)
            findings = find(model, points, begin, job.stability)
            # What matters only to this run of the command is not saved.
            own = {"callback", "training__checkpoint_dir"} & model.get_params().keys()
            model.set_params(**dict.fromkeys(own))
            scale, bandwidth = points.suited(model.scale, model.bandwidth)
            details = {**job.report(source), "columns": columns.changes(), "scale": scale, "bandwidth": bandwidth}
            title, as_parquet = Path(source).stem, Path(source).suffix == ".parquet"
            files = model_files(model, points, findings, points.notes, details, title, as_parquet=as_parquet)
            check_pressed()
        place = write_folder(out, files, overwrite, FILES)
    # The tree of a comparison method may be refined afterwards.
    refined = getattr(model, "method", None) and model.refine
    show_findings(findings, points, f"{job.method}, refined" if refined else job.method, place, files)


@contextmanager
def stoppable(out: Path, checkpoints: Path) -> Iterator[Callable[[], None]]:
    """Let Ctrl-C stop training so that it can be resumed, instead of keeping the best so far as the estimators do.

    Yields a function that stops if Ctrl-C was pressed before: what it raises can be lost inside a compiler.
    """
    pressed = False

    def press(*_: Any) -> None:
        nonlocal pressed
        pressed = True
        raise KeyboardInterrupt

    def check_pressed() -> None:
        if pressed:
            raise KeyboardInterrupt

    before = signal.getsignal(signal.SIGINT)
    # Ctrl-C stays ignored where the command was started so.
    if before is signal.default_int_handler:
        signal.signal(signal.SIGINT, press)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Interrupted)
            yield check_pressed
    except BaseException as error:
        if not pressed and not isinstance(error, Interrupted | KeyboardInterrupt):
            raise
        raise KeyboardInterrupt(
            f"stopped; run the same command with --resume to continue from {checkpoints}."
            if _has_training(checkpoints)
            else f"stopped; nothing was written to {out}."
        ) from None
    finally:
        signal.signal(signal.SIGINT, before)


def checkpoints_of(out: Path) -> Path:
    """Where a training keeps its state until its folder is written."""
    return out.absolute().parent / f"{out.name}.checkpoints"


def _has_training(checkpoints: Path) -> bool:
    return checkpoints.is_dir() and any(not path.name.startswith(".") for path in checkpoints.iterdir())


@contextmanager
def keep_training(checkpoints: Path, resume: bool) -> Iterator[None]:
    """Lock the checkpoints until the folder is written, and then remove them; refuse a stopped run unless resumed."""
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

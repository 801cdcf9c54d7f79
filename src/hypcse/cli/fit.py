"""`hypcse fit`: what is asked as one value, the run, and training that is kept when it is interrupted."""

from __future__ import annotations

import shutil
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console

from hypcse import methods, score
from hypcse._checks import Interrupted, check_choice
from hypcse._choices import Effort
from hypcse._progress import draw_bar
from hypcse.cli.folder import FILES, Findings, find, folder_files, show_clusters
from hypcse.cli.inputs import points_of, read_options, tell_notes
from hypcse.cli.output import tell_first_run
from hypcse.cli.score import show_scores
from hypcse.methods.clustering import estimator_of
from hypcse.points import Points
from hypcse.points.columns import Columns
from hypcse.storage.drafts import remove_leftovers
from hypcse.storage.files import hold_folder
from hypcse.storage.whole import check_place, write_folder


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


@dataclass(frozen=True)
class Job:
    """What to do with the points.

    refine     : None leaves it to the method: all refine, unless a preset turns it off.
    graph      : arguments of the similarity graph.
    settings   : the method's options as NAME=VALUE.
    shorthands : options of the method that the command has its own flags for; None if not given.
    """

    method: str
    n_clusters: int | None
    refine: bool | None
    effort: Effort
    seed: int
    graph: dict[str, Any]
    settings: list[str] = field(default_factory=list)
    shorthands: dict[str, Any] = field(default_factory=dict)
    resume: bool = False
    stability: bool | None = None

    def check(self) -> None:
        """Raise for errors that do not depend on the data or the method's options; no method is loaded."""
        check_choice("effort", self.effort, Effort)
        methods.describe(self.method)
        for name, value in self._given.items():
            if any(word.partition("=")[0].strip() == name for word in self.settings):
                raise ValueError(f"{SPELLED[name]} {value} and --set {name}=... both give {name}. Pass one of them.")

    @property
    def _given(self) -> dict[str, Any]:
        return {name: value for name, value in self.shorthands.items() if value is not None}

    def options(self, checkpoints: Path | None = None) -> dict[str, Any]:
        """The method's options, those of the shorthands included.

        checkpoints : where a method that can be resumed keeps its state.
        """
        method = methods.describe(self.method)
        known = method.options
        for name in self._given:
            if name not in known:
                raise ValueError(
                    f"{SPELLED[name]} sets {name}, which {self.method} does not have. Omit it, or choose a method "
                    "that has it: `hypcse methods` lists options."
                )
        can_resume = "checkpoint_dir" in known
        if self.resume and not can_resume:
            raise ValueError(f"--resume: {self.method} cannot be resumed. Omit it.")
        found = {**self._given, **read_options(self.settings, method)}
        return {**found, "checkpoint_dir": str(checkpoints)} if can_resume and checkpoints is not None else found

    def estimator(self, checkpoints: Path) -> Any:
        """The estimator to fit."""
        shared: dict[str, Any] = {"n_clusters": self.n_clusters, "random_state": self.seed, **self.graph}
        options = self.options(checkpoints)
        # A preset decides what is not given.
        if self.refine is not None or options.get("preset", "default") == "default":
            shared["refine"] = False if self.refine is False else self.effort
        return estimator_of(self.method, options, **shared)

    def asked(self, source: str) -> dict[str, Any]:
        """The job in plain values, for the report."""
        return {
            "input": source,
            "method": self.method,
            "settings": [*(f"{name}={value}" for name, value in self._given.items()), *self.settings],
            "refine": self.refine,
            "effort": self.effort,
            "clusters": self.n_clusters,
            "seed": self.seed,
            **self.graph,
        }


SPELLED = {"preset": "--preset", "n_epochs": "--epochs", "device": "--device"}
"""The shorthands, by the option that each sets."""


def checkpoints_of(out: Path) -> Path:
    """Where a training keeps its state until its folder is written."""
    return out.absolute().parent / f"{out.name}.checkpoints"


def has_training(kept: Path) -> bool:
    """Whether there is a training run to continue."""
    return kept.is_dir() and any(not path.name.startswith(".") for path in kept.iterdir())


@contextmanager
def keep_training(kept: Path, resume: bool) -> Iterator[None]:
    """Lock the checkpoints until the folder is written, and then remove them.

    A second run at the same place is refused at once. So is a place with a stopped training run, unless this run
    resumes it. A run that stops before its first checkpoint leaves nothing.
    """
    if kept.exists() and not kept.is_dir():
        raise FileExistsError(f"{kept} is a file, and checkpoints are to be kept there. Choose another --out.")
    try:
        with hold_folder(kept):
            remove_leftovers(kept, "epoch-*")
            if has_training(kept) and not resume:
                raise FileExistsError(
                    f"{kept} holds a run that was stopped. Pass --resume to continue it, or remove it."
                )
            yield
            shutil.rmtree(kept, ignore_errors=True)
    finally:
        # Left by a run that ended before its first checkpoint; a folder that holds anything stays.
        with suppress(OSError):
            kept.rmdir()

"""One cell of an experiment: a row on a data set with a seed, and its measurement."""

from __future__ import annotations

import hashlib
import json
import math
import time
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from hypcse.experiments.declared import Experiment
from hypcse.experiments.settings import paper_settings

QUICK_EPOCHS = 2


@dataclass(frozen=True)
class Cell:
    """What to run. `options` are the method's, all of them spelled out; `file` is an .npz archive of X, and of y
    where there are classes, instead of a data set's name."""

    experiment: str
    row: str
    data: str
    seed: int
    method: str
    options: dict[str, Any]
    refined: bool
    file: str | None = None

    @property
    def key(self) -> str:
        """A name that is the same for the same work."""
        text = json.dumps(asdict(self), sort_keys=True)
        return f"{self.experiment}/{self.row}/{self.data}/{self.seed}/{hashlib.sha256(text.encode()).hexdigest()[:12]}"


def cells(
    experiment: Experiment,
    data_sets: Sequence[str] | None = None,
    n_seeds: int | None = None,
    quick: bool = False,
) -> list[Cell]:
    """All cells, data set by data set; `quick` takes one seed and trains for two epochs."""
    found = []
    for data in data_sets or experiment.data_sets:
        for row in experiment.rows:
            options = {**(paper_settings(data) if row.paper_settings else {}), **row.options}
            seeds: Iterable[int] = experiment.seeds(row, data)
            if row.random and n_seeds is not None:
                seeds = range(n_seeds)
            if quick:
                seeds = (0,)
                options |= {"n_epochs": QUICK_EPOCHS} if row.trains else {}
            found += [Cell(experiment.name, row.label, data, seed, row.method, options, row.refined) for seed in seeds]
    return found


def run_cell(cell: Cell) -> dict[str, Any]:
    """Run it: the cell, its scores, seconds, peak memory in MB, and versions; a failure is recorded as one."""
    import numpy as np

    import hypcse
    from hypcse.training import TrainingInterrupted

    record = {"key": cell.key, **asdict(cell), "version": hypcse.__version__, "numpy": np.__version__}
    _reset_peak()
    begin = time.perf_counter()
    try:
        with warnings.catch_warnings():
            # The estimator keeps what it has when it is interrupted, but half a training is no result here.
            warnings.simplefilter("error", TrainingInterrupted)
            scores = _scores(cell)
    except TrainingInterrupted:
        raise KeyboardInterrupt from None
    except Exception as error:  # Whatever a method raises is the cell's result, and is written down.
        return {**record, "error": f"{type(error).__name__}: {error}", "seconds": time.perf_counter() - begin}
    return {**record, **scores, "peak_mb": _peak_mb()}


def _scores(cell: Cell) -> dict[str, Any]:
    import hypcse

    X, y = hypcse.datasets.load(cell.data) if cell.file is None else _read(cell.file)
    graph = hypcse.similarity_graph(X)
    begin = time.perf_counter()
    tree = hypcse.methods.run(cell.method, X, graph=graph, random_state=cell.seed, **cell.options)
    if cell.refined:
        tree = hypcse.refine(tree, graph, random_state=cell.seed)
    seconds = time.perf_counter() - begin
    row = hypcse.score(tree, graph=graph, labels=y)
    scores = {name: value if math.isfinite(value) else None for name, value in row.items()}
    return {"scores": scores, "seconds": round(seconds, 3)}


def _read(file: str) -> tuple[Any, Any]:
    import numpy as np

    with np.load(file, allow_pickle=False) as archive:
        return archive["X"], archive.get("y", None)


def _reset_peak() -> None:
    """Forget this process's highest memory, where the system can."""
    try:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    except OSError:
        return


def _peak_mb() -> float:
    """Highest memory of this process in MB since the last reset."""
    import resource
    import sys

    try:
        for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
            if line.startswith("VmHWM:"):
                return round(int(line.split()[1]) / 1024, 1)
    except OSError:
        pass
    unit = 1024**2 if sys.platform == "darwin" else 1024
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit, 1)

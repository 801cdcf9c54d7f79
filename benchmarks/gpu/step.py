"""Epochs of the paper's mode on a device, beside those of the plain form, and where their time goes."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch

from benchmarks.gpu.timing import wait
from benchmarks.sheet import Sheet
from hypcse.neural import backend as _backend
from hypcse.neural.subgraphs import cut_out
from hypcse.neural.training import fixed as fixed_step

SETS = ("optical-digits", "pen-digits")
N_EPOCHS, N_PLAIN = 14, 5
N_LONG, EVERY = 200, 10
N_TOLD = 25
N_COMPARED = 10


def sheets(device: str, small: bool) -> Iterator[Sheet]:
    """Epochs, a whole training, and a profile."""
    names = ("wine",) if small else SETS
    yield agreement_sheet(names, device)
    yield epochs_sheet(names, device)
    for name in names:
        yield profile_sheet(name, device)
    yield training_sheet(names[-1], device, 20 if small else N_LONG)


def epochs_sheet(names: tuple[str, ...], device: str) -> Sheet:
    """Median seconds of an epoch without evaluation, and of an evaluation."""
    rows = []
    for name in names:
        found, evaluation = epoch_seconds(name, device, N_EPOCHS)
        with plain_form():
            plain, _ = epoch_seconds(name, device, N_PLAIN)
        rows.append((name, f"{found:.4f}", f"{plain:.4f}", f"{evaluation:.3f}"))
    columns = ("data set", "epoch, s", "epoch with the plain losses, s", "evaluation, s")
    return Sheet("Epochs with the authors' settings, without evaluation", columns, tuple(rows))


def epoch_seconds(name: str, device: str, n_epochs: int) -> tuple[float, float]:
    """Median seconds of an epoch after the second, and of the last epoch's evaluation."""
    steps = fit(name, device, n_epochs=n_epochs, evaluate_every=n_epochs).history_
    usual = float(np.median([step.seconds for step in steps[2:-1]]))
    return usual, steps[-1].seconds - usual


def agreement_sheet(names: tuple[str, ...], device: str) -> Sheet:
    """Losses of ten steps: those of full matrices against those over edges, and captured against not."""
    rows = []
    for name in names:
        still = {"dropout": 0.0, "edge_drop": 0.0, "mask_learner": 0.0, "mask_anchor": 0.0}
        captured, plain = (losses_of_steps(name, device, form, **still) for form in ("captured", "edges"))
        drawn, again = (losses_of_steps(name, device, form) for form in ("captured", "matrices"))
        rows.append((name, f"{_gap(captured[:1], plain[:1])}", _gap(captured, plain), _gap(drawn, again)))
    columns = ("data set", "over edges: first step", "ten steps", "same draws, not captured: ten steps")
    title = "Losses of captured steps, largest relative difference from other forms of the step"
    return Sheet(title, columns, tuple(rows))


def losses_of_steps(name: str, device: str, form: str, **changed: Any) -> np.ndarray:
    """(10, 4) losses on the first subgraph; without draws where the rates of all are 0."""
    run = started(name, device, **changed)
    if changed.get("dropout") == 0.0:
        run.networks.projector.first.dropout = run.networks.projector.second.dropout = 0.0
    vertices = torch.arange(min(run.graph.n_vertices, 2048), device=device)
    part = vertices, cut_out(run.anchor, [vertices])[0], run.features[vertices]
    if form == "edges":
        run.fixed = None
    kept, fixed_step.N_WARM = fixed_step.N_WARM, 3 if form == "captured" else 10**9
    try:
        return np.array([run.step(part)[0].tolist() for _ in range(N_COMPARED)])
    finally:
        fixed_step.N_WARM = kept


def _gap(found: np.ndarray, expected: np.ndarray) -> str:
    return f"{np.abs(found - expected).max() / np.abs(expected).max():.1e}"


def training_sheet(name: str, device: str, n_epochs: int) -> Sheet:
    """A whole fit, evaluated now and then."""
    wait()
    began = time.perf_counter()
    model = fit(name, device, n_epochs=n_epochs, evaluate_every=EVERY)
    seconds = time.perf_counter() - began
    steps = model.history_
    plain = sum(step.seconds for step in steps if step.entropy is None)
    evaluated = sum(step.seconds for step in steps if step.entropy is not None)
    times = (f"{seconds:.1f}", f"{plain:.1f}", f"{evaluated:.1f}", f"{seconds - plain - evaluated:.1f}")
    cells = (name, f"{n_epochs}", *times, f"{steps[-1].losses.total:.4f}", f"{model.entropy_:.4f}")
    columns = ("data set", "epochs", "fit, s", "epochs", "evaluated epochs", "before and after", "last loss", "entropy")
    return Sheet(f"A training, evaluated every {EVERY} epochs", columns, (cells,))


def profile_sheet(name: str, device: str) -> Sheet:
    """Launches of an epoch, how long the device is busy, and the dearest operators on the host."""
    from torch.profiler import ProfilerActivity, profile

    run = started(name, device)
    for number in range(1, 4):
        run.epoch(number)
    wait()
    activities = [ProfilerActivity.CPU, *([ProfilerActivity.CUDA] if torch.cuda.is_available() else [])]
    with profile(activities=activities) as found:
        began = time.perf_counter()
        run.epoch(4)
        wait()
        seconds = time.perf_counter() - began
    events = found.key_averages()
    launches = sum(e.count for e in events if e.key.startswith(("cudaLaunchKernel", "cuLaunchKernel")))
    waits = sum(e.count for e in events if "Synchronize" in e.key or e.key == "aten::_local_scalar_dense")
    busy = sum(e.self_device_time_total for e in events if not str(e.device_type).endswith("CPU")) / 1e6
    rows = [(e.key[:60], f"{e.count}", *_times(e)) for e in sorted(events, key=_host_time, reverse=True)[:N_TOLD]]
    dearest = sorted(events, key=lambda e: e.self_device_time_total, reverse=True)[:10]
    rows += [(f"device: {e.key[:52]}", f"{e.count}", *_times(e)) for e in dearest]
    remark = f"{launches} launches, {waits} waits, {seconds:.3f} s under the profiler, the device busy {busy:.4f} s"
    columns = ("operator", "calls", "host, ms", "device, ms")
    return Sheet(f"An epoch of {name}, profiled", columns, tuple(rows), (remark,))


def fit(name: str, device: str, **changed: Any) -> Any:
    """An estimator with the authors' settings, but for some, fitted to one of their data sets."""
    import hypcse

    X, _ = hypcse.datasets.load(name)
    return _estimator(name, device=device, **changed).fit(X)


def _estimator(name: str, **changed: Any) -> Any:
    from hypcse.methods.clustering import estimator_of
    from hypcse.paper.settings import authors_options

    return estimator_of("hypcse", {"preset": "paper", **authors_options(name), **changed})


def started(name: str, device: str, **changed: Any) -> Any:
    """A training under way, as an estimator would begin it, that is never evaluated."""
    import hypcse
    from hypcse.neural.training.config import HINTS, Setup, TrainingConfig
    from hypcse.neural.training.run import Run

    X, _ = hypcse.datasets.load(name)
    model = _estimator(name, evaluate_every=10**6, **changed)
    options = {key: value for key, value in model._options().items() if key in HINTS}
    features = hypcse.graph.scale_features(X).astype(np.float32)
    return Run(Setup(features, hypcse.similarity_graph(X), TrainingConfig(**options), device=device))


@contextmanager
def plain_form() -> Iterator[None]:
    """As if there were no Triton."""
    kept = _backend.missing_for_triton
    try:
        _backend.missing_for_triton = lambda: "nothing, but it is not asked for"  # type: ignore[assignment]
        yield
    finally:
        _backend.missing_for_triton = kept


def _host_time(event: Any) -> float:
    return float(event.self_cpu_time_total)


def _times(event: Any) -> tuple[str, str]:
    return f"{event.self_cpu_time_total / 1000:.2f}", f"{event.self_device_time_total / 1000:.2f}"

"""The process that fits one method to one set: events go to a file, as lines of JSON.

`started` after the imports and a small fit, `fitted` with the time and the highest memory, `scored` at the end; or
`failed`.
"""

from __future__ import annotations

import ctypes
import json
import resource
import signal
import sys
import time
import warnings
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.million import grouped
from benchmarks.peers.methods import Found, Labels, Peer, Table, peer_named
from benchmarks.peers.sets import set_named
from benchmarks.runner import highest_mb, lowered_peak_mb

GIB = 2**30
N_FIRST = 2_000
"""Points of the fit that compiles and loads what there is to."""
QUICK = 10.0
"""Seconds below which a fit is made twice, and the quicker counts: larger sets may compile what the first did not."""


def main(method: str, set_name: str, memory_gb: float, events: Path) -> int:
    """Fit, and write what happened."""
    warnings.simplefilter("ignore")
    _end_with_parent()
    resource.setrlimit(resource.RLIMIT_AS, (int(memory_gb * GIB), int(memory_gb * GIB)))
    begin, peer, points = time.perf_counter(), peer_named(method), set_named(set_name)
    try:
        peer.fit(grouped(min(N_FIRST, points.n_points), points.n_columns)[0])
        _tell(events, "started", start_seconds=time.perf_counter() - begin, version=version(peer.package))
        X, group, gaussian = grouped(points.n_points, points.n_columns)
        lowered_peak_mb()
        seconds, found = _timed(peer, X)
        if seconds < QUICK:
            seconds = min(seconds, _timed(peer, X)[0])
        _tell(events, "fitted", seconds=seconds, peak_mb=_highest_mb())
        _tell(events, "scored", **scores(found, group, gaussian))
    except MemoryError as error:
        _tell(events, "failed", memory=True, error=str(error))
        return 1
    except Exception as error:
        memory = "alloc" in str(error).lower()
        _tell(events, "failed", memory=memory, error=f"{type(error).__name__}: {error}")
        return 1
    return 0


def scores(found: Found, group: Labels, gaussian: Labels) -> dict[str, Any]:
    """Clusters, share of noise, and adjusted mutual information with what was planted, noise as one cluster.

    >>> labels = np.array([0, 0, 1, -1])
    >>> scores(Found(labels), np.array([0, 0, 1, 2]), np.array([0, 1, 2, 3]))
    {'clusters': 2, 'noise': 0.25, 'ami': [1.0, 0.0], 'best_ami': None}
    """
    from sklearn.metrics import adjusted_mutual_info_score

    if found.labels is None:
        return {}
    planted = (group, gaussian)
    best = [max(float(adjusted_mutual_info_score(y, one)) for one in found.levels) for y in planted if found.levels]
    return {
        "clusters": int(np.unique(found.labels[found.labels >= 0]).size),
        "noise": float(np.mean(found.labels < 0)),
        "ami": [round(float(adjusted_mutual_info_score(y, found.labels)), 4) for y in planted],
        "best_ami": [round(value, 4) for value in best] or None,
    }


def _timed(peer: Peer, X: Table) -> tuple[float, Found]:
    begin = time.perf_counter()
    found = peer.fit(X)
    return time.perf_counter() - begin, found


def _highest_mb() -> float:
    """The highest memory since it was lowered.

    On Linux from the process itself: what `getrusage` tells is at least what the process that started this one had.
    """
    status = Path("/proc/self/status")
    lines = status.read_text(encoding="ascii", errors="replace").splitlines() if status.exists() else []
    found = [float(line.split()[1]) / 2**10 for line in lines if line.startswith("VmHWM")]
    return found[0] if found else highest_mb()


def _end_with_parent() -> None:
    """Let a fit of minutes not outlive the command that waits for it, where the system can."""
    control = getattr(ctypes.CDLL(None), "prctl", None)
    if control is not None:
        control(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def _tell(events: Path, event: str, **content: Any) -> None:
    with events.open("a", encoding="utf-8") as lines:
        lines.write(json.dumps({"event": event, **content}) + "\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], float(sys.argv[3]), Path(sys.argv[4])))

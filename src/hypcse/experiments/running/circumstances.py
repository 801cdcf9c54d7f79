"""Where and when a task runs: versions, machine, threads, and the memory of its process."""

from __future__ import annotations

import os
import platform
from datetime import UTC, datetime
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

MEASURED = ("seconds", "peak_mb", "when", "machine", "threads")
"""What differs between two runs of one task."""


def describe_circumstances() -> dict[str, Any]:
    """The version of hypcse and of its libraries, the machine, the number of threads, and the time."""
    import numba
    import numpy as np

    import hypcse

    # Told of the installation, not of what this process has loaded: the same in every process.
    has_torch = find_spec("torch") is not None
    libraries = {"python": platform.python_version(), "numpy": np.__version__}
    return {
        "version": hypcse.__version__,
        "libraries": {**libraries, "torch": version("torch")} if has_torch else libraries,
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"
        + (", GPU" if has_torch and Path("/dev/nvidia0").exists() else ""),
        "threads": numba.get_num_threads(),
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def reset_peak() -> None:
    """Forget this process's highest memory, where the system can."""
    try:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    except OSError:
        return


def peak_mb() -> float:
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

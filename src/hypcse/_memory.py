"""What memory a step needs, said before it starts."""

from __future__ import annotations

import os
from pathlib import Path


def available_bytes() -> int | None:
    """Memory that a new array can take without swapping; None where the system does not tell."""
    table = Path("/proc/meminfo")
    if table.exists():
        for line in table.read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return None


def check_memory(what: str, n_bytes: int, way_out: str) -> None:
    """Raise MemoryError, before anything is allocated, when `what` cannot fit."""
    free = available_bytes()
    if free is not None and n_bytes > free:
        raise MemoryError(f"{what} needs {n_bytes / 2**30:.1f} GiB, but {free / 2**30:.1f} GiB are free. {way_out}")

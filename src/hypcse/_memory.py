"""Checks, before a step starts, that its memory is free."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

CGROUPS = Path("/sys/fs/cgroup")
OWN_CGROUPS = Path("/proc/self/cgroup")
MIB = 2**20
_FOR_LIBRARIES, _PER_THREAD = 128 * MIB, 8 * MIB
"""Address space that libraries take when they start, in all and per core; one that gets none ends the process."""
SMALL = MIB
"""Less is not checked: the check itself takes milliseconds."""


def available_bytes() -> int | None:
    """Memory that machine, process limits and container leave to a new array; None if the system does not report it."""
    import psutil

    limits = [*_free_in_process(), *free_in_cgroups(OWN_CGROUPS, CGROUPS)]
    # Some sandboxes hide it.
    with suppress(OSError, RuntimeError, NotImplementedError):
        limits.append(int(psutil.virtual_memory().available))
    return max(0, min(limits)) if limits else None


def check_memory(what: str, n_bytes: int, way_out: str) -> None:
    """Raise MemoryError, before anything is allocated, when `what` cannot fit."""
    free = available_bytes() if n_bytes >= SMALL else None
    if free is not None and n_bytes > free:
        raise MemoryError(f"{what} needs {_say_bytes(n_bytes)}, but {_say_bytes(free)} are free. {way_out}")


def _say_bytes(n_bytes: int) -> str:
    return f"{n_bytes / 2**30:.1f} GiB" if n_bytes >= 2**30 else f"{n_bytes / MIB:.0f} MiB"


def _free_in_process() -> Iterator[int]:
    """Memory left by the limits of address space and data, if they are set, minus what libraries take."""
    import psutil

    try:
        import resource

        used = psutil.Process().memory_info()
    except (ImportError, OSError, psutil.Error):
        return
    for limit, name in ((resource.RLIMIT_AS, "vms"), (resource.RLIMIT_DATA, "data")):
        soft = resource.getrlimit(limit)[0]
        if soft != resource.RLIM_INFINITY and hasattr(used, name):
            yield soft - getattr(used, name) - _FOR_LIBRARIES - _PER_THREAD * (os.cpu_count() or 1)


def free_in_cgroups(own: Path, mounted: Path) -> Iterator[int]:
    """Memory left by the control groups (versions 1 and 2) of this process and by those above them."""
    # Each line is number:controllers:path. Inside a container, the path may be the one outside.
    for line in _text(own).splitlines():
        _, controllers, path = (*line.split(":", 2), "", "")[:3]
        if controllers == "":
            root, limit, used, cached = mounted, "memory.max", "memory.current", "inactive_file"
        elif "memory" in controllers.split(","):
            root, limit, used = mounted / "memory", "memory.limit_in_bytes", "memory.usage_in_bytes"
            cached = "total_inactive_file"
        else:
            continue
        group = root / path.lstrip("/")
        for folder in (group, *group.parents):
            most, now = _text(folder / limit).strip(), _text(folder / used).strip()
            if (folder == root or root in folder.parents) and most.isdigit() and now.isdigit():
                facts = dict(line.split()[:2] for line in _text(folder / "memory.stat").splitlines() if " " in line)
                # Cached files can be evicted.
                yield int(most) - int(now) + int(facts.get(cached, 0))


def _text(path: Path) -> str:
    """The text of a file; empty if it cannot be read."""
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""

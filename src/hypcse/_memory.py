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
    """Memory left by the limit of address space, if there is one, minus what libraries take."""
    with suppress(ImportError, OSError):
        import resource

        import psutil

        soft = resource.getrlimit(resource.RLIMIT_AS)[0]
        if soft != resource.RLIM_INFINITY:
            used = psutil.Process().memory_info().vms
            yield soft - used - _FOR_LIBRARIES - _PER_THREAD * (os.cpu_count() or 1)


def free_in_cgroups(own: Path, mounted: Path) -> Iterator[int]:
    """Memory left by the control group of this process, from a line 0::path of a file, and by those above it."""
    with suppress(OSError):
        for line in own.read_text(encoding="utf-8", errors="replace").splitlines():
            # Inside a container, the path may be the one outside; its own group is then the root.
            group = mounted / line.removeprefix("0::").lstrip("/")
            above = [folder for folder in (group, *group.parents) if folder == mounted or mounted in folder.parents]
            for folder in above if line.startswith("0::") else ():
                with suppress(OSError, ValueError):
                    # Without a limit, it is the word "max". Cached files can be evicted.
                    limit, used = (int((folder / name).read_text()) for name in ("memory.max", "memory.current"))
                    facts = dict(line.split()[:2] for line in (folder / "memory.stat").read_text().splitlines())
                    yield limit - used + int(facts.get("inactive_file", 0))

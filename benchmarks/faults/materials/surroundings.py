"""What a process is given or denied before it begins."""

from __future__ import annotations

import ctypes
import os
import resource
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import hypcse
from benchmarks.faults.attempt import Rng

_DROP_FROM_BOUND, _OVERRIDE, _READ_SEARCH = 24, 1, 2
"""Linux: PR_CAPBSET_DROP, and the rights by which root passes over those of files."""


def without_privileges(folder: Path, mode: int) -> Callable[[], object]:
    """The rights of files hold for root too; the folder gets these."""

    def prepare() -> None:
        os.chmod(folder, mode)
        for right in (_OVERRIDE, _READ_SEARCH):
            ctypes.CDLL(None).prctl(_DROP_FROM_BOUND, right, 0, 0, 0)

    return prepare


def read_only_package(place: Path) -> dict[str, str | None]:
    """A copy of the package that nobody may write to, and the environment that finds it."""
    home = Path(hypcse.__file__).parent
    shutil.copytree(home, place / "hypcse", ignore=shutil.ignore_patterns("__pycache__"))
    for path in [place, *place.rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    return {"PYTHONPATH": str(place)}


def limit_file_size(most: int) -> Callable[[], object]:
    """No file may have more bytes."""

    def prepare() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

    return prepare


def limit_memory(most: float) -> Callable[[], object]:
    """So many GiB of memory."""
    size = int(most * 2**30)
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (size, size))


def close_output(number: int, instead: str | None = None) -> Callable[[], object]:
    """One of the three streams is closed, or is another file."""

    def prepare() -> None:
        if instead is None:
            os.close(number)
        else:
            os.dup2(os.open(instead, os.O_RDWR), number)

    return prepare


@contextmanager
def small_disk(folder: Path, kibibytes: int) -> Iterator[Path | None]:
    """A disk of its own with little space; None where this user cannot make one."""
    place = folder / "disk"
    place.mkdir()
    mount = shutil.which("mount")
    words = [mount or "mount", "-t", "tmpfs", "-o", f"size={kibibytes}k", "tmpfs", str(place)]
    if mount is None or subprocess.run(words, capture_output=True, check=False).returncode:
        yield None
        return
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], capture_output=True, check=False)


@contextmanager
def damaged_cache(place: Path, rng: Rng) -> Iterator[dict[str, str | None]]:
    """A copy of the compiled kernels in which some files are cut, changed or empty."""
    from hypcse.kernels._kept import kernel_folder

    found = kernel_folder()
    if found is not None:
        home = Path(found)
        shutil.copytree(home, place / home.name)
    for path in sorted(place.rglob("*.nb[ic]")):
        if rng.random() < 0.1:
            content = path.read_bytes()
            path.write_bytes([b"", content[: len(content) // 2], rng.bytes(50)][int(rng.integers(3))])
    yield {"NUMBA_CACHE_DIR": str(place)}

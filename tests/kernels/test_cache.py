"""Compiled kernels on disk: a folder that is full or absent costs time, and is named once."""

from __future__ import annotations

import errno
import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import pytest
from numba.core.caching import IndexDataCacheFile

from hypcse import HypcseWarning
from hypcse.kernels import compile as storage
from hypcse.kernels.compile import KernelCache, kernel_folder


@pytest.fixture
def double(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], Any]:
    """A maker of a kernel of its own, with a cache in an empty folder; each time as in a new process."""
    source = tmp_path / "tiny.py"
    source.write_text("def double(x):\n    return 2 * x\n")
    place: Any = importlib.util.spec_from_file_location("tiny", source)
    module = importlib.util.module_from_spec(place)
    place.loader.exec_module(module)

    def make() -> Any:
        made: Any = numba.njit(module.double)
        monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "kernels" / "serial"))
        made._cache = KernelCache(module.double)
        monkeypatch.undo()
        return made

    return make


def compiled_anew(kernel: Any) -> bool:
    """Whether a call of the kernel compiled it, for want of code on disk; its answer is right."""
    assert kernel(3) == 6
    return bool(sum(kernel.stats.cache_misses.values()))


def test_code_is_found_again(double: Callable[[], Any]) -> None:
    assert compiled_anew(double()) and not compiled_anew(double())


def test_a_full_disk(double: Callable[[], Any], monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*given: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    kernel = double()
    with monkeypatch.context() as patched:
        patched.setattr(IndexDataCacheFile, "_open_for_write", fail)
        with pytest.warns(HypcseWarning, match="No space left on device") as said:
            assert compiled_anew(kernel) and kernel(1.5) == 3.0
    assert len(said) == 1
    assert compiled_anew(double()) and not compiled_anew(double())


def choose(monkeypatch: pytest.MonkeyPatch, package: Path, user: Path | None = None, chosen: str = "") -> Path | None:
    """The folder taken if the package, the cache of the user and NUMBA_CACHE_DIR are these."""
    monkeypatch.setattr(storage, "_HERE", package)
    monkeypatch.setattr(storage, "user_cache", lambda: user)
    monkeypatch.setattr(numba.config, "CACHE_DIR", chosen)
    return kernel_folder.__wrapped__()


def test_the_first_folder_that_can_be_written_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    file, user = tmp_path / "file", tmp_path / "user"
    folder = choose(monkeypatch, file, user)
    assert folder is not None and folder.parent == user / "kernels"
    assert choose(monkeypatch, file, user, str(tmp_path)).parent == tmp_path
    with pytest.warns(HypcseWarning, match=r"NUMBA_CACHE_DIR=.*file cannot be written: .* stored in .*user.* instead"):
        assert choose(monkeypatch, file, user, str(file)) == folder


def test_no_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    with pytest.warns(HypcseWarning, match=r"no folder .*file.* Set NUMBA_CACHE_DIR"):
        assert choose(monkeypatch, tmp_path / "file") is None

"""Compiled kernels on disk: a folder that is damaged, full or absent costs time, and is named once."""

from __future__ import annotations

import errno
import importlib.util
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import pytest
from numba.core.caching import IndexDataCacheFile

from hypcse import HypcseWarning
from hypcse.kernels import cache as _kept
from hypcse.kernels import cache as _sealed
from hypcse.kernels.cache import KernelCache, kernel_folder

resource = pytest.importorskip("resource")


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
        _sealed._warn_once.cache_clear()
        return made

    return make


def compiled_anew(kernel: Any) -> bool:
    """Whether a call of the kernel compiled it, for want of code on disk; its answer is right."""
    assert kernel(3) == 6
    return bool(sum(kernel.stats.cache_misses.values()))


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def empty(path: Path) -> None:
    path.write_bytes(b"")


def replace_by_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def test_code_is_found_again(double: Callable[[], Any]) -> None:
    assert compiled_anew(double()) and not compiled_anew(double())


@pytest.mark.parametrize("damage", [truncate, empty])
@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
def test_damaged_code_is_compiled_anew(
    double: Callable[[], Any], tmp_path: Path, damage: Callable[[Path], None], suffix: str
) -> None:
    compiled_anew(double())
    for path in (tmp_path / "kernels").rglob(f"*{suffix}"):
        damage(path)
    with pytest.warns(HypcseWarning, match=rf"{tmp_path / 'kernels'} .*NUMBA_CACHE_DIR") as said:
        assert compiled_anew(double())
    assert len(said) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not compiled_anew(double())


def test_an_index_that_cannot_be_read_nor_removed(double: Callable[[], Any], tmp_path: Path) -> None:
    compiled_anew(double())
    for path in (tmp_path / "kernels").rglob("*.nbi"):
        replace_by_folder(path)
    with pytest.warns(HypcseWarning, match=str(tmp_path / "kernels")) as said:
        assert compiled_anew(double())
    assert len(said) == 1


def test_a_full_disk(double: Callable[[], Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*given: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    kernel = double()
    with monkeypatch.context() as patched:
        patched.setattr(IndexDataCacheFile, "_open_for_write", fail)
        with pytest.warns(HypcseWarning, match=rf"{tmp_path / 'kernels'} .*No space left on device") as said:
            assert compiled_anew(kernel) and kernel(1.5) == 3.0
    assert len(said) == 1
    assert compiled_anew(double()) and not compiled_anew(double())


def choose(monkeypatch: pytest.MonkeyPatch, *places: Path, given: str = "") -> Path | None:
    """The folder taken when these are to be tried."""
    monkeypatch.setattr(_kept, "_places", lambda given: iter(places))
    monkeypatch.setattr(numba.config, "CACHE_DIR", given)
    return kernel_folder.__wrapped__()


def test_another_place_is_taken_and_said_where_one_was_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    found = choose(monkeypatch, tmp_path / "file", tmp_path / "other")
    assert found is not None and found.parent == tmp_path / "other"
    with pytest.warns(HypcseWarning, match=r"NUMBA_CACHE_DIR=.*file cannot be written: .* kept in .*other instead"):
        assert choose(monkeypatch, tmp_path / "file", tmp_path / "other", given=str(tmp_path / "file")) == found


def test_no_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    with pytest.warns(HypcseWarning, match=r"no folder .*file.* Set NUMBA_CACHE_DIR"):
        assert choose(monkeypatch, tmp_path / "file", tmp_path / "file" / "inside") is None


def test_a_folder_without_room_is_no_place_unless_the_kernels_are_there(tmp_path: Path) -> None:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
        assert not _kept._is_usable(tmp_path)
        kept = tmp_path / "serial" / "search_0" / "descent.descend-1.nbi"
        kept.parent.mkdir(parents=True)
        kept.write_text("")
        assert _kept._is_usable(tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_user_without_home_keeps_kernels_among_temporary_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only in a folder that nobody else can write: what lies there is run."""
    import pwd
    import tempfile

    def unknown(uid: int) -> None:
        raise KeyError(uid)

    for name in ("HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(pwd, "getpwuid", unknown)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    *_, last = _kept._places("")
    assert last.parent == tmp_path and last.stat().st_mode & 0o777 == 0o700
    last.chmod(0o777)
    assert last not in _kept._places("")
    last.rmdir()
    last.symlink_to(tmp_path)
    assert last not in _kept._places("")

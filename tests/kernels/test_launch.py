"""When kernels may run on several threads, and where TBB is looked for."""

from __future__ import annotations

from pathlib import Path

import numba
import pytest

from hypcse.kernels import compile as _launch
from hypcse.kernels.compile import find_tbb, launch


@pytest.fixture
def several(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    monkeypatch.setattr(numba, "get_num_threads", lambda: 2)
    return monkeypatch


def test_one_thread_starts_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numba, "get_num_threads", lambda: 1)
    with launch() as free:
        assert not free


@pytest.mark.parametrize(("layer", "second"), [("tbb", True), ("omp", True), ("workqueue", False)])
def test_the_second_at_once(several: pytest.MonkeyPatch, layer: str, second: bool) -> None:
    several.setattr(_launch, "_threading_layer", lambda: layer)
    for _ in range(2):
        with launch() as free, launch() as also:
            assert (free, also) == (True, second)


@pytest.mark.parametrize(("layer", "free"), [("tbb", True), ("omp", False), ("workqueue", True), (None, True)])
def test_after_a_fork(several: pytest.MonkeyPatch, layer: str | None, free: bool) -> None:
    several.setattr(_launch, "_left_behind", False)
    several.setattr(_launch, "_threading_layer", lambda: layer)
    _launch._note_fork()
    with launch() as found:
        assert found is free


def test_a_tbb_that_is_none(tmp_path: Path) -> None:
    assert not find_tbb(tmp_path)
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "libtbb.so.12").write_text("no library")
    assert not find_tbb(tmp_path)

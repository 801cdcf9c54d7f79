"""When kernels may run on several threads."""

from __future__ import annotations

import numba
import pytest

from hypcse.kernels import compile as _launch
from hypcse.kernels.compile import launch


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
    several.setattr(_launch, "_forked", False)
    several.setattr(_launch, "_threading_layer", lambda: layer)
    _launch._note_fork()
    with launch() as found:
        assert found is free

"""How much memory is free: the least of machine, process and container."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest

from hypcse import _memory
from hypcse._memory import available_bytes, check_memory, free_in_cgroups

resource = pytest.importorskip("resource")


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> pytest.MonkeyPatch:
    """A machine with 1000 bytes free, a process without limits, and no container."""
    monkeypatch.setattr(psutil, "virtual_memory", lambda: SimpleNamespace(available=1000))
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    used = SimpleNamespace(memory_info=lambda: SimpleNamespace(vms=100, data=30))
    monkeypatch.setattr(psutil, "Process", lambda: used)
    monkeypatch.setattr(_memory, "_FOR_LIBRARIES", 0)
    monkeypatch.setattr(_memory, "_PER_THREAD", 0)
    monkeypatch.setattr(_memory, "OWN_CGROUPS", tmp_path / "cgroup")
    monkeypatch.setattr(_memory, "CGROUPS", tmp_path / "groups")
    return monkeypatch


def group(folder: Path, limit: object, used: int, cached: int = 0) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "memory.max").write_text(f"{limit}\n")
    (folder / "memory.current").write_text(f"{used}\n")
    (folder / "memory.stat").write_text(f"anon 5\ninactive_file {cached}\n")


@pytest.mark.usefixtures("machine")
def test_without_limits_it_is_what_the_machine_has() -> None:
    assert available_bytes() == 1000


def test_the_limit_of_the_process(machine: pytest.MonkeyPatch) -> None:
    machine.setattr(resource, "getrlimit", lambda kind: (500, resource.RLIM_INFINITY))
    assert available_bytes() == 400


def test_a_limit_that_is_passed_leaves_nothing(machine: pytest.MonkeyPatch) -> None:
    machine.setattr(resource, "getrlimit", lambda asked: (10, 10))
    assert available_bytes() == 0


@pytest.mark.usefixtures("machine")
def test_limits_of_the_container_and_of_those_around_it(tmp_path: Path) -> None:
    inner = tmp_path / "groups" / "outer" / "inner"
    (tmp_path / "cgroup").write_text("11:cpu,cpuacct:/x\n0::/outer/inner\n")
    group(inner, "max", 50)
    assert available_bytes() == 1000
    group(inner, 300, 100, cached=40)
    assert available_bytes() == 240
    group(inner.parent, 200, 150)
    assert available_bytes() == 50


def test_a_container_that_does_not_see_its_own_path(tmp_path: Path) -> None:
    (tmp_path / "cgroup").write_text("0::/docker/0123\n")
    group(tmp_path / "groups", 300, 100)
    group(tmp_path, 1, 1)
    assert list(free_in_cgroups(tmp_path / "cgroup", tmp_path / "groups")) == [200]


@pytest.mark.parametrize("text", ["", "nonsense", "0::", "1:memory", "\x00:::"])
def test_odd_tables_of_groups(tmp_path: Path, text: str) -> None:
    (tmp_path / "cgroup").write_text(text)
    assert list(free_in_cgroups(tmp_path / "cgroup", tmp_path / "groups")) == []


def test_a_system_that_does_not_tell(machine: pytest.MonkeyPatch) -> None:
    def fails() -> None:
        raise OSError("hidden")

    machine.setattr(psutil, "virtual_memory", fails)
    assert available_bytes() is None
    check_memory("anything", 2**60, "")


@pytest.mark.usefixtures("machine")
def test_the_error_gives_need_limit_and_way_out() -> None:
    check_memory("this", 1000, "Take less.")
    with pytest.raises(MemoryError, match=r"this needs 2\.0 GiB, but 0 MiB are free\. Take less\."):
        check_memory("this", 2**31, "Take less.")


# 100 MiB of addresses are left when the fit begins: libraries end the process where they get none.
LIMITED = """
import resource, numpy as np, psutil
from hypcse import EntropyClustering
X = np.random.default_rng(0).normal(size=(3000, 20))
limit = psutil.Process().memory_info().vms + 100 * 2**20
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
try:
    EntropyClustering().fit(X)
except MemoryError as error:
    print(error)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not keep this limit")
def test_a_fit_under_a_limit_of_the_process_is_refused() -> None:
    found = subprocess.run([sys.executable, "-c", LIMITED], capture_output=True, text=True, timeout=60)
    assert (found.returncode, found.stderr) == (0, "")
    assert found.stdout.startswith("fitting 3,000 points needs 6 MiB, but 0 MiB are free.")

"""A real scheduler and real workers: processes that talk over TCP, and can be killed when a test chooses."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

PRELOAD = """
import os, pathlib, time
from hypcse.dask import rounds as tasks

# Loaded more than once.
tasks.really_merge = getattr(tasks, "really_merge", tasks.merge_group)
notes, name = pathlib.Path(os.environ["NOTES"]), os.environ["WORKER"]

def merge_group(number, chunks, folder):
    with (notes / "rounds").open("a") as file:
        file.write(folder.name[:9] + "\\n")
    hold = notes / f"hold-{name}"
    if hold.exists() and folder.name.startswith(hold.read_text()):
        (notes / f"waiting-{name}").touch()
        while hold.exists():
            time.sleep(0.02)
    return tasks.really_merge(number, chunks, folder)

tasks.merge_group = merge_group
"""


class Processes:
    """A scheduler and two workers, "a" and "b"; `notes` is where they note what they do."""

    def __init__(self, notes: Path) -> None:
        self.notes = notes
        self.running: dict[str, subprocess.Popen[bytes]] = {}
        self.address = notes / "scheduler.json"
        (notes / "preload.py").write_text(PRELOAD)
        self._start("scheduler", "scheduler", "--port", "0")
        for name in ("a", "b"):
            self.start_worker(name)

    def start_worker(self, name: str) -> None:
        """Start a worker of one thread, without a nanny that would start it again."""
        options = ("--nthreads", "1", "--no-nanny", "--preload", str(self.notes / "preload.py"), "--name", name)
        self._start(name, "worker", *options)

    def start_client(self, code: str, *arguments: str) -> subprocess.Popen[bytes]:
        """Start a program."""
        (self.notes / "client.py").write_text(code)
        self.running["client"] = self._run("client", [str(self.notes / "client.py"), *arguments])
        return self.running["client"]

    def hold(self, name: str, at_round: str) -> None:
        """Have a worker wait in the first group that it merges in that round."""
        (self.notes / f"waiting-{name}").unlink(missing_ok=True)
        (self.notes / f"hold-{name}").write_text(at_round)

    def wait_for(self, name: str) -> None:
        """Return when a worker waits in the middle of a round."""
        wait_until((self.notes / f"waiting-{name}").exists)

    def let_go(self, name: str) -> None:
        """Have a worker go on."""
        (self.notes / f"hold-{name}").unlink()

    def rounds(self) -> list[str]:
        """The rounds of all groups that were merged, in order; forgotten afterwards."""
        path = self.notes / "rounds"
        lines = path.read_text().split() if path.exists() else []
        path.unlink(missing_ok=True)
        return lines

    def _start(self, name: str, *words: str) -> None:
        common = ["--scheduler-file", str(self.address), "--host", "127.0.0.1", "--no-dashboard"]
        self.running[name] = self._run(name, ["-m", "dask", *words, *common])

    def _run(self, name: str, words: list[str]) -> subprocess.Popen[bytes]:
        path = os.pathsep.join([str(Path(__file__).parents[2] / "src"), os.environ.get("PYTHONPATH", "")])
        given = {**os.environ, "PYTHONPATH": path, "NOTES": str(self.notes), "WORKER": name}
        with (self.notes / f"{name}.log").open("wb") as log:
            return subprocess.Popen([sys.executable, *words], stdout=log, stderr=log, env=given, cwd=self.notes)


def wait_until(true: Callable[[], bool], seconds: float = 60) -> None:
    """Return when something has become true."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "nothing happened"
        time.sleep(0.02)


@contextmanager
def processes(notes: Path) -> Iterator[Processes]:
    """A scheduler and two workers, all gone in the end."""
    started = Processes(notes)
    try:
        yield started
    finally:
        for process in started.running.values():
            process.kill()
        for process in started.running.values():
            process.wait()

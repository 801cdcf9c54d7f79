"""Kill -9 at random moments of a smoke run: `python -m benchmarks.runner_kills 3`.

`hypcse reproduce table1 --quick --jobs 2` is killed so many times and goes on each time. What it ends with must be
what an undisturbed run has, up to seconds, memory, time and order.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from hypcse.experiments import MEASURED, read_records

COMMAND = (sys.executable, "-c", "from hypcse.cli import main; main()", "reproduce", "table1", "--quick", "--jobs", "2")


def main(n_kills: int, seed: int = 0) -> int:
    """Kill and go on; a line of JSON for each kill and for the comparison, and the exit code 1 where files differ."""
    rng = np.random.default_rng(seed)
    with tempfile.TemporaryDirectory() as name:
        whole, killed = Path(name) / "whole", Path(name) / "killed"
        right = _start(whole).wait() == 0
        first = _comparable(whole)
        right = right and bool(first) and not any("error" in record for record in first)
        for number, n_done in enumerate(sorted(rng.integers(1, len(first), n_kills).tolist())):
            process = _start(killed)
            # Most of a smoke run is its start, so kills are drawn by tasks, and fall a moment after one.
            while _size(killed) < n_done and process.poll() is None:
                time.sleep(0.002)
            time.sleep(float(rng.uniform(0, 0.05)))
            process.send_signal(signal.SIGKILL)
            ended = process.wait()
            right = right and ended == -signal.SIGKILL
            done = len(read_records(killed / "records.jsonl"))
            print(json.dumps({"kill": number, "killed": ended == -signal.SIGKILL, "tasks done": done}), flush=True)
        right = _start(killed).wait() == 0 and right
        second = _comparable(killed)
        differ = [a["key"] for a, b in zip(first, second, strict=False) if a != b]
        print(json.dumps({"tasks": [len(first), len(second)], "differ": differ}), flush=True)
    return 0 if right and first == second else 1


def _start(folder: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen([*COMMAND, "--out", str(folder)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def _size(folder: Path) -> int:
    path = folder / "records.jsonl"
    return path.read_bytes().count(b"\n") if path.exists() else 0


def _comparable(folder: Path) -> list[dict[str, Any]]:
    """Records without what differs from run to run, by key."""
    records = sorted(read_records(folder / "records.jsonl"), key=lambda record: record["key"])
    return [{name: value for name, value in record.items() if name not in MEASURED} for record in records]


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 3))

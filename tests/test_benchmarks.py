"""The benchmark runner runs, and records failures as failures; nothing is timed here."""

from __future__ import annotations

import json
import sys
import textwrap
from importlib import import_module, invalidate_caches
from pathlib import Path

import numpy as np
import pytest

import benchmarks.cases  # noqa: F401  (fills the registry)
from benchmarks.__main__ import main
from benchmarks.case import REGISTRY, Case

MADE_UP = """
    import os
    from benchmarks.case import Workload, case

    @case(sizes=(3, 30), growth="n", peer="the built-in sum")
    def adding(n, rng):
        '''Add n numbers.'''
        values = rng.random(n).tolist()
        return Workload(lambda: sum(values), lambda: sum(values), "made up", lambda total: {"total": total})

    @case(sizes=(3,), growth="n")
    def failing(n, rng):
        '''Fail.'''
        return Workload(lambda: [][n])

    @case(sizes=(3,), growth="n")
    def dying(n, rng):
        '''End without a word.'''
        return Workload(lambda: os._exit(7))
"""


@pytest.fixture
def made_up_cases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The registry with the cases above in addition, found by the processes that the runner starts."""
    (tmp_path / "made_up_cases.py").write_text(textwrap.dedent(MADE_UP), encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    invalidate_caches()
    before = dict(REGISTRY)
    monkeypatch.delitem(sys.modules, "made_up_cases", raising=False)
    import_module("made_up_cases")
    added = {name: REGISTRY.pop(name) for name in REGISTRY.keys() - before.keys()}
    for name, made_up in added.items():
        monkeypatch.setitem(REGISTRY, name, made_up)


@pytest.mark.parametrize("declared", REGISTRY.values(), ids=lambda declared: declared.name)
def test_every_case_declares_sizes_growth_and_description(declared: Case) -> None:
    assert declared.sizes
    assert declared.growth
    assert declared.description.endswith(".")


@pytest.mark.usefixtures("made_up_cases")
def test_a_run_records_figures_and_failures(tmp_path: Path) -> None:
    out = tmp_path / "new" / "lines.jsonl"
    assert main(["run", "--case", "adding", "failing", "dying", "--quick", "--out", str(out)]) == 1
    lines = {line["case"]: line for line in map(json.loads, out.read_text(encoding="utf-8").splitlines())}
    adding = lines["adding"]
    assert (adding["size"], adding["repeats"], adding["error"]) == (3, 1, None)
    assert adding["facts"]["total"] == pytest.approx(np.random.default_rng(3).random(3).sum())
    assert adding["ratio"] == pytest.approx(adding["peer_seconds"] / adding["seconds"])
    assert 0 < adding["base_mb"] <= adding["peak_mb"]
    assert "IndexError" in lines["failing"]["error"] and "exit code 7" in lines["dying"]["error"]
    assert lines["failing"]["seconds"] is None


def test_an_unknown_case_is_answered_with_the_choices(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["run", "--case", "nothing"])
    assert "there is no case 'nothing'. Choose from" in capsys.readouterr().err
